/* SPDX-License-Identifier: MIT */
/*
 * The carried graph: its nodes are the defs that the next iteration reads, its edge
 * (a, b) the longest way from a's value of the previous iteration to b's of this one.
 * Iterations are crossed through these nodes only, so cycles of the whole graph are
 * cycles here, each edge one iteration. At most as many nodes as there are locations
 * and store addresses, however long the block.
 */
#ifndef TAKT_BOUNDS_CARRIED_H
#define TAKT_BOUNDS_CARRIED_H

#include "bounds/bounds.h"

#define TAKT_NO_WAY (-1)

struct takt_carried {
	uint32_t count;
	const uint32_t *defs;    /* node → def */
	const uint32_t *node_of; /* def → node, or UINT32_MAX */
	const int64_t *cycles;   /* [from × count + to], TAKT_NO_WAY if there is no way */
};

/* latency / iterations of a cycle. */
struct takt_cycle_ratio {
	int64_t cycles, iterations;
};

void takt_carried_build(const struct takt_graph *graph, struct takt_arena *arena,
			struct takt_carried *ret_carried);
/*
 * Longest ways within this iteration from node `from`'s previous value to each def, in
 * `ways` (def_count entries, TAKT_NO_WAY if not reached).
 */
void takt_carried_ways(const struct takt_graph *graph, uint32_t from_def, int64_t *ways);
/* Karp's maximum cycle mean; {0, 1} if there is no cycle. */
struct takt_cycle_ratio takt_carried_ratio(const struct takt_carried *carried,
					   struct takt_arena *arena);
/* One cycle that attains `ratio`, without a search: linear in the graph for each of its iterations. */
void takt_worst_cycle(const struct takt_graph *graph, const struct takt_carried *carried,
		      struct takt_cycle_ratio ratio, struct takt_arena *arena,
		      struct takt_ratio_cycle *ret_cycle);

#endif
