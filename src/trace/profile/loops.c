/* SPDX-License-Identifier: MIT */
/*
 * Finds the natural loops of a function, from the edges that were taken. Blocks overlap where qemu
 * entered one in the middle of another, so they are cut into pieces at all addresses where a block
 * begins. A piece is the head of a loop if a back edge leads to it: an edge from itself or from a
 * descendant of it in a depth-first search from the function's start. Other entries into a loop,
 * as after a signal, do not matter.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/profile/profile.h"

#define NONE UINT32_MAX

struct edge {
	uint32_t from, to; /* indices of pieces */
	uint64_t count;
};

struct piece {
	uint64_t offset; /* offset in the function */
	uint64_t executions;
	struct takt_trace_weight weight;
	const struct trace_block *block; /* a block with this piece, from instruction `insn` on */
	uint32_t insn;
	uint32_t first_edge, last_edge; /* its outgoing edges, in graph.edges */
	uint32_t entered, left;		/* order in which the search did, from 1; 0: not yet */
	uint32_t nesting;		/* number of loops that contain it */
	bool follows;			/* another piece leads to it */
	bool is_head;
};

struct graph {
	struct piece *pieces; /* sorted by offset */
	uint32_t count;
	struct edge *edges; /* sorted by `from` */
	uint32_t edge_count, edge_capacity;
	uint32_t *stack, *body;
	bool *inside;
	uint32_t clock;
};

/* ---- the graph ---- */

static int compare_offsets(const void *left, const void *right)
{
	const struct piece *a = left, *b = right;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int compare_edges(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

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
	graph->edges[graph->edge_count++] = (struct edge){from, to, count};
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
		qsort(graph->edges, graph->edge_count, sizeof(*graph->edges), compare_edges);
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		struct piece *piece = &graph->pieces[graph->edges[i].from];

		if (piece->last_edge == 0)
			piece->first_edge = i;
		piece->last_edge = i + 1;
	}
}

/* ---- the search ---- */

static void search(struct graph *graph, uint32_t root)
{
	uint32_t depth = 0;

	if (graph->pieces[root].entered)
		return;
	graph->stack[depth++] = root;
	graph->pieces[root].entered = ++graph->clock;
	while (depth) {
		struct piece *piece = &graph->pieces[graph->stack[depth - 1]];

		if (!graph->edges || piece->first_edge == piece->last_edge) {
			piece->left = ++graph->clock;
			depth--;
			continue;
		}
		root = graph->edges[piece->first_edge++].to;
		if (graph->pieces[root].entered == 0) {
			graph->pieces[root].entered = ++graph->clock;
			graph->stack[depth++] = root;
		} else if (graph->pieces[root].left == 0) {
			graph->pieces[root].is_head = true;
		}
	}
}

/* True if the search reached `inner` through `outer`, or they are the same. */
static bool came_from(const struct graph *graph, uint32_t inner, uint32_t outer)
{
	return graph->pieces[inner].entered >= graph->pieces[outer].entered &&
	       graph->pieces[inner].left <= graph->pieces[outer].left;
}

/*
 * Set graph->body to the pieces of a loop, the head first: those that lead back to the head.
 * Return their number.
 */
static uint32_t find_body(struct graph *graph, uint32_t head, uint64_t *ret_back_count)
{
	uint32_t count = 1, before = 0;

	memset(graph->inside, 0, graph->count * sizeof(*graph->inside));
	graph->inside[head] = true;
	graph->body[0] = head;
	*ret_back_count = 0;
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		const struct edge *edge = &graph->edges[i];

		if (edge->to != head || !came_from(graph, edge->from, head))
			continue;
		*ret_back_count += edge->count;
		if (!graph->inside[edge->from])
			graph->body[count++] = edge->from;
		graph->inside[edge->from] = true;
	}
	/*
	 * Repeat until nothing is added. Most edges lead forward, so that going through them
	 * backward needs few rounds.
	 */
	while (before != count) {
		before = count;
		for (uint32_t i = graph->edge_count; i-- > 0;) {
			const struct edge *edge = &graph->edges[i];

			if (edge->to == head || !graph->inside[edge->to] ||
			    graph->inside[edge->from] || !came_from(graph, edge->from, head))
				continue;
			graph->inside[edge->from] = true;
			graph->body[count++] = edge->from;
		}
	}
	return count;
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

static void measure(struct graph *graph, uint32_t head, struct profile_loops *loops)
{
	const struct piece *piece = &graph->pieces[head];
	struct takt_trace_loop *loop = add_loop(loops);
	uint64_t back_count;
	uint32_t count = find_body(graph, head, &back_count);

	loop->offset = piece->offset;
	loop->address = takt_trace_insn_address(piece->block, piece->insn);
	loop->iterations = piece->executions;
	loop->entries = piece->executions > back_count ? piece->executions - back_count : 0;
	set_line(loop, piece);
	for (uint32_t i = 0; i < count; i++) {
		profile_add_weight(&loop->weight, &graph->pieces[graph->body[i]].weight);
		graph->pieces[graph->body[i]].nesting++;
	}
}

static void search_all(struct graph *graph)
{
	uint32_t entry = piece_at(graph, 0);

	if (entry != NONE)
		search(graph, entry);
	for (uint32_t i = 0; i < graph->count; i++)
		if (!graph->pieces[i].follows)
			search(graph, i);
	for (uint32_t i = 0; i < graph->count; i++)
		search(graph, i);
}

void profile_find_loops(const struct trace_dictionary *dictionary,
			const struct profile_block *blocks, size_t count,
			const struct trace_edge *edges, size_t edge_count,
			struct profile_loops *loops)
{
	struct graph graph = {0};
	uint32_t first = loops->count;

	if (count == 0)
		return;
	build(&graph, dictionary, blocks, count, edges, edge_count);
	graph.stack = takt_xcalloc(graph.count, sizeof(*graph.stack));
	graph.body = takt_xcalloc(graph.count, sizeof(*graph.body));
	graph.inside = takt_xcalloc(graph.count, sizeof(*graph.inside));
	search_all(&graph);
	for (uint32_t i = 0; i < graph.count; i++)
		if (graph.pieces[i].is_head)
			measure(&graph, i, loops);
	for (uint32_t i = first; i < loops->count; i++) {
		loops->list[i].function = blocks[0].function;
		loops->list[i].depth =
			graph.pieces[piece_at(&graph, loops->list[i].offset)].nesting;
	}
	free(graph.pieces);
	free(graph.edges);
	free(graph.stack);
	free(graph.body);
	free(graph.inside);
}
