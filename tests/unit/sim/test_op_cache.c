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

static void test_straight(void)
{
	struct fetch_run run = {.params = plain_params()};

	run.params.op_cache_straight = 1;
	fetch_add_many(&run, 6, 11);
	is_about(__FILE__, __LINE__, fetch_cycles(&run, 6), 1, "six of eleven bytes a cycle");
	is_int(run.path, SIM_PATH_OP_CACHE, "straight-line code out of the op cache");
}

/* Lines of six instructions that go on into the next window, as measured on Zen 5. */
static struct takt_core_params continuing_lines(void)
{
	struct takt_core_params params = plain_params();

	params.op_cache_width = 12;
	params.op_cache_line_slots = 6;
	params.op_cache_window_bytes = 64;
	params.op_cache_window_lines = 5;
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
	is_int(run.path, SIM_PATH_DECODERS, "32 instructions in 64 bytes are not cached");
}

static void test_split_branch(void)
{
	struct fetch_run run = {.params = continuing_lines(), .alignment_bytes = 33};
	double cycles;

	make_loop(&run, 7, 5);
	cycles = fetch_cycles(&run, 8);
	run.params.op_cache_branch_split_cycles = 1;
	is_about(__FILE__, __LINE__, fetch_cycles(&run, 8), cycles + 1,
		 "a branch of the bytes 63 and 64 costs a cycle");
	run.alignment_bytes = 32;
	is_about(__FILE__, __LINE__, fetch_cycles(&run, 8), cycles,
		 "one that ends at byte 64 does not");
}

/* Measured on Zen 5: loops of up to six instructions take 1.00 cycles, those of seven 2.00. */
static void test_split_branch_in_line(void)
{
	struct fetch_run run = {.params = continuing_lines(), .alignment_bytes = 38};
	double cycles;

	make_loop(&run, 6, 5);
	cycles = fetch_cycles(&run, 8);
	run.params.op_cache_branch_split_cycles = 1;
	is_about(__FILE__, __LINE__, fetch_cycles(&run, 8), cycles,
		 "a branch that crosses a window is free where a line holds all of the loop");
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
	test_straight();
	test_further_lines();
	test_dense_code();
	test_split_branch();
	test_split_branch_in_line();
	test_mixed();
	return tap_done();
}
