/* SPDX-License-Identifier: MIT */
/*
 * Finds the natural loops of a function, from the edges that were taken. Blocks overlap where qemu
 * entered one in the middle of another, so they are cut into pieces at all addresses where a block
 * begins. The search for back edges begins at the function's start; other entries into a loop, as
 * after a signal, do not matter.
 */
#include <stdlib.h>

#include "input/input.h"
#include "trace/profile/profile.h"

#define NONE UINT32_MAX

struct piece {
	uint64_t offset; /* offset in the function */
	uint64_t executions;
	struct takt_trace_weight weight;
	const struct trace_block *block; /* a block with this piece, from instruction `insn` on */
	uint32_t insn;
	uint32_t nesting; /* number of loops that contain it */
	bool follows;	  /* another piece leads to it */
};

struct graph {
	struct piece *pieces; /* sorted by offset */
	uint32_t count;
	struct takt_flow_edge *edges;
	uint32_t edge_count, edge_capacity;
};

/* ---- the graph ---- */

TAKT_ORDER(compare_offsets, struct piece, TAKT_UP(offset));

static uint32_t piece_at(const struct graph *graph, uint64_t offset)
{
	uint32_t at;

	TAKT_BISECT(at, graph->count, graph->pieces[at].offset < offset);
	return at < graph->count && graph->pieces[at].offset == offset ? at : NONE;
}

static void add_edge(struct graph *graph, uint32_t from, uint32_t to, uint64_t count)
{
	if (from == NONE || to == NONE || count == 0)
		return;
	TAKT_GROW(graph->edges, graph->edge_count + 1, graph->edge_capacity);
	graph->edges[graph->edge_count++] = (struct takt_flow_edge){from, to, count};
	graph->pieces[to].follows |= from != to;
}

static void add_piece(struct graph *graph, const struct profile_block *block, uint32_t piece,
		      uint32_t first, uint32_t end)
{
	struct takt_trace_weight weight = profile_split(block, first, end);

	profile_add_weight(&graph->pieces[piece].weight, &weight);
	graph->pieces[piece].executions += block->executions;
	if (!graph->pieces[piece].block || block->block->lines) {
		graph->pieces[piece].block = block->block;
		graph->pieces[piece].insn = first;
	}
}

/* Cut a block where others begin; return its last piece. */
static uint32_t cut(struct graph *graph, const struct profile_block *block)
{
	uint32_t piece = piece_at(graph, block->offset), first = 0, i;
	uint64_t offset = block->offset;

	for (i = 1; i < block->block->insn_count; i++) {
		uint32_t next;

		offset += block->block->lengths[i - 1];
		next = piece_at(graph, offset);
		if (next == NONE)
			continue;
		add_piece(graph, block, piece, first, i);
		add_edge(graph, piece, next, block->executions);
		piece = next;
		first = i;
	}
	add_piece(graph, block, piece, first, i);
	return piece;
}

static uint32_t piece_of(const struct graph *graph, const struct trace_dictionary *dictionary,
			 uint32_t block)
{
	return piece_at(graph, profile_offset(dictionary, dictionary->blocks[block]));
}

static size_t first_from(const struct trace_edge *edges, size_t count, uint32_t from)
{
	size_t at;

	TAKT_BISECT(at, count, edges[at].from < from);
	return at;
}

static void build(struct graph *graph, const struct trace_dictionary *dictionary,
		  const struct profile_block *blocks, size_t count, const struct trace_edge *others,
		  size_t other_count)
{
	graph->pieces = takt_xcalloc(count, sizeof(*graph->pieces));
	for (size_t i = 0; i < count; i++)
		graph->pieces[i].offset = blocks[i].offset;
	qsort(graph->pieces, count, sizeof(*graph->pieces), compare_offsets);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || graph->pieces[i].offset != graph->pieces[graph->count - 1].offset)
			graph->pieces[graph->count++].offset = graph->pieces[i].offset;
	for (size_t i = 0; i < count; i++) {
		const struct trace_block_stats *stats = blocks[i].stats;
		uint32_t number = blocks[i].block->number, last = cut(graph, &blocks[i]);

		for (unsigned way = 0; way < 2; way++)
			add_edge(graph, last, piece_of(graph, dictionary, stats->next[way]),
				 stats->next_count[way]);
		for (size_t at = first_from(others, other_count, number);
		     at < other_count && others[at].from == number; at++)
			add_edge(graph, last, piece_of(graph, dictionary, others[at].to),
				 others[at].count);
	}
	if (graph->edge_count)
		qsort(graph->edges, graph->edge_count, sizeof(*graph->edges),
		      takt_flow_compare_edges);
}

/* ---- the loops ---- */

static struct takt_trace_loop *add_loop(struct profile_loops *loops)
{
	TAKT_GROW(loops->list, loops->count + 1, loops->capacity);
	loops->list[loops->count] = (struct takt_trace_loop){.depth = 1};
	return &loops->list[loops->count++];
}

static void set_line(struct takt_trace_loop *loop, const struct piece *piece)
{
	for (uint32_t i = 0; i < piece->block->line_count; i++) {
		const struct trace_line *line = &piece->block->lines[i];

		if (line->insn <= piece->insn && line->line) {
			loop->file = line->file;
			loop->line = line->line;
		}
	}
}

static void measure(struct graph *graph, const struct takt_flow_graph *flow, uint32_t head,
		    bool *inside, struct profile_loops *loops)
{
	const struct piece *piece = &graph->pieces[head];
	struct takt_trace_loop *loop = add_loop(loops);
	uint64_t back_count;

	takt_flow_find_body(flow, head, inside, &back_count);
	loop->offset = piece->offset;
	loop->address = takt_trace_insn_address(piece->block, piece->insn);
	loop->iterations = piece->executions;
	loop->entries = piece->executions > back_count ? piece->executions - back_count : 0;
	set_line(loop, piece);
	for (uint32_t i = 0; i < graph->count; i++) {
		if (!inside[i])
			continue;
		profile_add_weight(&loop->weight, &graph->pieces[i].weight);
		graph->pieces[i].nesting++;
	}
}

static void search_all(const struct graph *graph, struct takt_flow_graph *flow)
{
	uint32_t entry = piece_at(graph, 0);

	if (entry != NONE)
		takt_flow_search(flow, entry);
	for (uint32_t i = 0; i < graph->count; i++)
		if (!graph->pieces[i].follows)
			takt_flow_search(flow, i);
	for (uint32_t i = 0; i < graph->count; i++)
		takt_flow_search(flow, i);
}

void profile_find_loops(const struct trace_dictionary *dictionary,
			const struct profile_block *blocks, size_t count,
			const struct trace_edge *edges, size_t edge_count,
			struct profile_loops *loops)
{
	struct takt_arena arena = {0};
	struct graph graph = {0};
	struct takt_flow_graph flow;
	uint32_t first = loops->count;
	bool *inside;

	if (count == 0)
		return;
	build(&graph, dictionary, blocks, count, edges, edge_count);
	takt_flow_init(&flow, graph.count, graph.edges, graph.edge_count, &arena);
	inside = TAKT_NEW_ARRAY(&arena, graph.count, bool);
	search_all(&graph, &flow);
	for (uint32_t i = 0; i < graph.count; i++)
		if (flow.nodes[i].is_head)
			measure(&graph, &flow, i, inside, loops);
	for (uint32_t i = first; i < loops->count; i++) {
		loops->list[i].function = blocks[0].function;
		loops->list[i].depth =
			graph.pieces[piece_at(&graph, loops->list[i].offset)].nesting;
	}
	free(graph.pieces);
	free(graph.edges);
	takt_arena_release(&arena);
}
