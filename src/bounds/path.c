/* SPDX-License-Identifier: MIT */
/* Critical path: the longest chain of latencies through one iteration. */
#include "bounds/bounds.h"

/* The longest path to a def. */
struct longest_path {
	uint64_t cycles;
	uint32_t edge; /* its last edge, an index into graph->edges, or UINT32_MAX */
};

static void find_longest_paths(const struct takt_graph *graph, struct longest_path *longest)
{
	for (uint32_t def = 0; def < graph->def_count; def++) {
		longest[def] = (struct longest_path){0, UINT32_MAX};
		for (uint32_t e = graph->first_edge[def]; e < graph->first_edge[def + 1]; e++) {
			const struct takt_edge *edge = &graph->edges[e];
			uint64_t cycles = edge->latency_cycles;

			/* Results of earlier iterations are ready when this one starts. */
			if (edge->from != TAKT_NO_DEF && !edge->iterations)
				cycles += longest[edge->from].cycles;
			if (longest[def].edge == UINT32_MAX || cycles > longest[def].cycles)
				longest[def] = (struct longest_path){cycles, e};
		}
	}
}

void takt_critical_path(const struct takt_graph *graph, struct takt_arena *arena,
			struct takt_path *ret_path)
{
	struct longest_path *longest = TAKT_NEW_ARRAY(arena, graph->def_count, struct longest_path);
	uint32_t last = TAKT_NO_DEF, count = 0;
	uint32_t *defs;
	uint16_t *latencies;

	find_longest_paths(graph, longest);
	for (uint32_t def = 0; def < graph->def_count; def++)
		if (last == TAKT_NO_DEF || longest[def].cycles > longest[last].cycles)
			last = def;
	for (uint32_t def = last; def != TAKT_NO_DEF; count++) {
		const struct takt_edge *edge =
			longest[def].edge == UINT32_MAX ? NULL : &graph->edges[longest[def].edge];

		def = edge && !edge->iterations ? edge->from : TAKT_NO_DEF;
	}
	defs = TAKT_NEW_ARRAY(arena, count, uint32_t);
	latencies = TAKT_NEW_ARRAY(arena, count, uint16_t);
	*ret_path =
		(struct takt_path){.cycles = last == TAKT_NO_DEF ? 0 : (double)longest[last].cycles,
				   .defs = defs,
				   .latencies = latencies,
				   .count = count};
	for (uint32_t def = last; count--;) {
		const struct takt_edge *edge =
			longest[def].edge == UINT32_MAX ? NULL : &graph->edges[longest[def].edge];

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
