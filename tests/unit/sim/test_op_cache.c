/* SPDX-License-Identifier: MIT */
/* Loops and straight-line code out of lines of decoded µops. */
#include "fetch.h"

/* A loop of equal instructions, closed by a branch of two bytes. */
static void make_loop(struct fetch_run *run, uint32_t count, uint8_t length)
{
	run->loop = true;
	fetch_add_many(run, count - 1, length);
	fetch_add(run, 2, SIM_INSN_BRANCH);
}

static void test_widths(void)
{
	struct fetch_run run = {.params = plain_params()};

	make_loop(&run, 24, 5);
	is_about(__FILE__, __LINE__, fetch_cycles(&run, 4), 6, "the consumer takes four");
	is_int(run.path, SIM_PATH_OP_CACHE, "out of the op cache");
	run.params.op_cache_width = 4;
	is_about(__FILE__, __LINE__, fetch_cycles(&run, 8), 6, "four a cycle");
}

static void test_small_loop(void)
{
	struct fetch_run run = {.params = plain_params()};

	make_loop(&run, 8, 3);
	is_about(__FILE__, __LINE__, fetch_cycles(&run, 8), 2,
		 "eight in one window: it is not read twice in a cycle");
	run.params.op_cache_reread = 1;
	run.params.op_cache_change_costs = 0;
	is_about(__FILE__, __LINE__, fetch_cycles(&run, 8), 1.5,
		 "on some it is: six, two and four, two and two");
}

static void test_uncached(void)
{
	struct fetch_run run = {.params = plain_params()};

	/* 31 one-byte instructions in a window: six lines. */
	make_loop(&run, 31, 1);
	fetch_cycles(&run, 8);
	is_int(run.path, SIM_PATH_DECODERS, "a window of more than three lines");
	run.params.op_cache_window_lines = 0;
	fetch_cycles(&run, 8);
	is_int(run.path, SIM_PATH_OP_CACHE, "any number of lines");
}

static void test_erratum(void)
{
	struct fetch_run run = {.params = plain_params(), .alignment_bytes = 16};

	make_loop(&run, 5, 4);
	run.params.jcc_erratum = 1;
	is_about(__FILE__, __LINE__, fetch_cycles(&run, 8), 1, "the branch ends at byte 34");
	is_int(run.path, SIM_PATH_OP_CACHE, "behind the boundary");
	run.alignment_bytes = 14;
	fetch_cycles(&run, 8);
	is_int(run.path, SIM_PATH_DECODERS, "the branch ends at the boundary");
	run.params.jcc_erratum = 0;
	fetch_cycles(&run, 8);
	is_int(run.path, SIM_PATH_OP_CACHE, "which other cores do not mind");
}

/* As loops were measured on Zen 3: eight µops in a line, fewer with many constants. */
static void test_line_room(void)
{
	static const struct {
		int line;
		uint32_t count, with_constants;
		double cycles;
	} rows[] = {
		{__LINE__, 7, 6, 7. / 6}, {__LINE__, 7, 7, 2}, {__LINE__, 8, 4, 8. / 6},
		{__LINE__, 8, 5, 2},	  {__LINE__, 9, 0, 2}, {__LINE__, 13, 4, 13. / 6},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct fetch_run run = {.params = plain_params()};

		run.params.op_cache_width = 8;
		run.params.op_cache_line_slots = 8;
		run.params.op_cache_line_places = 20;
		run.params.op_cache_window_bytes = 64;
		run.params.op_cache_window_lines = 0;
		run.params.op_cache_lines_per_cycle = 1;
		run.params.op_cache_change_costs = 0;
		make_loop(&run, rows[i].count, 4);
		for (uint32_t k = 0; k < rows[i].with_constants; k++)
			run.insns[k].constant_count = 1;
		is_about(__FILE__, rows[i].line, fetch_cycles(&run, 6), rows[i].cycles,
			 "a loop read line by line");
	}
}

static struct takt_core_params ahead_params(void)
{
	struct takt_core_params params = plain_params();

	params.op_cache_width = 18;
	params.op_cache_line_slots = 9;
	params.op_cache_window_bytes = 64;
	params.op_cache_window_lines = 0;
	params.op_cache_lines_per_cycle = 1;
	params.op_cache_windows_ahead = 8;
	params.op_cache_change_costs = 0;
	params.op_cache_branch_ends = 1;
	return params;
}

/* As loops were measured on Zen 4, of instructions of 4 bytes before the end of a window and after.
 */
static void test_windows_ahead(void)
{
	static const struct {
		int line;
		uint32_t before, after; /* of them the last is the branch */
		double cycles;
	} rows[] = {
		{__LINE__, 0, 9, 1.5}, {__LINE__, 0, 10, 2},	   {__LINE__, 0, 12, 2},
		{__LINE__, 1, 8, 2},   {__LINE__, 1, 11, 2},	   {__LINE__, 10, 2, 2},
		{__LINE__, 11, 1, 2},  {__LINE__, 13, 2, 15. / 6}, {__LINE__, 1, 13, 14. / 6},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct fetch_run run = {.params = ahead_params()};

		make_loop(&run, rows[i].before + rows[i].after, 4);
		run.alignment_bytes = (64 - 4 * rows[i].before) % 64;
		is_about(__FILE__, rows[i].line, fetch_cycles(&run, 6), rows[i].cycles,
			 "a loop whose windows are looked up ahead");
	}
}

/* Six windows of five instructions, one of 18 in two lines, and the branch in one of its own. */
static void test_catching_up(void)
{
	struct fetch_run run = {.params = ahead_params(), .loop = true};

	for (int window = 0; window < 6; window++) {
		fetch_add_many(&run, 4, 15);
		fetch_add(&run, 4, 0);
	}
	fetch_add_many(&run, 10, 4);
	fetch_add_many(&run, 8, 3);
	fetch_add(&run, 2, SIM_INSN_BRANCH);
	is_about(__FILE__, __LINE__, fetch_cycles(&run, 9), 8, "a cycle for each window");
	run.params.op_cache_windows_ahead = 0;
	is_about(__FILE__, __LINE__, fetch_cycles(&run, 9), 9, "a cycle for each line");
}

static void test_straight(void)
{
	struct fetch_run run = {.params = plain_params()};

	run.params.op_cache_straight = 1;
	fetch_add_many(&run, 6, 11);
	is_about(__FILE__, __LINE__, fetch_cycles(&run, 6), 1, "six of eleven bytes a cycle");
	is_int(run.path, SIM_PATH_OP_CACHE, "straight-line code out of the op cache");
}

/* The first window is cached, the second is not. */
static void test_mixed(void)
{
	struct fetch_run run = {.params = plain_params(), .loop = true};

	fetch_add_many(&run, 4, 8);
	fetch_add_many(&run, 28, 1);
	fetch_add(&run, 2, SIM_INSN_BRANCH);
	/* 4 µops; 28 by the decoders, four a cycle, after the way through the predecoder. */
	ok(fetch_cycles(&run, 8) >= 8 + 3, "both ways take turns");
}

int main(void)
{
	test_widths();
	test_small_loop();
	test_uncached();
	test_erratum();
	test_line_room();
	test_windows_ahead();
	test_catching_up();
	test_straight();
	test_mixed();
	return tap_done();
}
