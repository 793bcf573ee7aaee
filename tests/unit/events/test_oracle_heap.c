/* SPDX-License-Identifier: MIT */
/* main calls make, which calls malloc; free is no allocator. */
#include "events/oracle.h"
#include "../tap.h"

enum { MAIN_CALLS, MAKE_CALLS, MALLOC, MALLOC_RETURNS, MAKE_RETURNS, MAIN, FREE, BLOCKS };

static struct trace_function functions[] = {
	{.name = ""}, {.name = "main"}, {.name = "make"}, {.name = "malloc"}, {.name = "free"},
};

static struct trace_block blocks[BLOCKS] = {
	[MAIN_CALLS] = {.address = 0x100, .end = 0x110, .function = 1, .flow = TRACE_FLOW_CALL},
	[MAKE_CALLS] = {.address = 0x200,
			.end = 0x210,
			.function = 2,
			.flow = TRACE_FLOW_CALL,
			.entry = true},
	[MALLOC] = {.address = 0x300, .end = 0x310, .function = 3, .entry = true},
	[MALLOC_RETURNS] = {.address = 0x310,
			    .end = 0x320,
			    .function = 3,
			    .flow = TRACE_FLOW_RETURN},
	[MAKE_RETURNS] = {.address = 0x210, .end = 0x220, .function = 2, .flow = TRACE_FLOW_RETURN},
	[MAIN] = {.address = 0x110, .end = 0x120, .function = 1},
	[FREE] = {.address = 0x400, .end = 0x410, .function = 4, .entry = true},
};

static const struct trace_mapping mappings[] = {{0x10000, 0x20000}, {0x50000, 0x60000}};

static struct oracle_heap *heap;

/* A block that stores so many bytes at an address, or none. */
static void executed(unsigned thread, unsigned block, uint64_t address, uint64_t code)
{
	uint64_t record = TRACE_ACCESS | TRACE_STORE | code << TRACE_SIZE_SHIFT | address;
	const struct executed_block executed = {
		.block = &blocks[block],
		.accesses = &record,
		.access_count = address != 0,
		.insn_count = blocks[block].insn_count,
	};

	oracle_heap_execute(heap, thread, &executed);
}

/* A piece whose size is written to `address`. */
static void allocate(unsigned thread, uint64_t address)
{
	executed(thread, MAIN_CALLS, 0, 0);
	executed(thread, MAKE_CALLS, 0, 0);
	executed(thread, MALLOC, address, TRACE_SIZE_8);
	executed(thread, MALLOC_RETURNS, 0, 0);
	executed(thread, MAKE_RETURNS, 0, 0);
	executed(thread, MAIN, 0, 0);
}

static const struct {
	int line;
	uint64_t address;
	bool found, by_main;
	const char *what;
} rows[] = {
	{__LINE__, 0x10100, true, false, "a piece"},
	{__LINE__, 0x101f7, true, false, "its end"},
	{__LINE__, 0x10000, false, false, "below all pieces"},
	{__LINE__, 0x20000, false, false, "not on the heap"},
	{__LINE__, 0x50010, false, false, "a mapping without pieces"},
	{__LINE__, 0x10208, true, true, "given again, by another call"},
	{__LINE__, 0x10308, true, true, "what free, main and vectors write is no piece"},
};

int main(void)
{
	struct trace_block *list[BLOCKS];
	const struct trace_dictionary dictionary = {
		.blocks = list,
		.functions = functions,
		.count = BLOCKS,
		.function_count = TAKT_COUNT_OF(functions),
		.mappings = mappings,
		.mapping_count = TAKT_COUNT_OF(mappings),
	};
	struct oracle_allocation allocation;

	for (uint32_t i = 0; i < BLOCKS; i++) {
		blocks[i].number = i;
		blocks[i].insn_count = 4;
		list[i] = &blocks[i];
	}
	heap = oracle_heap_new(&dictionary);
	allocate(0, 0x100f8);
	allocate(1, 0x101f8);
	/* main calls malloc itself. */
	executed(0, MAIN_CALLS, 0, 0);
	executed(0, MALLOC, 0x101f8, TRACE_SIZE_8);
	executed(0, MALLOC, 0x102f0, TRACE_SIZE_8 + 1); /* 16 bytes */
	executed(0, MALLOC_RETURNS, 0, 0);
	executed(0, MAIN, 0x102f8, TRACE_SIZE_8);
	executed(0, FREE, 0x102f8, TRACE_SIZE_8);
	oracle_heap_finish(heap);
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		bool found = oracle_heap_find(heap, rows[i].address, &allocation);

		tap_ok_at(__FILE__, rows[i].line, found == rows[i].found, "%s", rows[i].what);
		if (!found)
			continue;
		tap_is_int(__FILE__, rows[i].line, allocation.block,
			   rows[i].by_main ? MAIN_CALLS : MAKE_CALLS, "by");
		ok(allocation.has_caller != rows[i].by_main, "and its caller");
		if (allocation.has_caller)
			is_int(allocation.caller, MAIN_CALLS, "that is");
	}
	oracle_heap_free(heap);
	return tap_done();
}
