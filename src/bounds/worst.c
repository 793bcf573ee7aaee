/* SPDX-License-Identifier: MIT */
/* One critical cycle of a graph too large to search. */
#include <assert.h>
#include <string.h>

#include "bounds/carried.h"

/*
 * Potentials at the critical ratio: longest reduced walks, by relaxation. Reduced
 * cycles of an edge are cycles × iterations of the ratio − its cycles, an integer, so
 * that "on a critical cycle" is an exact test. Needs at most n rounds: no cycle gains.
 */
static int64_t *find_potentials(const struct takt_carried *carried, struct takt_cycle_ratio ratio,
				struct takt_arena *arena)
{
	uint32_t n = carried->count;
	int64_t *potential = TAKT_NEW_ARRAY(arena, n, int64_t);
	bool changed = true;

	for (uint32_t round = 0; changed && round <= n; round++) {
		changed = false;
		for (uint32_t u = 0; u < n; u++)
			for (uint32_t v = 0; v < n; v++) {
				int64_t cycles = carried->cycles[(size_t)u * n + v];
				int64_t way;

				if (cycles == TAKT_NO_WAY)
					continue;
				way = potential[u] + cycles * ratio.iterations - ratio.cycles;
				if (way <= potential[v])
					continue;
				potential[v] = way;
				changed = true;
			}
	}
	return potential;
}

static bool is_tight(const struct takt_carried *carried, struct takt_cycle_ratio ratio,
		     const int64_t *potential, uint32_t from, uint32_t to)
{
	int64_t cycles = carried->cycles[(size_t)from * carried->count + to];

	return cycles != TAKT_NO_WAY &&
	       potential[from] + cycles * ratio.iterations - ratio.cycles == potential[to];
}

/* A cycle of tight edges, by depth-first search; fills `nodes`, returns its length. */
static uint32_t find_tight_cycle(const struct takt_carried *carried, struct takt_cycle_ratio ratio,
				 const int64_t *potential, struct takt_arena *arena,
				 uint32_t *nodes)
{
	uint32_t n = carried->count;
	uint32_t *next = TAKT_NEW_ARRAY(arena, n, uint32_t);
	uint32_t *place = TAKT_NEW_ARRAY(arena, n, uint32_t); /* 1 + index on the path */
	bool *done = TAKT_NEW_ARRAY(arena, n, bool);

	for (uint32_t start = 0; start < n; start++) {
		uint32_t length = 0;

		if (done[start])
			continue;
		nodes[length++] = start;
		place[start] = 1;
		while (length) {
			uint32_t at = nodes[length - 1], to = next[at]++;

			if (to == n) {
				done[at] = true;
				place[at] = 0;
				length--;
			} else if (!done[to] && is_tight(carried, ratio, potential, at, to)) {
				if (place[to]) {
					uint32_t first = place[to] - 1;

					memmove(nodes, nodes + first,
						(length - first) * sizeof(*nodes));
					return length - first;
				}
				nodes[length++] = to;
				place[to] = length;
			}
		}
	}
	return 0;
}

/* Writes the defs of the longest way from one carried def to another, last first. */
static uint32_t trace_way(const struct takt_graph *graph, uint32_t from_def, uint32_t to_def,
			  int64_t *ways, uint32_t *defs, uint16_t *latencies)
{
	uint32_t count = 0, def = to_def;

	takt_carried_ways(graph, from_def, ways);
	for (;;) {
		uint32_t e = graph->first_edge[def], before = TAKT_NO_DEF;

		for (; e < graph->first_edge[def + 1]; e++) {
			const struct takt_edge *edge = &graph->edges[e];

			if (edge->from == TAKT_NO_DEF)
				continue;
			if (edge->iterations && edge->from == from_def &&
			    ways[def] == edge->latency_cycles)
				break;
			if (!edge->iterations && ways[edge->from] != TAKT_NO_WAY &&
			    ways[edge->from] + edge->latency_cycles == ways[def]) {
				before = edge->from;
				break;
			}
		}
		assert(e < graph->first_edge[def + 1]);
		defs[count] = def;
		latencies[count++] = graph->edges[e].latency_cycles;
		if (before == TAKT_NO_DEF)
			return count;
		def = before;
	}
}

void takt_worst_cycle(const struct takt_graph *graph, const struct takt_carried *carried,
		      struct takt_cycle_ratio ratio, struct takt_arena *arena,
		      struct takt_ratio_cycle *ret_cycle)
{
	int64_t *potential = find_potentials(carried, ratio, arena);
	uint32_t *nodes = TAKT_NEW_ARRAY(arena, carried->count + 1, uint32_t);
	uint32_t length = find_tight_cycle(carried, ratio, potential, arena, nodes);
	int64_t *ways = TAKT_NEW_ARRAY(arena, graph->def_count, int64_t);
	uint32_t *defs = TAKT_NEW_ARRAY(arena, (size_t)length * graph->def_count, uint32_t);
	uint16_t *latencies = TAKT_NEW_ARRAY(arena, (size_t)length * graph->def_count, uint16_t);
	uint32_t count = 0;

	for (uint32_t i = 0; i < length; i++) {
		uint32_t from = carried->defs[nodes[i]], to = carried->defs[nodes[(i + 1) % length]];
		uint32_t added = trace_way(graph, from, to, ways, defs + count, latencies + count);

		for (uint32_t a = count, b = count + added - 1; a < b; a++, b--) {
			uint32_t def = defs[a];
			uint16_t latency = latencies[a];

			defs[a] = defs[b];
			defs[b] = def;
			latencies[a] = latencies[b];
			latencies[b] = latency;
		}
		count += added;
	}
	*ret_cycle = (struct takt_ratio_cycle){
		.cycles_per_iteration = (double)ratio.cycles / (double)ratio.iterations,
		.iterations = length,
		.defs = defs,
		.latencies = latencies,
		.count = count};
}
