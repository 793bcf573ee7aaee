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

static const struct takt_core_params strict = {
	.op_cache_width = 6,
	.op_cache_window_bytes = 32,
	.op_cache_line_slots = 4,
	.op_cache_line_places = 9,
	.op_cache_window_lines = 3,
	.op_cache_lines = 16,
	.op_cache_ways = 4,
	.op_cache_both_halves = 1,
	.jcc_erratum = 1,
	.length_change_cycles = 3,
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

/* ---- blocks whose windows are described ---- */

#define RECORDS 24u
#define RUNS 20000u

static uint32_t next_random(void)
{
	static uint32_t state = 1;

	state = state * 1664525u + 1013904223u;
	return state >> 16;
}

static void make_items(struct takt_code_item *items)
{
	for (uint32_t i = 0; i < RECORDS; i++)
		items[i] = (struct takt_code_item){
			.length_bytes = (uint8_t)(1 + next_random() % 9),
			.slots = (uint8_t)(1 + next_random() % 2),
			.constants = (uint8_t)(next_random() % 2),
			.branch = next_random() % 8 == 0,
			.microcode = next_random() % 16 == 0,
			.waits_for_next = next_random() % 4 == 0,
		};
}

/* Describe a block's windows of 32 bytes, as code that grows does. */
static uint32_t describe(const struct takt_core_params *params, const struct takt_code_item *items,
			 const struct sim_code_block *block, struct sim_code_window *windows)
{
	uint64_t address = block->address, last = UINT64_MAX;
	uint32_t count = 0;

	for (uint32_t i = 0; i < block->record_count; i++) {
		if (address / 32 != last)
			windows[count++] = (struct sim_code_window){
				.record = i, .offset_bytes = (uint32_t)(address - block->address)};
		last = address / 32;
		address += items[block->records[i]].length_bytes;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t end = i + 1 < count ? windows[i + 1].record : block->record_count;

		sim_window_describe(params, items, block->records + windows[i].record,
				    end - windows[i].record,
				    block->address + windows[i].offset_bytes, &windows[i]);
	}
	return count;
}

/* The same run through the first `count` records of a block, record by record. */
static void enter_each(struct sim_windows *windows, const struct takt_code_item *items,
		       const struct sim_code_block *block, uint32_t count, bool entered)
{
	uint64_t address = block->address;

	for (uint32_t i = 0; i < count; i++) {
		const struct takt_code_item *item = &items[block->records[i]];

		sim_windows_next(windows, item, address, entered && !i);
		address += item->length_bytes;
	}
}

static bool same_entries(const struct sim_windows *a, const struct sim_windows *b)
{
	for (uint32_t i = 0; i < a->sets * SIM_WAYS_MAX; i++)
		if (a->entries[i].number != b->entries[i].number ||
		    a->entries[i].lines != b->entries[i].lines ||
		    a->entries[i].refused != b->entries[i].refused)
			return false;
	return a->hit == b->hit && a->number == b->number;
}

static void check_learning(const struct takt_core_params *params, struct takt_arena *arena,
			   const char *name)
{
	struct sim_windows learns = make(params, arena), enters = make(params, arena);
	struct takt_code_item items[RECORDS];
	uint32_t records[RECORDS], wrong = 0;

	make_items(items);
	for (uint32_t i = 0; i < RECORDS; i++)
		records[i] = i;
	for (uint32_t run = 0; run < RUNS; run++) {
		uint32_t first = next_random() % RECORDS, room = RECORDS - first;
		struct sim_code_window windows[RECORDS];
		struct sim_code_block block = {.records = records + first,
					       .record_count = 1 + next_random() % room,
					       .address = 0x1000 + next_random() % 1024,
					       .windows = windows};
		uint32_t most = block.record_count;
		uint32_t count = next_random() % 4 ? most : 1 + next_random() % most;
		bool entered = next_random() % 2;

		block.window_count = describe(params, items, &block, windows);
		for (uint32_t i = 0; i < block.window_count && windows[i].record < count; i++)
			sim_windows_learn(&learns, items, &block, i, count, entered);
		enter_each(&enters, items, &block, count, entered);
		wrong += !same_entries(&learns, &enters);
	}
	is_int(wrong, 0, name);
}

int main(void)
{
	struct takt_arena arena = {0};

	check_filling(&arena);
	check_room(&arena);
	check_refused(&arena);
	check_learning(&plain, &arena, "blocks leave the same windows as their records do");
	check_learning(&strict, &arena, "so they do where code is refused");
	takt_arena_release(&arena);
	return tap_done();
}
