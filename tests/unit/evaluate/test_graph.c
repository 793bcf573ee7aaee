/* SPDX-License-Identifier: MIT */
#include "evaluate/evaluate.h"
#include "unit/tap.h"

/* 0: inc eax; 2: nop; 3: dec ecx; 5: jnz 3; 7: nop; 8: nop; 9: ret */
static const uint8_t code[] = {0xff, 0xc0, 0x90, 0xff, 0xc9, 0x75, 0xfc, 0x90, 0x90, 0xc3};

static struct takt_flow_block translated(uint64_t begin, uint64_t end, uint64_t executions)
{
	return (struct takt_flow_block){.offset = begin,
					.bytes = code + begin,
					.size_bytes = (uint32_t)(end - begin),
					.executions = executions};
}

static void test_split(void)
{
	/* The first one runs into the loop, which was entered 5 times more; a page ends at 8. */
	const struct takt_flow_block blocks[] = {translated(0, 7, 2), translated(3, 7, 10),
						 translated(7, 8, 2), translated(8, 10, 2)};
	static const struct {
		int line;
		uint64_t offset;
		uint32_t size_bytes;
		uint64_t executions;
	} rows[] = {
		{__LINE__, 0, 3, 2},  /* up to where a jump leads */
		{__LINE__, 3, 4, 12}, /* the loop, from above and from itself */
		{__LINE__, 7, 3, 2},  /* not cut at the page */
	};
	static const struct takt_flow_edge edges[] = {{0, 1, 2}, {1, 1, 8}, {1, 2, 2}, {2, 3, 2}};
	static const struct takt_flow_edge wanted[] = {{0, 1, 2}, {1, 1, 10}, {1, 2, 2}};
	const struct takt_flow_counts graph = {blocks, edges, TAKT_COUNT_OF(blocks),
					       TAKT_COUNT_OF(edges)};
	struct takt_arena arena = {0};
	struct takt_flow_counts split = takt_blocks_split(&graph, &arena);

	is_int((long long)split.block_count, (long long)TAKT_COUNT_OF(rows), "blocks");
	for (size_t i = 0; i < TAKT_COUNT_OF(rows) && i < split.block_count; i++)
		tap_ok_at(__FILE__, rows[i].line,
			  split.blocks[i].offset == rows[i].offset &&
				  split.blocks[i].size_bytes == rows[i].size_bytes &&
				  split.blocks[i].executions == rows[i].executions &&
				  memcmp(split.blocks[i].bytes, code + rows[i].offset,
					 rows[i].size_bytes) == 0,
			  "block %zu", i);
	is_int((long long)split.edge_count, (long long)TAKT_COUNT_OF(wanted), "edges");
	for (size_t i = 0; i < TAKT_COUNT_OF(wanted) && i < split.edge_count; i++)
		ok(split.edges[i].from == wanted[i].from && split.edges[i].to == wanted[i].to &&
			   split.edges[i].count == wanted[i].count,
		   "edge %zu", i);
	takt_arena_release(&arena);
}

static void test_gap(void)
{
	const struct takt_flow_block blocks[] = {translated(0, 2, 1), translated(7, 10, 1)};
	struct takt_arena arena = {0};
	struct takt_flow_counts graph = {.blocks = blocks, .block_count = TAKT_COUNT_OF(blocks)};

	is_int((long long)takt_blocks_split(&graph, &arena).block_count, 2,
	       "what did not run is in no block");
	graph.block_count = 0;
	is_int((long long)takt_blocks_split(&graph, &arena).block_count, 0, "nothing ran");
	takt_arena_release(&arena);
}

/* A jump to 7 that was never taken. */
static void test_target(void)
{
	static const uint8_t bytes[] = {0x90, 0x75, 0x04, 0x90, 0x90, 0x90, 0x90, 0x90, 0xc3};
	const struct takt_flow_block blocks[] = {
		{.offset = 0, .bytes = bytes, .size_bytes = 3, .executions = 4},
		{.offset = 3, .bytes = bytes + 3, .size_bytes = 6, .executions = 4}};
	static const struct takt_flow_edge edges[] = {{0, 1, 4}};
	const struct takt_flow_counts graph = {blocks, edges, 2, 1};
	struct takt_arena arena = {0};
	struct takt_flow_counts split = takt_blocks_split(&graph, &arena);

	is_int((long long)split.block_count, 3, "a block begins wherever a jump may lead");
	is_int((long long)split.blocks[2].offset, 7, "there");
	is_int((long long)split.edge_count, 2, "and follows the one before");
	takt_arena_release(&arena);
}

int main(void)
{
	test_target();
	test_split();
	test_gap();
	return tap_done();
}
