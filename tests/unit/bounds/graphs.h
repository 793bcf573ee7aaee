/* SPDX-License-Identifier: MIT */
/* Graphs by hand and at random, and all their cycles by plain search. */
#ifndef TAKT_TESTS_BOUNDS_GRAPHS_H
#define TAKT_TESTS_BOUNDS_GRAPHS_H

#include "../tap.h"
#include "bounds/bounds.h"

static uint32_t random_state = 99;

static inline uint32_t next_random(uint32_t limit)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (random_state >> 8) % limit;
}

static inline int compare_edges(const void *left, const void *right)
{
	const struct takt_edge *a = left, *b = right;

	return a->to < b->to ? -1 : a->to > b->to;
}

/* `insn_defs` defs in a row belong to one instruction; edges in any order, sorted here. */
static inline struct takt_graph make_graph(struct takt_arena *arena, uint32_t defs,
					   uint32_t insn_defs, const struct takt_edge *edges,
					   uint32_t count)
{
	struct takt_edge *sorted = TAKT_NEW_ARRAY(arena, count, struct takt_edge);
	struct takt_def *list = TAKT_NEW_ARRAY(arena, defs, struct takt_def);
	uint32_t *first = TAKT_NEW_ARRAY(arena, defs + 1, uint32_t);

	if (count)
		memcpy(sorted, edges, count * sizeof(*edges));
	qsort(sorted, count, sizeof(*sorted), compare_edges);
	for (uint32_t i = 0; i < count; i++)
		first[sorted[i].to + 1]++;
	for (uint32_t i = 0; i < defs; i++) {
		first[i + 1] += first[i];
		list[i].insn = i / insn_defs;
	}
	return (struct takt_graph){.defs = list,
				   .def_count = defs,
				   .edges = sorted,
				   .first_edge = first,
				   .edge_count = count,
				   .insn_count = (defs + insn_defs - 1) / insn_defs};
}

#define RANDOM_ITERATIONS_MAX 5u

/* Within an iteration edges lead forward. Of the others most span one. */
static inline struct takt_graph random_graph(struct takt_arena *arena, uint32_t defs,
					     uint32_t insn_defs, uint32_t edge_count,
					     uint32_t latency_limit)
{
	struct takt_edge *edges = TAKT_NEW_ARRAY(arena, edge_count, struct takt_edge);

	for (uint32_t i = 0; i < edge_count; i++) {
		uint32_t from = next_random(defs + 1), to = next_random(defs);
		bool live_in = from == defs;
		bool carried = !live_in && (from >= to || next_random(4) == 0);
		uint32_t span = next_random(3) ? 1 : 1 + next_random(RANDOM_ITERATIONS_MAX);

		edges[i] =
			(struct takt_edge){.from = live_in ? TAKT_NO_DEF : from,
					   .to = to,
					   .iterations = (uint16_t)(carried ? span : 0),
					   .latency_cycles = (uint16_t)next_random(latency_limit)};
	}
	return make_graph(arena, defs, insn_defs, edges, edge_count);
}

#define BRUTE_DEFS_MAX 16u

/* An elementary cycle as its defs from the least on; latency and iterations in sum. */
struct brute_cycle {
	uint8_t defs[BRUTE_DEFS_MAX];
	uint32_t count, cycles, iterations;
};

struct brute {
	const struct takt_graph *graph;
	bool visited[BRUTE_DEFS_MAX];
	struct brute_cycle path;
	struct brute_cycle *cycles;
	uint32_t count, room;
	double worst;
};

static inline void brute_extend(struct brute *brute, uint32_t start, uint32_t def)
{
	const struct brute_cycle before = brute->path;

	for (uint32_t e = 0; e < brute->graph->edge_count; e++) {
		const struct takt_edge *edge = &brute->graph->edges[e];

		if (edge->from != def || edge->to < start || brute->visited[edge->to])
			continue;
		brute->path.cycles += edge->latency_cycles;
		brute->path.iterations += edge->iterations;
		if (edge->to == start) {
			double ratio = (double)brute->path.cycles / brute->path.iterations;

			if (brute->count == brute->room)
				abort();
			brute->cycles[brute->count++] = brute->path;
			brute->worst = ratio > brute->worst ? ratio : brute->worst;
		} else {
			brute->visited[edge->to] = true;
			brute->path.defs[brute->path.count++] = (uint8_t)edge->to;
			brute_extend(brute, start, edge->to);
			brute->visited[edge->to] = false;
		}
		brute->path = before;
	}
}

/* Every elementary cycle of the graph, those by parallel edges apart. */
static inline struct brute brute_force(const struct takt_graph *graph, struct takt_arena *arena)
{
	struct brute brute = {.graph = graph, .room = 100000};

	brute.cycles = TAKT_NEW_ARRAY(arena, brute.room, struct brute_cycle);
	for (uint32_t start = 0; start < graph->def_count; start++) {
		brute.path = (struct brute_cycle){.count = 1};
		brute.path.defs[0] = (uint8_t)start;
		brute_extend(&brute, start, start);
	}
	return brute;
}

#endif
