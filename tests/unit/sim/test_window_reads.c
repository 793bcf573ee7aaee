/* SPDX-License-Identifier: MIT */
/* The op cache of cores that read it window by window, and code that such cores decode. */
#include "fetch.h"

/* Lines of six instructions that go on into the next window, as measured on Zen 5. */
static struct takt_core_params continuing_lines(void)
{
	struct takt_core_params params = plain_params();

	params.op_cache_width = 12;
	params.op_cache_line_slots = 6;
	params.op_cache_window_bytes = 64;
	params.op_cache_window_lines = 9;
	params.op_cache_straight_lines = 5;
	params.op_cache_lines_per_cycle = 2;
	params.op_cache_lines_continue = 1;
	params.op_cache_more_lines_cycles = 2;
	params.op_cache_counts_instructions = 1;
	params.op_cache_straight = 1;
	return params;
}

/* Nops in each window of 64 bytes: measured 1.81, 2.27, 2.64, 3.02, 3.15 cycles. */
static void test_further_lines(void)
{
	static const struct {
		int line;
		uint32_t count, longer; /* instructions, and those of one byte more */
		uint8_t length;
		double cycles;
	} rows[] = {
		{__LINE__, 14, 8, 4, 1.75},    {__LINE__, 16, 0, 4, 7. / 3},
		{__LINE__, 17, 13, 3, 8. / 3}, {__LINE__, 18, 10, 3, 3},
		{__LINE__, 24, 16, 2, 3},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct fetch_run run = {.params = continuing_lines()};

		fetch_add_many(&run, rows[i].count - rows[i].longer, rows[i].length);
		fetch_add_many(&run, rows[i].longer, (uint8_t)(rows[i].length + 1));
		is_about(__FILE__, rows[i].line, fetch_cycles(&run, 8), rows[i].cycles,
			 "further pairs of lines take two cycles each");
		is_int(run.path, SIM_PATH_OP_CACHE, "out of the op cache");
	}
}

static void test_dense_code(void)
{
	struct fetch_run run = {.params = continuing_lines()};

	fetch_add_many(&run, 8, 2);
	fetch_cycles(&run, 8);
	is_int(run.path, SIM_PATH_DECODERS,
	       "32 instructions in 64 bytes are decoded where they do not repeat");
}

/*
 * Loops of nops of equal length from an offset in 64 bytes, `dec` and `jnz` behind them, with the
 * cycles measured on Zen 5, rounded: how many lines begin in each window decides.
 */
static void test_windows_of_loops(void)
{
	static const struct {
		int line;
		uint8_t length;
		uint32_t offset, count;
		double cycles;
		const char *what;
	} rows[] = {
		{__LINE__, 2, 0, 24, 5, "5 lines in one window"},
		{__LINE__, 4, 0, 18, 4, "3 lines, 1 line"},
		{__LINE__, 4, 0, 30, 6, "3 lines, 3 lines"},
		{__LINE__, 4, 0, 36, 7, "3, 3 and 1 lines"},
		{__LINE__, 4, 16, 28, 4, "2 and 3 lines, and the branch"},
		{__LINE__, 4, 16, 43, 7, "2, 3 and 3 lines, and the branch"},
		{__LINE__, 4, 48, 18, 3, "1 line, 3 lines"},
		{__LINE__, 4, 48, 35, 5, "1, 3 and 2 lines, and the branch"},
		{__LINE__, 5, 0, 30, 5, "3, 2 and 1 lines"},
		{__LINE__, 5, 4, 25, 4, "2 and 3 lines, and the branch"},
		{__LINE__, 5, 44, 4, 1, "1 line that the branch leaves"},
		{__LINE__, 8, 0, 8, 2, "2 lines, and the branch"},
		{__LINE__, 8, 0, 16, 3, "2 lines, 1 line, and the branch"},
		{__LINE__, 8, 48, 10, 2, "1 line, 1 line, and the branch"},
		{__LINE__, 8, 48, 18, 3, "1, 1 and 1 lines, and 1 with the branch"},
		{__LINE__, 10, 0, 13, 3, "2 lines, 1 line, and the branch"},
		{__LINE__, 10, 0, 30, 4, "2 lines, and 1 in each of four windows"},
		{__LINE__, 10, 8, 13, 2, "1 line in each of three windows"},
		{__LINE__, 10, 8, 31, 5, "1 or 2 lines in six windows"},
		{__LINE__, 1, 0, 36, 7, "7 lines in one window"},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct fetch_run run = {.params = continuing_lines(),
					.loop = true,
					.alignment_bytes = rows[i].offset};
		bool is_short = rows[i].length * rows[i].count + 4 <= 128;

		fetch_add_many(&run, rows[i].count, rows[i].length);
		fetch_add(&run, is_short ? 4 : 8, SIM_INSN_BRANCH | SIM_INSN_FUSED);
		is_about(__FILE__, rows[i].line, fetch_cycles(&run, 8), rows[i].cycles,
			 rows[i].what);
		is_int(run.path, SIM_PATH_OP_CACHE, "out of the op cache");
	}
}

int main(void)
{
	test_further_lines();
	test_dense_code();
	test_windows_of_loops();
	return tap_done();
}
