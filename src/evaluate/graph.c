/* SPDX-License-Identifier: MIT */
/* Turns blocks as qemu translated them, which overlap, into the basic blocks of the paper. */
#include <stdlib.h>
#include <string.h>

#include "evaluate/evaluate.h"

/* Return the offset that a block's last instruction jumps to; UINT64_MAX: it is no direct jump. */
static uint64_t find_target(const struct takt_flow_block *block)
{
	const uint8_t *next = block->bytes, *end = block->bytes + block->size_bytes;
	struct takt_insn_flow step = {.flow = TAKT_FLOW_STOP};

	for (; next < end; next += step.length_bytes)
		if (!takt_insn_flow_decode(&takt_isa_x86, next, (size_t)(end - next), &step))
			return UINT64_MAX;
	if (step.flow != TAKT_FLOW_BRANCH && step.flow != TAKT_FLOW_JUMP)
		return UINT64_MAX;
	return block->offset + block->size_bytes + (uint64_t)(int64_t)step.target;
}

static bool is_inside(const struct takt_flow_counts *graph, uint64_t offset)
{
	for (size_t i = 0; i < graph->block_count; i++)
		if (offset - graph->blocks[i].offset < graph->blocks[i].size_bytes)
			return true;
	return false;
}

/* Find the targets of all direct jumps within the code, including those never taken. */
static uint64_t *find_targets(const struct takt_flow_counts *graph, struct takt_arena *arena,
			      size_t *ret_count)
{
	uint64_t *targets = TAKT_NEW_ARRAY(arena, graph->block_count, uint64_t);

	*ret_count = 0;
	for (size_t i = 0; i < graph->block_count; i++) {
		uint64_t target = find_target(&graph->blocks[i]);

		if (target != UINT64_MAX && is_inside(graph, target))
			targets[(*ret_count)++] = target;
	}
	return targets;
}

/* Return the offsets at which blocks begin or end, or jumps lead to: each once, ascending. */
static uint64_t *find_cuts(const struct takt_flow_counts *graph, const uint64_t *targets,
			   size_t target_count, struct takt_arena *arena, size_t *ret_count)
{
	size_t count = 2 * graph->block_count + target_count, kept = 0;
	uint64_t *cuts = TAKT_NEW_ARRAY(arena, count, uint64_t);

	for (size_t i = 0; i < graph->block_count; i++) {
		cuts[2 * i] = graph->blocks[i].offset;
		cuts[2 * i + 1] = graph->blocks[i].offset + graph->blocks[i].size_bytes;
	}
	if (target_count)
		memcpy(cuts + 2 * graph->block_count, targets, target_count * sizeof(*cuts));
	if (count)
		qsort(cuts, count, sizeof(*cuts), takt_compare_keys);
	for (size_t i = 0; i < count; i++)
		if (kept == 0 || cuts[i] != cuts[kept - 1])
			cuts[kept++] = cuts[i];
	*ret_count = kept;
	return cuts;
}

/* Return the code between two cuts as a block; its executions are 0 if no block covers it. */
static struct takt_flow_block piece(const struct takt_flow_block *blocks, size_t count,
				    uint64_t begin, uint64_t end)
{
	struct takt_flow_block result = {.offset = begin, .size_bytes = (uint32_t)(end - begin)};

	for (size_t i = 0; i < count; i++) {
		if (blocks[i].offset > begin || blocks[i].offset + blocks[i].size_bytes < end)
			continue;
		result.bytes = blocks[i].bytes + (begin - blocks[i].offset);
		result.executions += blocks[i].executions;
	}
	return result;
}

static bool ends_in_branch(const struct takt_flow_block *block)
{
	const uint8_t *next = block->bytes, *end = block->bytes + block->size_bytes;
	struct takt_insn_flow step = {.flow = TAKT_FLOW_STOP};

	while (next < end) {
		if (!takt_insn_flow_decode(&takt_isa_x86, next, (size_t)(end - next), &step))
			return true;
		next += step.length_bytes;
	}
	return step.flow != TAKT_FLOW_NEXT;
}

/* Join `next` to `block` if it always follows and no branch is between: qemu cuts at pages, too. */
static bool join(struct takt_flow_block *block, const struct takt_flow_block *next,
		 struct takt_arena *arena)
{
	uint8_t *bytes;

	if (block->offset + block->size_bytes != next->offset ||
	    block->executions != next->executions || ends_in_branch(block))
		return false;
	bytes = takt_arena_alloc(arena, block->size_bytes + next->size_bytes, 1);
	memcpy(bytes, block->bytes, block->size_bytes);
	memcpy(bytes + block->size_bytes, next->bytes, next->size_bytes);
	block->bytes = bytes;
	block->size_bytes += next->size_bytes;
	return true;
}

static bool is_target(const uint64_t *targets, size_t count, uint64_t offset)
{
	for (size_t i = 0; i < count; i++)
		if (targets[i] == offset)
			return true;
	return false;
}

static void split_blocks(const struct takt_flow_counts *graph, struct takt_arena *arena,
			 struct takt_flow_counts *ret_graph)
{
	size_t cut_count, target_count, kept = 0;
	const uint64_t *targets = find_targets(graph, arena, &target_count);
	uint64_t *cuts = find_cuts(graph, targets, target_count, arena, &cut_count);
	struct takt_flow_block *result = TAKT_NEW_ARRAY(arena, cut_count, struct takt_flow_block);

	for (size_t i = 0; i + 1 < cut_count; i++) {
		struct takt_flow_block next =
			piece(graph->blocks, graph->block_count, cuts[i], cuts[i + 1]);

		if (next.executions == 0 ||
		    (kept > 0 && !is_target(targets, target_count, cuts[i]) &&
		     join(&result[kept - 1], &next, arena)))
			continue;
		result[kept++] = next;
	}
	ret_graph->blocks = result;
	ret_graph->block_count = kept;
}

uint32_t takt_graph_block_at(const struct takt_flow_counts *graph, uint64_t offset)
{
	uint32_t after;

	TAKT_BISECT(after, (uint32_t)graph->block_count, graph->blocks[after].offset <= offset);
	return after ? after - 1 : 0;
}

/* Collect the edges inside of qemu's blocks and between them, in any order. */
static size_t collect_edges(const struct takt_flow_counts *graph,
			    const struct takt_flow_counts *pieces, struct takt_flow_edge *edges)
{
	size_t count = 0;

	for (size_t i = 0; i < graph->block_count; i++) {
		const struct takt_flow_block *block = &graph->blocks[i];
		uint32_t last = takt_graph_block_at(pieces, block->offset + block->size_bytes - 1);

		for (uint32_t at = takt_graph_block_at(pieces, block->offset); at < last; at++)
			edges[count++] = (struct takt_flow_edge){at, at + 1, block->executions};
	}
	for (size_t i = 0; i < graph->edge_count; i++) {
		const struct takt_flow_block *from = &graph->blocks[graph->edges[i].from];
		uint64_t offset = graph->blocks[graph->edges[i].to].offset;
		uint32_t to = takt_graph_block_at(pieces, offset);

		/* Otherwise the two blocks were joined. */
		if (pieces->blocks[to].offset == offset)
			edges[count++] = (struct takt_flow_edge){
				takt_graph_block_at(pieces, from->offset + from->size_bytes - 1),
				to, graph->edges[i].count};
	}
	return count;
}

static void split_edges(const struct takt_flow_counts *graph, struct takt_arena *arena,
			struct takt_flow_counts *ret_graph)
{
	/* A block of qemu's has at most all pieces. */
	size_t most = graph->block_count * ret_graph->block_count + graph->edge_count, count;
	struct takt_flow_edge *edges = TAKT_NEW_ARRAY(arena, most, struct takt_flow_edge);
	size_t kept = 0;

	count = collect_edges(graph, ret_graph, edges);
	if (count)
		qsort(edges, count, sizeof(*edges), takt_flow_compare_edges);
	for (size_t i = 0; i < count; i++) {
		if (kept && takt_flow_compare_edges(&edges[kept - 1], &edges[i]) == 0)
			edges[kept - 1].count += edges[i].count;
		else
			edges[kept++] = edges[i];
	}
	ret_graph->edges = edges;
	ret_graph->edge_count = kept;
}

struct takt_flow_counts takt_blocks_split(const struct takt_flow_counts *graph,
					  struct takt_arena *arena)
{
	struct takt_flow_counts result;

	split_blocks(graph, arena, &result);
	split_edges(graph, arena, &result);
	return result;
}
