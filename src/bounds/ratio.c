/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <string.h>

#include "bounds/ratio.h"

#define NO_EDGE UINT32_MAX
/* Sweeps before a queue takes their place, which is faster if walks span many iterations. */
#define SWEEPS_MAX 32u

struct solver {
	const struct takt_graph *graph;
	struct takt_arena *arena;
	int64_t cycles, iterations; /* the guess */
	int64_t *walks;
	uint32_t *via;	 /* per def: last edge of its walk, or NO_EDGE */
	uint32_t *visit; /* per def: 1 + start of the search that visited it; 0: none */
	uint32_t *edges; /* edges of the recurrence that gave the guess */
	uint32_t edge_count;
};

static void set_guess(struct solver *solver, int64_t cycles, int64_t iterations)
{
	int64_t divisor =
		(int64_t)takt_greatest_common_divisor((uint64_t)cycles, (uint64_t)iterations);

	solver->cycles = cycles / divisor;
	solver->iterations = iterations / divisor;
}

/* Make the first guess from the worst def that depends on itself. False if no edge of the graph
 * spans an iteration. */
static bool guess_from_self(struct solver *solver)
{
	const struct takt_graph *graph = solver->graph;
	bool carried = false;

	for (uint32_t e = 0; e < graph->edge_count; e++) {
		const struct takt_edge *edge = &graph->edges[e];

		if (!edge->iterations || edge->from == TAKT_NO_DEF)
			continue;
		carried = true;
		if (edge->from == edge->to &&
		    edge->latency_cycles * solver->iterations > solver->cycles * edge->iterations) {
			set_guess(solver, edge->latency_cycles, edge->iterations);
			solver->edges[0] = e;
			solver->edge_count = 1;
		}
	}
	return carried;
}

static void forget_walks(struct solver *solver)
{
	memset(solver->walks, 0, solver->graph->def_count * sizeof(*solver->walks));
	memset(solver->via, 0xff, solver->graph->def_count * sizeof(*solver->via));
}

static int64_t gain(const struct solver *solver, const struct takt_edge *edge)
{
	return solver->iterations * edge->latency_cycles - edge->iterations * solver->cycles;
}

/* Extend every walk by an iteration. False if none became longer. */
static bool sweep(struct solver *solver)
{
	const struct takt_graph *graph = solver->graph;
	bool moved = false;

	for (uint32_t def = 0; def < graph->def_count; def++) {
		int64_t longest = solver->walks[def];

		for (uint32_t e = graph->first_edge[def]; e < graph->first_edge[def + 1]; e++) {
			const struct takt_edge *edge = &graph->edges[e];
			int64_t walk;

			if (edge->from == TAKT_NO_DEF)
				continue;
			walk = solver->walks[edge->from] + gain(solver, edge);
			if (walk <= longest)
				continue;
			longest = walk;
			solver->via[def] = e;
			moved = true;
		}
		solver->walks[def] = longest;
	}
	return moved;
}

/* Compare the recurrence of `via` edges through `def` with the guess, and make it the guess if it
 * is worse. */
static bool try_cycle(struct solver *solver, uint32_t def)
{
	const struct takt_edge *edges = solver->graph->edges;
	int64_t cycles = 0, iterations = 0;
	uint32_t at = def, count = 0;

	do {
		const struct takt_edge *edge = &edges[solver->via[at]];

		cycles += edge->latency_cycles;
		iterations += edge->iterations;
		at = edge->from;
		count++;
	} while (at != def);
	assert(iterations > 0); /* within an iteration, edges lead forward */
	if (cycles * solver->iterations <= iterations * solver->cycles)
		return false;
	set_guess(solver, cycles, iterations);
	solver->edge_count = count;
	for (at = def; count--; at = edges[solver->via[at]].from)
		solver->edges[count] = solver->via[at];
	return true;
}

/* Look for recurrences among the `via` edges, of which each def has at most one. */
static bool improve_guess(struct solver *solver)
{
	const struct takt_graph *graph = solver->graph;
	bool improved = false;

	memset(solver->visit, 0, graph->def_count * sizeof(*solver->visit));
	for (uint32_t start = 0; start < graph->def_count; start++) {
		uint32_t def = start;

		while (!solver->visit[def] && solver->via[def] != NO_EDGE) {
			solver->visit[def] = start + 1;
			def = graph->edges[solver->via[def]].from;
		}
		if (solver->visit[def] == start + 1 && solver->via[def] != NO_EDGE)
			improved |= try_cycle(solver, def);
	}
	return improved;
}

/* ---- the queue: only defs whose walks moved --------------------------------------- */

struct queue {
	uint32_t *first_out, *outs; /* edges grouped by `from` */
	uint32_t *defs;		    /* circular buffer of def_count entries */
	bool *is_in;
	uint32_t first, count;
};

static void push(const struct takt_graph *graph, struct queue *queue, uint32_t def)
{
	if (queue->is_in[def])
		return;
	queue->is_in[def] = true;
	queue->defs[(queue->first + queue->count++) % graph->def_count] = def;
}

static uint32_t pop(const struct takt_graph *graph, struct queue *queue)
{
	uint32_t def = queue->defs[queue->first];

	queue->first = (queue->first + 1) % graph->def_count;
	queue->count--;
	queue->is_in[def] = false;
	return def;
}

static void queue_init(struct queue *queue, const struct takt_graph *graph,
		       struct takt_arena *arena)
{
	uint32_t defs = graph->def_count, *next;

	*queue = (struct queue){.first_out = TAKT_NEW_ARRAY(arena, defs + (size_t)1, uint32_t),
				.outs = TAKT_NEW_ARRAY(arena, graph->edge_count, uint32_t),
				.defs = TAKT_NEW_ARRAY(arena, defs, uint32_t),
				.is_in = TAKT_NEW_ARRAY(arena, defs, bool)};
	for (uint32_t e = 0; e < graph->edge_count; e++)
		if (graph->edges[e].from != TAKT_NO_DEF)
			queue->first_out[graph->edges[e].from + 1]++;
	for (uint32_t def = 0; def < defs; def++)
		queue->first_out[def + 1] += queue->first_out[def];
	next = takt_arena_grow(arena, queue->first_out, defs, defs, sizeof(*next));
	for (uint32_t e = 0; e < graph->edge_count; e++)
		if (graph->edges[e].from != TAKT_NO_DEF)
			queue->outs[next[graph->edges[e].from]++] = e;
	for (uint32_t def = 0; def < defs; def++)
		push(graph, queue, def);
}

static void relax_from(struct solver *solver, struct queue *queue, uint32_t def)
{
	const struct takt_graph *graph = solver->graph;

	for (uint32_t i = queue->first_out[def]; i < queue->first_out[def + 1]; i++) {
		const struct takt_edge *edge = &graph->edges[queue->outs[i]];
		int64_t walk = solver->walks[def] + gain(solver, edge);

		if (walk <= solver->walks[edge->to])
			continue;
		solver->walks[edge->to] = walk;
		solver->via[edge->to] = queue->outs[i];
		push(graph, queue, edge->to);
	}
}

static void settle_by_queue(struct solver *solver)
{
	const struct takt_graph *graph = solver->graph;
	uint32_t until_look = graph->def_count;
	struct queue queue;

	queue_init(&queue, graph, solver->arena);
	while (queue.count) {
		relax_from(solver, &queue, pop(graph, &queue));
		if (--until_look)
			continue;
		until_look = graph->def_count;
		if (!improve_guess(solver))
			continue;
		forget_walks(solver);
		for (uint32_t def = 0; def < graph->def_count; def++)
			push(graph, &queue, def);
	}
}

void takt_worst_find(const struct takt_graph *graph, struct takt_arena *arena,
		     struct takt_worst *ret_worst)
{
	struct solver solver = {.graph = graph, .arena = arena, .iterations = 1};
	uint32_t sweeps = 0;

	solver.edges = TAKT_NEW_ARRAY(arena, graph->def_count, uint32_t);
	*ret_worst = (struct takt_worst){.iterations = 1};
	if (!guess_from_self(&solver))
		return;
	solver.walks = TAKT_NEW_ARRAY(arena, graph->def_count, int64_t);
	solver.via = TAKT_NEW_ARRAY(arena, graph->def_count, uint32_t);
	solver.visit = TAKT_NEW_ARRAY(arena, graph->def_count, uint32_t);
	forget_walks(&solver);
	while (sweep(&solver)) {
		if (improve_guess(&solver)) {
			forget_walks(&solver);
		} else if (++sweeps == SWEEPS_MAX) {
			settle_by_queue(&solver);
			break;
		}
	}
	*ret_worst = (struct takt_worst){.cycles = solver.cycles,
					 .iterations = solver.iterations,
					 .walks = solver.walks,
					 .edges = solver.edges,
					 .edge_count = solver.edge_count};
}

double takt_loop_carried_bound(const struct takt_graph *graph, struct takt_arena *arena)
{
	struct takt_worst worst;

	takt_worst_find(graph, arena, &worst);
	return (double)worst.cycles / (double)worst.iterations;
}
