/* SPDX-License-Identifier: MIT */
/* Critical path: the longest chain of latencies through one iteration. */
#include "bounds/bounds.h"

/* The longest path to a def. */
struct way {
	uint64_t cycles;
	uint32_t edge; /* its last edge, an index into graph->edges, or UINT32_MAX */
};

static void find_ways(const struct takt_graph *graph, struct way *ways)
{
	for (uint32_t def = 0; def < graph->def_count; def++) {
		ways[def] = (struct way){0, UINT32_MAX};
		for (uint32_t e = graph->first_edge[def]; e < graph->first_edge[def + 1]; e++) {
			const struct takt_edge *edge = &graph->edges[e];
			uint64_t cycles = edge->latency_cycles;

			/* Results of earlier iterations are ready when this one starts. */
			if (edge->from != TAKT_NO_DEF && !edge->iterations)
				cycles += ways[edge->from].cycles;
			if (ways[def].edge == UINT32_MAX || cycles > ways[def].cycles)
				ways[def] = (struct way){cycles, e};
		}
	}
}

void takt_critical_path(const struct takt_graph *graph, struct takt_arena *arena,
			struct takt_path *ret_path)
{
	struct way *ways = TAKT_NEW_ARRAY(arena, graph->def_count, struct way);
	uint32_t last = TAKT_NO_DEF, count = 0;
	uint32_t *defs;
	uint16_t *latencies;

	find_ways(graph, ways);
	for (uint32_t def = 0; def < graph->def_count; def++)
		if (last == TAKT_NO_DEF || ways[def].cycles > ways[last].cycles)
			last = def;
	for (uint32_t def = last; def != TAKT_NO_DEF; count++) {
		const struct takt_edge *edge =
			ways[def].edge == UINT32_MAX ? NULL : &graph->edges[ways[def].edge];

		def = edge && !edge->iterations ? edge->from : TAKT_NO_DEF;
	}
	defs = TAKT_NEW_ARRAY(arena, count, uint32_t);
	latencies = TAKT_NEW_ARRAY(arena, count, uint16_t);
	*ret_path =
		(struct takt_path){.cycles = last == TAKT_NO_DEF ? 0 : (double)ways[last].cycles,
				   .defs = defs,
				   .latencies = latencies,
				   .count = count};
	for (uint32_t def = last; count--;) {
		const struct takt_edge *edge =
			ways[def].edge == UINT32_MAX ? NULL : &graph->edges[ways[def].edge];

		defs[count] = def;
		latencies[count] = edge ? edge->latency_cycles : 0;
		def = edge ? edge->from : TAKT_NO_DEF;
	}
}

/* One pass suffices: defs come in the order of their instructions, and edges within an iteration
 * lead forward. */
double takt_critical_path_of_instructions(const struct takt_graph *graph, struct takt_arena *arena)
{
	uint64_t *ends = TAKT_NEW_ARRAY(arena, graph->insn_count, uint64_t);
	uint64_t longest = 0;

	for (uint32_t def = 0; def < graph->def_count;) {
		uint32_t insn = graph->defs[def].insn;
		uint64_t begin = 0, latency = 0;

		for (; def < graph->def_count && graph->defs[def].insn == insn; def++) {
			for (uint32_t e = graph->first_edge[def]; e < graph->first_edge[def + 1];
			     e++) {
				const struct takt_edge *edge = &graph->edges[e];

				if (edge->latency_cycles > latency)
					latency = edge->latency_cycles;
				if (edge->from == TAKT_NO_DEF || edge->iterations)
					continue;
				if (ends[graph->defs[edge->from].insn] > begin)
					begin = ends[graph->defs[edge->from].insn];
			}
		}
		ends[insn] = begin + latency;
		if (ends[insn] > longest)
			longest = ends[insn];
	}
	return (double)longest;
}
