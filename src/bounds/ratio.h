/* SPDX-License-Identifier: MIT */
/*
 * ratio: the maximum of latency over iterations among all recurrences, by improving a
 * guess p/q. At that guess an edge gains q × latency − p × iterations. The longest
 * walks are relaxed in program order, one sweep per iteration. While the guess is too
 * low, some recurrence has a positive gain and shows among the edges by which the walks came;
 * its ratio is the next guess. Once no walk grows, no recurrence has a gain, and the guess is
 * the maximum. All arithmetic is in integers. A sweep is linear in the graph; few are needed
 * in practice, and the number of values carried from iteration to iteration does not matter.
 */
#ifndef TAKT_BOUNDS_RATIO_H
#define TAKT_BOUNDS_RATIO_H

#include "bounds/bounds.h"

struct takt_worst {
	int64_t cycles, iterations; /* ratio in lowest terms; 0/1 if no recurrence takes time */
	const int64_t *walks;	    /* per def: greatest gain of a walk that ends in it */
	const uint32_t *edges;	    /* edges, in order, of a recurrence that attains the ratio */
	uint32_t edge_count;
};

/* Find the maximum ratio and a recurrence that attains it. */
void takt_worst_find(const struct takt_graph *graph, struct takt_arena *arena,
		     struct takt_worst *ret_worst);

/*
 * Return by how much the edge (not a live-in's) falls short of the walks; never negative. The
 * shortfalls along a recurrence over k iterations add up to k × cycles − its latency ×
 * iterations: 0 for a worst recurrence.
 */
static inline int64_t takt_edge_shortfall(const struct takt_worst *worst,
					  const struct takt_edge *edge)
{
	int64_t gain = worst->iterations * edge->latency_cycles - edge->iterations * worst->cycles;

	return worst->walks[edge->to] - worst->walks[edge->from] - gain;
}

#endif
