/* SPDX-License-Identifier: MIT */
/* Loops replayed out of the µop queue. */
#include "fetch.h"

static struct fetch_run loop_of(uint32_t count)
{
	struct fetch_run run = {.params = plain_params(), .loop = true};

	run.params.queue_entries = 56;
	run.params.loop_buffer = 1;
	run.params.loop_buffer_copies = 88886544;
	run.params.loop_buffer_thrice = 12;
	run.params.loop_buffer_twice = 28;
	fetch_add_many(&run, count - 1, 4);
	fetch_add(&run, 2, SIM_INSN_BRANCH);
	return run;
}

static const struct {
	int line;
	uint32_t count;
	double cycles;
	const char *what;
} rows[] = {
	{__LINE__, 1, .25, "8 copies of 1: 2 cycles"}, {__LINE__, 3, .75, "8 of 3: 6 cycles"},
	{__LINE__, 5, 8. / 6, "6 of 5: 8 cycles"},     {__LINE__, 6, 8. / 5, "5 of 6: 8 cycles"},
	{__LINE__, 9, 7. / 3, "3 of 9: 7 cycles"},     {__LINE__, 13, 3.5, "2 of 13: 7 cycles"},
	{__LINE__, 29, 8, "1 of 29: 8 cycles"},
};

static void test_unfit(void)
{
	struct fetch_run run = loop_of(5);

	fetch_cycles(&run, 4);
	is_int(run.path, SIM_PATH_LOOP_BUFFER, "out of the loop buffer");
	run.insns[0].flags |= SIM_INSN_RSP_IMPLICIT;
	fetch_cycles(&run, 4);
	is_int(run.path, SIM_PATH_OP_CACHE, "push and pop are not replayed");
	run = loop_of(57);
	fetch_cycles(&run, 4);
	is_int(run.path, SIM_PATH_OP_CACHE, "nor what does not fit into the queue");
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct fetch_run run = loop_of(rows[i].count);

		is_about(__FILE__, rows[i].line, fetch_cycles(&run, 4), rows[i].cycles,
			 rows[i].what);
	}
	test_unfit();
	return tap_done();
}
