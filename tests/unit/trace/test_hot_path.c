/* SPDX-License-Identifier: MIT */
#include <takt/trace.h>

#include "../tap.h"

/* Two blocks start at address 16; block 1 leads to 0, 2 and 3, block 3 to none. */
static const struct takt_trace_block blocks[] = {
	{.address = 16, .size_bytes = 4, .executions = 5},
	{.address = 16, .size_bytes = 8, .executions = 9},
	{.address = 24, .size_bytes = 2, .executions = 7},
	{.address = 32, .size_bytes = 2, .executions = 7},
};

static const struct takt_trace_edge edges[] = {
	{0, 1, 5}, {1, 0, 2}, {1, 2, 4}, {1, 3, 4}, {2, 1, 7},
};

static const struct {
	int line;
	uint32_t from;
	int want; /* index of the most frequent successor; -1: none */
} successors[] = {
	{__LINE__, 0, 1},
	{__LINE__, 1, 2}, /* of equal counts, the first one */
	{__LINE__, 2, 1},
	{__LINE__, 3, -1},
};

int main(void)
{
	const struct takt_trace_profile profile = {
		.blocks = blocks, .edges = edges, .block_count = 4, .edge_count = 5};
	const struct takt_trace_profile read = {.blocks = blocks, .block_count = 4};

	ok(takt_trace_hottest_block(&profile, 16) == &blocks[1], "the block that ran more often");
	ok(takt_trace_hottest_block(&profile, 24) == &blocks[2], "the only block of an address");
	ok(takt_trace_hottest_block(&profile, 17) == NULL, "no block starts at the address");
	for (size_t i = 0; i < sizeof(successors) / sizeof(*successors); i++) {
		const struct takt_trace_block *next =
			takt_trace_hottest_successor(&profile, &blocks[successors[i].from]);

		ok(next == (successors[i].want < 0 ? NULL : &blocks[successors[i].want]),
		   "line %d: the successor of block %u", successors[i].line, successors[i].from);
	}
	ok(takt_trace_hottest_successor(&read, &blocks[0]) == NULL, "a profile without edges");
	return tap_done();
}
