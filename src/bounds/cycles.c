/* SPDX-License-Identifier: MIT */
/*
 * Listing the loop-carried cycles near the worst. A depth-first search over defs from
 * each carried def; a branch is cut when even the longest way back to the start could
 * not bring the cycle within tolerance of the worst ratio. Ways are measured in reduced
 * cycles (latency − worst ratio × iterations), of which no cycle has more than 0.
 */
#include <stdlib.h>
#include <string.h>

#include "bounds/carried.h"

#define STEPS_MAX 400000u
#define ITERATIONS_MAX 12u
/* Search tables are (carried defs × defs); above this only the worst cycle is listed. */
#define TABLE_MAX ((size_t)8 << 20)
#define SEARCH_DEFS_MAX 4096u
#define UNREACHABLE (-1e18)
#define EPSILON 1e-9

struct search {
	const struct takt_graph *graph;
	const struct takt_carried *carried;
	struct takt_arena *arena;
	double ratio, tolerance;
	double *back;        /* [node × count + node]: most reduced cycles, any iterations */
	int64_t *to_node;    /* [node × def_count + def]: longest way def → node this iteration */
	uint32_t *first_out, *outs; /* edges by `from` */
	uint32_t start;      /* node */
	uint32_t *path;      /* edges taken */
	uint32_t length;
	bool *visited;       /* by def */
	uint32_t steps, most;
	struct takt_ratio_cycle *found;
	uint32_t found_count;
	bool truncated;
};

static void index_outs(struct search *search)
{
	const struct takt_graph *graph = search->graph;
	uint32_t *next;

	search->first_out = TAKT_NEW_ARRAY(search->arena, graph->def_count + 1, uint32_t);
	search->outs = TAKT_NEW_ARRAY(search->arena, graph->edge_count, uint32_t);
	for (uint32_t e = 0; e < graph->edge_count; e++)
		if (graph->edges[e].from != TAKT_NO_DEF)
			search->first_out[graph->edges[e].from + 1]++;
	for (uint32_t def = 0; def < graph->def_count; def++)
		search->first_out[def + 1] += search->first_out[def];
	next = takt_arena_grow(search->arena, search->first_out, graph->def_count,
			       graph->def_count + 1, sizeof(*next));
	for (uint32_t e = 0; e < graph->edge_count; e++)
		if (graph->edges[e].from != TAKT_NO_DEF)
			search->outs[next[graph->edges[e].from]++] = e;
}

/* Longest ways to each carried def within an iteration, from every def, by going backwards. */
static void fill_to_node(struct search *search)
{
	const struct takt_graph *graph = search->graph;
	uint32_t defs = graph->def_count;

	search->to_node =
		TAKT_NEW_ARRAY(search->arena, (size_t)search->carried->count * defs, int64_t);
	for (uint32_t node = 0; node < search->carried->count; node++) {
		int64_t *ways = search->to_node + (size_t)node * defs;

		for (uint32_t def = 0; def < defs; def++)
			ways[def] = TAKT_NO_WAY;
		ways[search->carried->defs[node]] = 0;
		for (uint32_t def = defs; def--;) {
			if (ways[def] == TAKT_NO_WAY)
				continue;
			for (uint32_t e = graph->first_edge[def]; e < graph->first_edge[def + 1];
			     e++) {
				const struct takt_edge *edge = &graph->edges[e];
				int64_t way = ways[def] + edge->latency_cycles;

				if (edge->from != TAKT_NO_DEF && !edge->iterations &&
				    way > ways[edge->from])
					ways[edge->from] = way;
			}
		}
	}
}

/* Most reduced cycles between nodes over any number of iterations (Floyd, Warshall). */
static void fill_back(struct search *search)
{
	uint32_t n = search->carried->count;
	double *back = TAKT_NEW_ARRAY(search->arena, (size_t)n * n, double);

	for (size_t i = 0; i < (size_t)n * n; i++)
		back[i] = search->carried->cycles[i] == TAKT_NO_WAY
				  ? UNREACHABLE
				  : (double)search->carried->cycles[i] - search->ratio;
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t j = 0; j < n; j++) {
				double way = back[(size_t)i * n + k] + back[(size_t)k * n + j];

				if (way > back[(size_t)i * n + j])
					back[(size_t)i * n + j] = way;
			}
	for (uint32_t i = 0; i < n; i++)
		if (back[(size_t)i * n + i] < 0)
			back[(size_t)i * n + i] = 0; /* being there already */
	search->back = back;
}

/* The most reduced cycles that can still be gathered from `def` back to the start. */
static double best_return(const struct search *search, uint32_t def)
{
	uint32_t n = search->carried->count, defs = search->graph->def_count;
	double best = UNREACHABLE;

	for (uint32_t node = 0; node < n; node++) {
		int64_t way = search->to_node[(size_t)node * defs + def];
		double total;

		if (way == TAKT_NO_WAY)
			continue;
		total = (double)way + search->back[(size_t)node * n + search->start];
		if (total > best)
			best = total;
	}
	return best;
}

static bool same_members(const struct search *search, const struct takt_ratio_cycle *left,
			 const struct takt_ratio_cycle *right)
{
	if (left->count != right->count || left->iterations != right->iterations)
		return false;
	for (uint32_t i = 0; i < left->count; i++)
		if (search->graph->defs[left->defs[i]].insn !=
		    search->graph->defs[right->defs[i]].insn)
			return false;
	return true;
}

/* Keeps the cycle on the path unless the same instructions are listed already. */
static void keep_cycle(struct search *search, int64_t cycles, uint32_t iterations)
{
	uint32_t *defs = TAKT_NEW_ARRAY(search->arena, search->length, uint32_t);
	uint16_t *latencies = TAKT_NEW_ARRAY(search->arena, search->length, uint16_t);
	struct takt_ratio_cycle cycle = {.cycles_per_iteration = (double)cycles / iterations,
					 .iterations = iterations,
					 .defs = defs,
					 .latencies = latencies,
					 .count = search->length};

	for (uint32_t i = 0; i < search->length; i++) {
		defs[i] = search->graph->edges[search->path[i]].to;
		latencies[i] = search->graph->edges[search->path[i]].latency_cycles;
	}
	for (uint32_t i = 0; i < search->found_count; i++) {
		if (!same_members(search, &search->found[i], &cycle))
			continue;
		if (search->found[i].cycles_per_iteration < cycle.cycles_per_iteration)
			search->found[i] = cycle;
		return;
	}
	if (search->found_count == search->most) {
		search->truncated = true;
		return;
	}
	search->found[search->found_count++] = cycle;
}

/* Extends the path, which ends in `def` after `cycles` and `iterations`. */
static void extend(struct search *search, uint32_t def, int64_t cycles, uint32_t iterations)
{
	const struct takt_graph *graph = search->graph;
	uint32_t start_def = search->carried->defs[search->start];
	double slack = search->tolerance * search->ratio * ITERATIONS_MAX;

	if (search->steps++ > STEPS_MAX || search->length >= graph->def_count) {
		search->truncated = search->truncated || search->steps > STEPS_MAX;
		return;
	}
	for (uint32_t i = search->first_out[def]; i < search->first_out[def + 1]; i++) {
		const struct takt_edge *edge = &graph->edges[search->outs[i]];
		uint32_t node = search->carried->node_of[edge->to];
		int64_t now = cycles + edge->latency_cycles;
		uint32_t crossed = iterations + edge->iterations;

		if (crossed > ITERATIONS_MAX || (node != UINT32_MAX && node < search->start))
			continue;
		search->path[search->length] = search->outs[i];
		if (edge->to == start_def && crossed) {
			search->length++;
			if ((double)now + EPSILON >=
			    (1 - search->tolerance) * search->ratio * crossed)
				keep_cycle(search, now, crossed);
			search->length--;
			continue;
		}
		if (search->visited[edge->to] ||
		    (double)now - search->ratio * crossed + best_return(search, edge->to) <
			    -slack - EPSILON)
			continue;
		search->visited[edge->to] = true;
		search->length++;
		extend(search, edge->to, now, crossed);
		search->length--;
		search->visited[edge->to] = false;
	}
}

static int compare_cycles(const void *left, const void *right)
{
	const struct takt_ratio_cycle *a = left, *b = right;

	if (a->cycles_per_iteration != b->cycles_per_iteration)
		return a->cycles_per_iteration > b->cycles_per_iteration ? -1 : 1;
	if (a->iterations != b->iterations)
		return a->iterations < b->iterations ? -1 : 1;
	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	for (uint32_t i = 0; i < a->count; i++)
		if (a->defs[i] != b->defs[i])
			return a->defs[i] < b->defs[i] ? -1 : 1;
	return 0;
}

static void search_all(struct search *search)
{
	index_outs(search);
	fill_to_node(search);
	fill_back(search);
	search->path = TAKT_NEW_ARRAY(search->arena, search->graph->def_count + 1, uint32_t);
	search->visited = TAKT_NEW_ARRAY(search->arena, search->graph->def_count, bool);
	for (search->start = 0; search->start < search->carried->count; search->start++)
		extend(search, search->carried->defs[search->start], 0, 0);
	qsort(search->found, search->found_count, sizeof(*search->found), compare_cycles);
}

void takt_loop_carried(const struct takt_graph *graph, double tolerance, uint32_t most,
		       struct takt_arena *arena, struct takt_loop_carried *ret_loop_carried)
{
	struct search search = {
		.graph = graph, .arena = arena, .tolerance = tolerance, .most = most};
	struct takt_carried carried;
	struct takt_cycle_ratio ratio;

	*ret_loop_carried = (struct takt_loop_carried){0};
	if (!graph->def_count)
		return;
	takt_carried_build(graph, arena, &carried);
	ratio = takt_carried_ratio(&carried, arena);
	if (!ratio.cycles)
		return;
	search.carried = &carried;
	search.ratio = (double)ratio.cycles / (double)ratio.iterations;
	search.found = TAKT_NEW_ARRAY(arena, most, struct takt_ratio_cycle);
	if (graph->def_count <= SEARCH_DEFS_MAX &&
	    (size_t)carried.count * graph->def_count <= TABLE_MAX)
		search_all(&search);
	if (!search.found_count) { /* too large, or every step went elsewhere */
		takt_worst_cycle(graph, &carried, ratio, arena, &search.found[0]);
		search.found_count = 1;
		search.truncated = true;
	}
	*ret_loop_carried = (struct takt_loop_carried){.cycles = search.ratio,
						       .worst = search.found,
						       .count = search.found_count,
						       .truncated = search.truncated};
}
