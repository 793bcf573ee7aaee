/* SPDX-License-Identifier: MIT */
/* Slots, lines and windows of the op cache, loops in the loop buffer. */

#include "fixture.h"

/* ---- slots --------------------------------------------------------------- */

static void test_slots(void)
{
	static const struct {
		int line;
		uint16_t slots, mite, ms;
		uint32_t decoded, microcode;
	} rows[] = {
		{__LINE__, 1, 1, 0, 1, 0}, {__LINE__, 10, 4, 6, 4, 6},
		{__LINE__, 6, 6, 6, 1, 5}, {__LINE__, 0, 0, 0, 1, 0},
		{__LINE__, 8, 0, 5, 1, 5}, {__LINE__, 300, 300, 0, 255, 0},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct takt_timing timing = {
			.slots = rows[i].slots, .mite = rows[i].mite, .ms = rows[i].ms};

		tap_is_int(__FILE__, rows[i].line, takt_timing_decoded_slots(&timing),
			   rows[i].decoded, "decoded");
		tap_is_int(__FILE__, rows[i].line, takt_timing_microcode_slots(&timing),
			   rows[i].microcode, "microcode");
	}
}

/* ---- windows ------------------------------------------------------------- */

static struct takt_core_params params_of_lines(void)
{
	return (struct takt_core_params){
		.op_cache_width = 6,
		.op_cache_window_bytes = 32,
		.op_cache_line_slots = 6,
		.op_cache_window_lines = 3,
		.length_change_cycles = 3,
	};
}

#define ITEMS_MAX 64

/* '.': cached, '-': not; one for each item. */
static void check_cached(int line, const struct takt_core_params *params,
			 const struct takt_code_item *items, uint32_t count, uint64_t address,
			 const char *want)
{
	bool cached[ITEMS_MAX];
	char got[ITEMS_MAX + 1] = "";

	takt_code_find_cached(params, items, count, address, cached);
	for (uint32_t i = 0; i < count; i++)
		got[i] = cached[i] ? '.' : '-';
	tap_is_string(__FILE__, line, got, want, "what is cached");
}

static void fill(struct takt_code_item *items, uint32_t count, uint8_t length)
{
	for (uint32_t i = 0; i < count; i++)
		items[i] = (struct takt_code_item){.length_bytes = length, .slots = 1};
}

static void test_windows(void)
{
	struct takt_core_params params = params_of_lines();
	struct takt_code_item items[ITEMS_MAX];

	fill(items, 18, 1);
	check_cached(__LINE__, &params, items, 18, 0, "..................");
	items[17].slots = 2;
	check_cached(__LINE__, &params, items, 18, 0, "------------------");
	check_cached(__LINE__, &params, items, 18, 16, "..................");
	items[17].slots = 1;
	items[3].microcode = true;
	check_cached(__LINE__, &params, items, 18, 0, "------------------");
	params.op_cache_width = 0;
	check_cached(__LINE__, &params, items, 2, 0, "--");
}

static void test_erratum(void)
{
	struct takt_core_params params = params_of_lines();
	struct takt_code_item items[ITEMS_MAX];

	fill(items, 9, 8);
	items[3].branch = true;
	check_cached(__LINE__, &params, items, 9, 0, ".........");
	params.jcc_erratum = 1;
	check_cached(__LINE__, &params, items, 9, 0, "----.....");
	params.op_cache_both_halves = 1;
	check_cached(__LINE__, &params, items, 9, 0, "--------.");
	check_cached(__LINE__, &params, items, 9, 8, ".........");
	check_cached(__LINE__, &params, items, 9, 4, "--------.");
}

/* Check why code is not cached, and which item is said to be the reason. */
static void check_why(int line, const struct takt_core_params *params,
		      const struct takt_code_item *items, uint32_t count, uint64_t address,
		      enum takt_uncached why, uint32_t item)
{
	uint32_t got;

	tap_ok_at(__FILE__, line,
		  takt_code_uncached(params, items, count, address, &got) == why && got == item,
		  "why code is not cached");
}

static void test_reasons(void)
{
	struct takt_core_params params = params_of_lines();
	struct takt_code_item items[ITEMS_MAX];

	fill(items, 60, 1);
	items[31].branch = true;
	items[50].slots = 8;
	check_why(__LINE__, &params, items, 60, 0, TAKT_UNCACHED_LINES, 0);
	check_why(__LINE__, &params, items, 8, 0, TAKT_UNCACHED_NOT, 0);
	fill(items, 9, 8);
	items[7].branch = true;
	check_why(__LINE__, &params, items, 9, 0, TAKT_UNCACHED_NOT, 8);
	params.jcc_erratum = 1;
	check_why(__LINE__, &params, items, 9, 0, TAKT_UNCACHED_BRANCH, 7);
	params.op_cache_width = 0;
	check_why(__LINE__, &params, items, 9, 0, TAKT_UNCACHED_NOT, 0);
}

static void test_prefixes(void)
{
	struct takt_core_params params = params_of_lines();
	struct takt_code_item items[ITEMS_MAX];

	fill(items, 8, 4);
	items[3].waits_for_next = items[4].waits_for_next = items[6].waits_for_next = true;
	check_cached(__LINE__, &params, items, 8, 0, "--------");
	items[6].waits_for_next = false;
	check_cached(__LINE__, &params, items, 8, 0, "........");
}

/* ---- lines, loop buffer --------------------------------------------------- */

static void test_places(void)
{
	struct takt_core_params params = params_of_lines();
	struct takt_cache_line line = {0};
	struct takt_code_item item = {.length_bytes = 4, .slots = 1, .constants = 2};

	params.op_cache_line_places = 10;
	ok(!takt_cache_line_add(&params, &line, &item, 0), "the first begins a line");
	ok(takt_cache_line_add(&params, &line, &item, 4), "8 places");
	ok(!takt_cache_line_add(&params, &line, &item, 8), "12 are too many");
	ok(!takt_cache_line_add(&params, &line, &item, 32), "another window");
}

static void test_branch_ends(void)
{
	struct takt_core_params params = params_of_lines();
	struct takt_cache_line line = {0};
	const struct takt_code_item plain = {.length_bytes = 4, .slots = 1};
	const struct takt_code_item branch = {.length_bytes = 4, .slots = 1, .branch = true};

	ok(!takt_cache_line_add(&params, &line, &plain, 20), "the first begins a line");
	ok(takt_cache_line_add(&params, &line, &branch, 30), "a branch that crosses its end");
	params.op_cache_branch_ends = 1;
	line.open = false;
	ok(!takt_cache_line_add(&params, &line, &plain, 20), "the first of a window's code");
	ok(takt_cache_line_add(&params, &line, &branch, 28), "a branch that ends with the window");
	ok(takt_cache_line_add(&params, &line, &plain, 29), "what is no branch, across the end");
	ok(!takt_cache_line_add(&params, &line, &branch, 29), "a branch across the end");
	ok(takt_cache_line_add(&params, &line, &plain, 33), "which opens the next window");
}

static void test_copies(void)
{
	struct takt_core_params params = {
		.loop_buffer = 1,
		.queue_entries = 56,
		.loop_buffer_copies = 88886544,
		.loop_buffer_thrice = 12,
		.loop_buffer_twice = 28,
	};
	static const uint32_t rows[][2] = {{1, 8},  {4, 8},  {5, 6},  {6, 5},  {7, 4},
					   {8, 4},  {9, 3},  {12, 3}, {13, 2}, {28, 2},
					   {29, 1}, {56, 1}, {57, 0}, {0, 0}};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		is_int(takt_loop_buffer_copies(&params, rows[i][0]), rows[i][1], "copies");
	params.loop_buffer_sixfold = 10;
	params.loop_buffer_fourfold = 13;
	params.loop_buffer_longest = 20;
	is_int(takt_loop_buffer_copies(&params, 9), 6, "six times 9 slots fit");
	is_int(takt_loop_buffer_copies(&params, 10), 5, "six times 10 slots do not");
	is_int(takt_loop_buffer_copies(&params, 13), 4, "fourfold");
	is_int(takt_loop_buffer_copies(&params, 20), 2, "the longest");
	is_int(takt_loop_buffer_copies(&params, 21), 0, "longer than the longest");
	params.loop_buffer_copies = -1;
	is_int(takt_loop_buffer_copies(&params, 3), 1, "nonsense is once");
	params.loop_buffer = 0;
	is_int(takt_loop_buffer_copies(&params, 3), 0, "no loop buffer");
}

int main(void)
{
	test_slots();
	test_windows();
	test_erratum();
	test_reasons();
	test_prefixes();
	test_places();
	test_branch_ends();
	test_copies();
	return tap_done();
}
