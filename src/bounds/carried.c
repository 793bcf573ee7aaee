/* SPDX-License-Identifier: MIT */
/* The carried graph and its maximum cycle mean. */
#include <string.h>

#include "bounds/carried.h"

/* Nodes: defs at the tail of an edge into the next iteration. */
static void find_nodes(const struct takt_graph *graph, struct takt_arena *arena,
		       struct takt_carried *carried)
{
	uint32_t *node_of = TAKT_NEW_ARRAY(arena, graph->def_count, uint32_t);
	uint32_t *defs, count = 0;

	memset(node_of, 0xff, graph->def_count * sizeof(*node_of));
	for (uint32_t e = 0; e < graph->edge_count; e++) {
		const struct takt_edge *edge = &graph->edges[e];

		if (!edge->iterations || edge->from == TAKT_NO_DEF ||
		    node_of[edge->from] != UINT32_MAX)
			continue;
		node_of[edge->from] = 0;
		count++;
	}
	defs = TAKT_NEW_ARRAY(arena, count, uint32_t);
	carried->count = 0;
	for (uint32_t def = 0; carried->count < count; def++) {
		if (node_of[def] == UINT32_MAX)
			continue;
		defs[carried->count] = def;
		node_of[def] = carried->count++;
	}
	carried->defs = defs;
	carried->node_of = node_of;
}

void takt_carried_ways(const struct takt_graph *graph, uint32_t from_def, int64_t *ways)
{
	for (uint32_t def = 0; def < graph->def_count; def++) {
		int64_t longest = TAKT_NO_WAY;

		for (uint32_t e = graph->first_edge[def]; e < graph->first_edge[def + 1]; e++) {
			const struct takt_edge *edge = &graph->edges[e];
			int64_t way = TAKT_NO_WAY;

			if (edge->from == TAKT_NO_DEF)
				continue;
			if (!edge->iterations && ways[edge->from] != TAKT_NO_WAY)
				way = ways[edge->from] + edge->latency_cycles;
			else if (edge->iterations && edge->from == from_def)
				way = edge->latency_cycles;
			if (way > longest)
				longest = way;
		}
		ways[def] = longest;
	}
}

void takt_carried_build(const struct takt_graph *graph, struct takt_arena *arena,
			struct takt_carried *ret_carried)
{
	int64_t *ways, *cycles;
	uint32_t count;

	find_nodes(graph, arena, ret_carried);
	count = ret_carried->count;
	ways = TAKT_NEW_ARRAY(arena, graph->def_count, int64_t);
	cycles = TAKT_NEW_ARRAY(arena, (size_t)count * count, int64_t);
	for (uint32_t from = 0; from < count; from++) {
		takt_carried_ways(graph, ret_carried->defs[from], ways);
		for (uint32_t to = 0; to < count; to++)
			cycles[(size_t)from * count + to] = ways[ret_carried->defs[to]];
	}
	ret_carried->cycles = cycles;
}

static bool ratio_less(struct takt_cycle_ratio left, struct takt_cycle_ratio right)
{
	return left.cycles * right.iterations < right.cycles * left.iterations;
}

/*
 * walks[k × count + v]: the most cycles of a walk of k edges that ends in v, from
 * anywhere (which is Karp's source joined to every node at no cost).
 */
static void fill_walks(const struct takt_carried *carried, int64_t *walks)
{
	uint32_t n = carried->count;

	memset(walks, 0, n * sizeof(*walks));
	for (uint32_t k = 1; k <= n; k++) {
		const int64_t *before = walks + (size_t)(k - 1) * n;
		int64_t *now = walks + (size_t)k * n;

		for (uint32_t v = 0; v < n; v++)
			now[v] = TAKT_NO_WAY;
		for (uint32_t u = 0; u < n; u++) {
			const int64_t *row = carried->cycles + (size_t)u * n;

			if (before[u] == TAKT_NO_WAY)
				continue;
			for (uint32_t v = 0; v < n; v++)
				if (row[v] != TAKT_NO_WAY && before[u] + row[v] > now[v])
					now[v] = before[u] + row[v];
		}
	}
}

struct takt_cycle_ratio takt_carried_ratio(const struct takt_carried *carried,
					   struct takt_arena *arena)
{
	struct takt_cycle_ratio best = {0, 1};
	uint32_t n = carried->count;
	int64_t *walks;

	if (!n)
		return best;
	walks = TAKT_NEW_ARRAY(arena, (size_t)(n + 1) * n, int64_t);
	fill_walks(carried, walks);
	for (uint32_t v = 0; v < n; v++) {
		int64_t longest = walks[(size_t)n * n + v];
		struct takt_cycle_ratio least = {INT32_MAX, 1};

		if (longest == TAKT_NO_WAY)
			continue;
		for (uint32_t k = 0; k < n; k++) {
			int64_t shorter = walks[(size_t)k * n + v];
			struct takt_cycle_ratio mean = {longest - shorter, n - k};

			if (shorter != TAKT_NO_WAY && ratio_less(mean, least))
				least = mean;
		}
		if (ratio_less(best, least))
			best = least;
	}
	return best;
}

double takt_loop_carried_bound(const struct takt_graph *graph, struct takt_arena *arena)
{
	struct takt_carried carried;
	struct takt_cycle_ratio ratio;

	if (!graph->def_count)
		return 0;
	takt_carried_build(graph, arena, &carried);
	ratio = takt_carried_ratio(&carried, arena);
	return (double)ratio.cycles / (double)ratio.iterations;
}
