/* SPDX-License-Identifier: MIT */
/* Straight-line code whose limit is the decoders. */
#include "fetch.h"

static double cycles_of(const uint32_t *flags, uint32_t count, uint8_t simple, bool last)
{
	struct fetch_run run = {.params = plain_params()};

	run.params.fuse_last_decoder = last;
	for (uint32_t i = 0; i < count; i++)
		fetch_add(&run, 2, flags[i])->simple_decoders = simple;
	return fetch_cycles(&run, 8);
}

static const struct {
	int line;
	uint32_t count;
	uint32_t flags[6];
	uint8_t simple;
	bool last;
	double cycles;
	const char *what;
} rows[] = {
	{__LINE__, 1, {0}, 255, true, .25, "four simple ones a cycle"},
	{__LINE__, 1, {SIM_INSN_COMPLEX}, 255, true, 1, "one complex one a cycle"},
	{__LINE__, 2, {SIM_INSN_COMPLEX, 0}, 255, true, 1, "complex and simple alternate"},
	{__LINE__, 4, {SIM_INSN_COMPLEX, 0, 0, 0}, 255, true, 1, "complex first, three beside it"},
	{__LINE__, 4, {SIM_INSN_COMPLEX, 0, 0, 0}, 1, true, 2, "one simple decoder beside it"},
	{__LINE__, 4, {SIM_INSN_COMPLEX, 0, 0, 0}, 0, true, 2, "none beside it"},
	{__LINE__, 2, {SIM_INSN_BRANCH, 0}, 255, true, 1, "a branch ends the group"},
	{__LINE__, 2, {SIM_INSN_ENDS_GROUP, 0}, 255, true, 1, "so does what is said to"},
	{__LINE__, 1, {SIM_INSN_MAY_FUSE}, 255, true, .25, "what may fuse, in any decoder"},
	{__LINE__, 1, {SIM_INSN_MAY_FUSE}, 255, false, 1. / 3, "but not in the last of some cores"},
};

static void test_pairs(void)
{
	struct fetch_run run = {.params = plain_params()};

	for (unsigned i = 0; i < 3; i++)
		fetch_add(&run, 4, 0);
	fetch_add(&run, 4, SIM_INSN_FUSED | SIM_INSN_BRANCH);
	is_about(__FILE__, __LINE__, fetch_cycles(&run, 8), 1,
		 "three and a fused pair are one group");
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		is_about(__FILE__, rows[i].line,
			 cycles_of(rows[i].flags, rows[i].count, rows[i].simple, rows[i].last),
			 rows[i].cycles, rows[i].what);
	test_pairs();
	return tap_done();
}
