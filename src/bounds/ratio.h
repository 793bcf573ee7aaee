/* SPDX-License-Identifier: MIT */
/*
 * ratio: the maximum of latency over iterations among all cycles, by improving a
 * guess p/q. At that guess an edge gains q × latency − p × iterations. The longest
 * walks are relaxed in program order, one sweep an iteration; while the guess is too
 * low some cycle gains and shows among the edges that the walks came by, and its ratio
 * is the next guess. Once nothing moves no cycle gains, and the guess is the maximum.
 * All in integers. Linear in the graph for each sweep; few are needed in practice, and
 * the number of values carried from iteration to iteration does not matter.
 */
#ifndef TAKT_BOUNDS_RATIO_H
#define TAKT_BOUNDS_RATIO_H

#include "bounds/bounds.h"

struct takt_worst {
	int64_t cycles, iterations; /* the ratio in lowest terms; 0/1 if no cycle takes time */
	const int64_t *walks;	    /* per def: the most that a walk ending in it gains */
	const uint32_t *edges;	    /* a cycle that attains the ratio, in order */
	uint32_t edge_count;
};

void takt_worst_find(const struct takt_graph *graph, struct takt_arena *arena,
		     struct takt_worst *ret_worst);

/*
 * How much the edge (not a live-in) falls short of the walks, never negative. A cycle
 * over k iterations falls short, in sum over its edges, by k × cycles − its latency ×
 * iterations: 0 for a worst cycle.
 */
static inline int64_t takt_edge_shortfall(const struct takt_worst *worst,
					  const struct takt_edge *edge)
{
	int64_t gain =
		worst->iterations * edge->latency_cycles - edge->iterations * worst->cycles;

	return worst->walks[edge->to] - worst->walks[edge->from] - gain;
}

#endif
