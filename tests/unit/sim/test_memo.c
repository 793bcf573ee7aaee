/* SPDX-License-Identifier: MIT */
/* With a memo all comes out as without; every hit is simulated as well, and compared. */
#include <string.h>

#include "programs.h"

static struct outcome run(const char *core, const struct program *program, bool no_memo,
			  uint32_t check_every, struct sim_memo_counts *ret_counts)
{
	struct feed *feed = program_new(core, program, no_memo, check_every);
	struct outcome outcome = {0};

	for (uint32_t i = 0; i < PROGRAM_STEPS; i++)
		program_step(feed, program, i);
	takt_sim_stream_memo(feed->stream, ret_counts);
	program_end(feed, &outcome);
	return outcome;
}

static void check_program(const char *core, const struct program *program)
{
	struct sim_memo_counts counts, checked;
	struct outcome plain = run(core, program, true, 0, &counts);
	struct outcome memo = run(core, program, false, 0, &counts);
	struct outcome twice = run(core, program, false, 1, &checked);
	struct outcome mixed = run(core, program, false, 3, &(struct sim_memo_counts){0});

	tap_ok_at(__FILE__, program->line, !memcmp(&plain, &memo, sizeof(plain)) && plain.in_order,
		  "%s: all as without: %llu, %llu cycles", core,
		  (unsigned long long)plain.totals.cycles, (unsigned long long)memo.totals.cycles);
	tap_ok_at(__FILE__, program->line,
		  !memcmp(&plain, &twice, sizeof(plain)) && !memcmp(&plain, &mixed, sizeof(plain)),
		  "%s: simulated again or not", core);
	tap_ok_at(__FILE__, program->line, checked.checked == checked.hits && !checked.wrong,
		  "%s: %llu hits, %llu wrong", core, (unsigned long long)checked.hits,
		  (unsigned long long)checked.wrong);
	tap_ok_at(__FILE__, program->line, counts.hits * 100 >= counts.chunks * program->hits_least,
		  "%s: %llu hits of %llu", core, (unsigned long long)counts.hits,
		  (unsigned long long)counts.chunks);
}

int main(void)
{
	for (size_t c = 0; c < TAKT_COUNT_OF(program_cores); c++)
		for (size_t p = 0; p < TAKT_COUNT_OF(programs); p++)
			check_program(program_cores[c], &programs[p]);
	return tap_done();
}
