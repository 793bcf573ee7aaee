/* SPDX-License-Identifier: MIT */
/*
 * Finds the loops of a function and the paths through them, from the edges that were taken and
 * their counts. An iteration goes from the head back to it, or out of the loop; a run of an inner
 * loop counts as one block of the path.
 */
#include <string.h>

#include "analyze/analyze.h"

#define LOOPS_MAX 256
#define PARTS_MAX 512	 /* of a path */
#define SHARE_LEAST 0.02 /* of a loop's iterations: rarer paths are dropped */

struct finder {
	const struct takt_flow_counts *graph;
	struct takt_arena *arena;
	struct takt_nest_loop *loops;
	size_t loop_count;
	uint64_t *left;	     /* by edge: executions that no path accounts for yet */
	uint32_t *innermost; /* by block: index of the innermost loop around it */
};

/* ---- loops ---- */

/* Find the smallest loop around each block, and around each loop. Loop 0 is the function itself. */
static void nest(struct finder *finder)
{
	for (uint32_t block = 0; block < finder->graph->block_count; block++)
		for (uint32_t i = 1; i < finder->loop_count; i++)
			if (finder->loops[i].inside[block] &&
			    finder->loops[i].size < finder->loops[finder->innermost[block]].size)
				finder->innermost[block] = i;
	for (uint32_t i = 1; i < finder->loop_count; i++)
		for (uint32_t k = 1; k < finder->loop_count; k++)
			if (k != i && finder->loops[k].inside[finder->loops[i].head] &&
			    finder->loops[k].size > finder->loops[i].size &&
			    finder->loops[k].size < finder->loops[finder->loops[i].around].size)
				finder->loops[i].around = k;
}

/* Find the block where calls begin: the one whose executions most exceed its incoming edges. */
static uint32_t find_entry(const struct takt_flow_counts *graph, struct takt_arena *arena,
			   uint64_t *ret_calls)
{
	uint64_t *into = TAKT_NEW_ARRAY(arena, graph->block_count, uint64_t), most = 0;
	uint32_t entry = 0;

	for (size_t i = 0; i < graph->edge_count; i++)
		into[graph->edges[i].to] += graph->edges[i].count;
	for (uint32_t i = 0; i < graph->block_count; i++) {
		uint64_t executions = graph->blocks[i].executions;

		if (executions > into[i] && executions - into[i] > most) {
			most = executions - into[i];
			entry = i;
		}
	}
	*ret_calls = most;
	return entry;
}

static void find_loops(struct finder *finder)
{
	const struct takt_flow_counts *graph = finder->graph;
	struct takt_nest_loop *all = &finder->loops[0];
	struct takt_flow_graph flow;

	all->size = (uint32_t)graph->block_count + 1;
	all->head = find_entry(graph, finder->arena, &all->entries);
	all->iterations = all->entries;
	all->inside = TAKT_NEW_ARRAY(finder->arena, graph->block_count, bool);
	memset(all->inside, true, graph->block_count);
	finder->loop_count = 1;
	takt_flow_init(&flow, (uint32_t)graph->block_count, graph->edges,
		       (uint32_t)graph->edge_count, finder->arena);
	takt_flow_search(&flow, all->head);
	for (uint32_t i = 0; i < graph->block_count && finder->loop_count < LOOPS_MAX; i++) {
		struct takt_nest_loop *loop = &finder->loops[finder->loop_count];
		uint64_t back;

		if (!flow.nodes[i].is_head)
			continue;
		*loop = (struct takt_nest_loop){
			.head = i,
			.inside = TAKT_NEW_ARRAY(finder->arena, graph->block_count, bool),
			.iterations = graph->blocks[i].executions,
		};
		loop->size = takt_flow_find_body(&flow, i, loop->inside, &back);
		loop->entries = loop->iterations > back ? loop->iterations - back : 1;
		finder->loop_count++;
	}
	nest(finder);
}

/* ---- paths ---- */

/* Return the loop directly inside `loop` that contains the block; 0: none does. */
static uint32_t inner_of(const struct finder *finder, uint32_t loop, uint32_t block)
{
	uint32_t at = finder->innermost[block];

	while (at && at != loop && finder->loops[at].around != loop)
		at = finder->loops[at].around;
	return at == loop ? 0 : at;
}

/* Return the edge with most executions left out of a block or inner loop; NULL: there is none. */
static const struct takt_flow_edge *choose_edge(const struct finder *finder, uint32_t block,
						uint32_t inner)
{
	const struct takt_flow_counts *graph = finder->graph;
	const struct takt_flow_edge *best = NULL;

	for (size_t i = 0; i < graph->edge_count; i++) {
		const struct takt_flow_edge *edge = &graph->edges[i];
		bool leaves = inner ? finder->loops[inner].inside[edge->from] &&
					      !finder->loops[inner].inside[edge->to]
				    : edge->from == block;

		if (leaves && (!best || finder->left[i] > finder->left[best - graph->edges]))
			best = edge;
	}
	return best;
}

/* A path while it is being built, with the edges that it uses. */
struct trail {
	size_t edges[PARTS_MAX];
	struct takt_nest_part parts[PARTS_MAX];
	uint32_t edge_count, part_count;
	uint64_t count; /* least number of executions left of its edges */
	bool back;
};

static void walk(const struct finder *finder, uint32_t loop, struct trail *trail)
{
	const struct takt_nest_loop *own = &finder->loops[loop];
	uint32_t block = own->head;

	trail->edge_count = trail->part_count = 0;
	trail->count = own->iterations;
	trail->back = false;
	while (trail->part_count < PARTS_MAX) {
		uint32_t inner = inner_of(finder, loop, block);
		struct takt_nest_part *part = &trail->parts[trail->part_count++];
		const struct takt_flow_edge *edge = choose_edge(finder, block, inner);

		*part = (struct takt_nest_part){.block = block, .loop = inner};
		if (!edge) /* the end of the function */
			return;
		part->exit = edge->from;
		trail->edges[trail->edge_count++] = (size_t)(edge - finder->graph->edges);
		if (finder->left[edge - finder->graph->edges] < trail->count)
			trail->count = finder->left[edge - finder->graph->edges];
		trail->back = loop && edge->to == own->head;
		if (trail->back || !own->inside[edge->to])
			return;
		block = edge->to;
	}
}

static bool same_steps(const struct takt_nest_path *path, const struct trail *trail)
{
	if (path->back != trail->back || path->part_count != trail->part_count)
		return false;
	for (uint32_t i = 0; i < path->part_count; i++)
		if (path->parts[i].block != trail->parts[i].block)
			return false;
	return true;
}

static void add_path(const struct finder *finder, struct takt_nest_loop *loop,
		     const struct trail *trail)
{
	struct takt_nest_path *path = &loop->paths[loop->path_count];

	for (uint32_t i = 0; i < loop->path_count; i++) {
		if (same_steps(&loop->paths[i], trail)) {
			loop->paths[i].count += trail->count;
			return;
		}
	}
	path->parts = TAKT_NEW_ARRAY(finder->arena, trail->part_count, struct takt_nest_part);
	memcpy(path->parts, trail->parts, trail->part_count * sizeof(*path->parts));
	path->part_count = trail->part_count;
	path->count = trail->count;
	path->back = trail->back;
	loop->path_count++;
}

/* Take the hottest path, remove its executions from the edges, take the hottest of the rest … */
static void find_paths(struct finder *finder, uint32_t loop, struct trail *trail)
{
	struct takt_nest_loop *own = &finder->loops[loop];
	double least = SHARE_LEAST * (double)own->iterations;
	bool found = false;

	for (size_t i = 0; i < finder->graph->edge_count; i++)
		finder->left[i] = finder->graph->edges[i].count;
	for (unsigned tries = 0; tries < 4 * TAKT_NEST_PATHS_MAX; tries++) {
		walk(finder, loop, trail);
		if (trail->count == 0 || own->path_count == TAKT_NEST_PATHS_MAX)
			return;
		/* Exits are rare by nature, and at least one path has to lead back to the head. */
		if ((double)trail->count >= least || !trail->back || !found)
			add_path(finder, own, trail);
		found |= trail->back;
		for (uint32_t i = 0; i < trail->edge_count; i++)
			finder->left[trail->edges[i]] -= trail->count;
		if (trail->edge_count == 0)
			return;
	}
}

struct takt_nest_loop *takt_nest_find_loops(const struct takt_flow_counts *graph,
					    struct takt_arena *arena, size_t *ret_count)
{
	size_t count = graph->block_count;
	struct finder finder = {
		.graph = graph,
		.arena = arena,
		.loops = TAKT_NEW_ARRAY(arena, LOOPS_MAX, struct takt_nest_loop),
		.left = TAKT_NEW_ARRAY(arena, graph->edge_count, uint64_t),
		.innermost = TAKT_NEW_ARRAY(arena, count, uint32_t),
	};
	struct trail *trail = TAKT_NEW_ARRAY(arena, 1, struct trail);

	find_loops(&finder);
	for (uint32_t i = 0; i < finder.loop_count; i++)
		find_paths(&finder, i, trail);
	*ret_count = finder.loop_count;
	return finder.loops;
}
