/* SPDX-License-Identifier: MIT */
/*
 * near: the part of a graph that cycles near the worst one can be made of, in strongly
 * connected components, so that a search for such cycles looks at little else.
 */
#ifndef TAKT_BOUNDS_NEAR_H
#define TAKT_BOUNDS_NEAR_H

#include "bounds/ratio.h"

/* Defs of which each is on a cycle with each other. */
struct takt_component {
	uint32_t first, count; /* in takt_near.members */
	uint32_t iterations;   /* that its cycles can span at most: the sum of its starts' */
};

struct takt_near {
	const struct takt_graph *graph;
	const struct takt_worst *worst;
	/* How much a cycle may fall short for each of its iterations (takt_edge_shortfall). */
	double allowance;
	bool *edge_is_near;	/* per edge */
	/* Per def: the most that a near edge from it spans; it is a start if not 0. */
	uint16_t *start_iterations;
	uint32_t *component_of; /* per def */
	struct takt_component *components;
	uint32_t component_count;
	uint32_t *members; /* defs by component, ascending within each */
};

/* Cycles within `tolerance` of `worst`, of which there must be one. */
void takt_near_find(const struct takt_graph *graph, const struct takt_worst *worst,
		    double tolerance, struct takt_arena *arena, struct takt_near *ret_near);

/* Whether a cycle may fall short so much; the slight excess is for rounding. */
static inline bool takt_near_allows(const struct takt_near *near, int64_t shortfall,
				    uint32_t iterations)
{
	return (double)shortfall <= near->allowance * iterations * (1 + 1e-12);
}

#endif
