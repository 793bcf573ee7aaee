/* SPDX-License-Identifier: MIT */
/* Long instructions: the switch to the sequencer and back, and its width. */
#include "fetch.h"

static double cycles_of(bool loop, uint16_t microcode_slots)
{
	struct fetch_run run = {.params = plain_params(), .loop = loop};

	fetch_add(&run, 4, SIM_INSN_COMPLEX | SIM_INSN_MICROCODE)->mite_slots = 4;
	run.insns[0].microcode_slots = microcode_slots;
	fetch_add(&run, 4, SIM_INSN_BRANCH);
	return fetch_cycles(&run, 8);
}

static const struct {
	int line;
	bool loop;
	uint16_t slots;
	double cycles;
	const char *what;
} rows[] = {
	{__LINE__, false, 4, 5, "decoder, switch, four µops, switch back, the other"},
	{__LINE__, false, 8, 6, "eight µops"},
	{__LINE__, false, 9, 7, "nine µops"},
	{__LINE__, true, 4, 5, "op cache, two cycles to switch, four µops, the other"},
	{__LINE__, true, 16, 8, "sixteen µops"},
};

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		is_about(__FILE__, rows[i].line, cycles_of(rows[i].loop, rows[i].slots),
			 rows[i].cycles, rows[i].what);
	return tap_done();
}
