/* SPDX-License-Identifier: MIT */
/* Straight-line code whose limit is finding the instructions. */
#include "fetch.h"

static const struct {
	int line;
	uint8_t length;
	uint32_t count, flags;
	uint32_t alignment;
	double cycles;
	const char *what;
} rows[] = {
	/* 16 in a block: five, five, five, one: four cycles. */
	{__LINE__, 1, 16, 0, 0, 4, "1 byte each: decoders and predecoder alike give 4 a cycle"},
	{__LINE__, 3, 16, 0, 0, 6, "3 bytes each: the sixth of a block costs a cycle"},
	{__LINE__, 4, 4, 0, 0, 1, "4 bytes each: 4 a block"},
	{__LINE__, 5, 16, 0, 0, 5, "5 bytes each: 3.2 a block"},
	{__LINE__, 8, 2, 0, 0, 1, "8 bytes each: 2 a block"},
	{__LINE__, 8, 2, 0, 4, 1, "8 bytes each, every second one crosses"},
	{__LINE__, 15, 16, 0, 0, 15, "15 bytes each"},
	/* cmp ax, imm16 takes 3.25 on Haswell and Skylake (BHive). */
	{__LINE__, 4, 4, SIM_INSN_LCP, 0, 13, "length-changing prefixes: three cycles each"},
};

static void test_mixed_prefixes(void)
{
	struct fetch_run run = {.params = plain_params()};

	fetch_add(&run, 4, SIM_INSN_LCP);
	fetch_add(&run, 4, 0);
	/* sub ax, imm16; cmp ax, imm8 takes 3.5 on Haswell and Skylake (BHive). */
	is_about(__FILE__, __LINE__, fetch_cycles(&run, 4), 3.5,
		 "every second has a length-changing prefix");
}

static void test_opcode_across(void)
{
	struct fetch_run run = {.params = plain_params()};

	/* Five in the block, and a sixth whose opcode is in it too: two cycles a block. */
	fetch_add_many(&run, 5, 3);
	fetch_add(&run, 17 - 15 - 1, 0);
	is_about(__FILE__, __LINE__, fetch_cycles(&run, 5), 2, "a sixth instruction costs a cycle");
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct fetch_run run = {.params = plain_params(),
					.alignment_bytes = rows[i].alignment};

		for (uint32_t k = 0; k < rows[i].count; k++)
			fetch_add(&run, rows[i].length, rows[i].flags);
		is_about(__FILE__, rows[i].line, fetch_cycles(&run, 4), rows[i].cycles,
			 rows[i].what);
	}
	test_mixed_prefixes();
	test_opcode_across();
	return tap_done();
}
