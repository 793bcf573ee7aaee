/* SPDX-License-Identifier: MIT */
/*
 * near_recurrences: the edges of a graph that can be on a recurrence near the worst one, in
 * strongly connected components, so that a search for such recurrences looks at little else.
 */
#ifndef TAKT_BOUNDS_NEAR_RECURRENCES_H
#define TAKT_BOUNDS_NEAR_RECURRENCES_H

#include "bounds/ratio.h"

/* A strongly connected component: any two of its defs are on a common closed walk. */
struct takt_component {
	uint32_t first, count; /* range in takt_near.members */
	uint32_t iterations;   /* most that its recurrences can span: the sum over its starts */
};

struct takt_near {
	const struct takt_graph *graph;
	const struct takt_worst *worst;
	/* Shortfall (takt_edge_shortfall) allowed for each iteration that a recurrence spans. */
	double allowance;
	bool *edge_is_near; /* per edge */
	/* Per def: most iterations that a near edge from it spans; if not 0, the def is a start. */
	uint16_t *start_iterations;
	uint32_t *component_of; /* per def */
	struct takt_component *components;
	uint32_t component_count;
	uint32_t *members; /* defs by component, ascending within each */
};

/* Find the edges for recurrences within `tolerance` of `worst`, which must have a recurrence. */
void takt_near_find(const struct takt_graph *graph, const struct takt_worst *worst,
		    double tolerance, struct takt_arena *arena, struct takt_near *ret_near);

/* True if a recurrence over `iterations` may have the shortfall; 1e-12 is for rounding. */
static inline bool takt_near_allows(const struct takt_near *near, int64_t shortfall,
				    uint32_t iterations)
{
	return (double)shortfall <= near->allowance * iterations * (1 + 1e-12);
}

#endif
