/* SPDX-License-Identifier: MIT */
/* Which windows of code are in the op cache when they are run again. */
#include "sim/stream/op_cache_windows.h"
#include "unit/tap.h"

static const struct takt_core_params plain = {
	.op_cache_width = 6,
	.op_cache_window_bytes = 32,
	.op_cache_line_slots = 6,
	.op_cache_window_lines = 3,
	.op_cache_lines = 16,
	.op_cache_ways = 4,
};

/* So many instructions from `address` on, entered by a branch; how many are cached. */
static uint32_t run(struct sim_windows *windows, uint64_t address, uint32_t count, uint8_t length,
		    bool branch)
{
	const struct takt_code_item item = {.length_bytes = length, .slots = 1, .branch = branch};
	uint32_t cached = 0;

	for (uint32_t i = 0; i < count; i++, address += length)
		cached += sim_windows_next(windows, &item, address, i == 0);
	return cached;
}

static struct sim_windows make(const struct takt_core_params *params, struct takt_arena *arena)
{
	struct sim_windows windows;

	sim_windows_init(&windows, params, arena);
	return windows;
}

static void check_filling(struct takt_arena *arena)
{
	struct sim_windows windows = make(&plain, arena);

	is_int(run(&windows, 0x1000, 16, 4, false), 0, "two windows for the first time");
	is_int(run(&windows, 0x1000, 16, 4, false), 16, "for the second time");
	is_int(run(&windows, 0x1010, 8, 4, false), 8, "entered in the middle");
	is_int(run(&windows, 0x2000, 32, 1, false), 0, "32 instructions: more than three lines");
	is_int(run(&windows, 0x2000, 32, 1, false), 0, "are never cached");
}

/* Windows of two lines, four sets apart: two of them fit. */
static void check_room(struct takt_arena *arena)
{
	struct sim_windows windows = make(&plain, arena);

	for (uint64_t i = 0; i < 2; i++)
		run(&windows, i * 4 * 32, 8, 4, false);
	run(&windows, 0x20, 1, 4, false);
	is_int(run(&windows, 0, 8, 4, false), 8, "the first is there");
	run(&windows, 2 * 4 * 32, 8, 4, false);
	run(&windows, 0x20, 1, 4, false);
	is_int(run(&windows, 0, 8, 4, false), 8, "still, as it was used");
	is_int(run(&windows, 4 * 32, 8, 4, false), 0, "the second has gone");
}

static void check_refused(struct takt_arena *arena)
{
	struct takt_core_params params = plain;
	struct sim_windows windows;

	params.jcc_erratum = 1;
	windows = make(&params, arena);
	run(&windows, 0x1000, 8, 4, true);
	is_int(run(&windows, 0x1000, 8, 4, true), 0, "a branch ends at the window's end");
	run(&windows, 0x1020, 7, 4, true);
	is_int(run(&windows, 0x1020, 7, 4, true), 7, "before it");
	params.op_cache_both_halves = 1;
	windows = make(&params, arena);
	run(&windows, 0x1000, 8, 4, true);
	run(&windows, 0x1020, 7, 4, true);
	is_int(run(&windows, 0x1020, 7, 4, true), 0, "the other half cannot be");
	params.op_cache_width = 0;
	windows = make(&params, arena);
	run(&windows, 0x1000, 8, 4, false);
	is_int(run(&windows, 0x1000, 8, 4, false), 0, "no op cache");
}

int main(void)
{
	struct takt_arena arena = {0};

	check_filling(&arena);
	check_room(&arena);
	check_refused(&arena);
	takt_arena_release(&arena);
	return tap_done();
}
