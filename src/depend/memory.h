/* SPDX-License-Identifier: MIT */
/*
 * memory: what the two ways to find dependences share. Each makes a list of edges from one
 * choice of random values; takt_memory_dependences_find() keeps what they agree on.
 * Private to depend.
 */
#ifndef TAKT_DEPEND_MEMORY_H
#define TAKT_DEPEND_MEMORY_H

#include "depend/machine.h"

struct takt_finder {
	const struct takt_block *block;
	const struct takt_memory_options *options;
	struct takt_program program;
	struct takt_arena *arena;
	uint32_t window;      /* instructions */
	uint32_t iterations;  /* to run at most, the first included */
	uint32_t first;       /* iteration whose stores count */
	struct takt_shadow shadow;
	uint32_t shadow_iterations; /* that it has room for; it is made on first need */
	struct takt_memory_edge *edges; /* of the run */
	uint32_t edge_count, edge_capacity;
};

/* Readies the machine for a run, with memory for so many iterations, be they none. */
void takt_finder_start(struct takt_finder *finder, uint64_t seed, uint32_t memory_iterations,
		       struct takt_machine *ret_machine);
void takt_finder_add_edge(struct takt_finder *finder, const struct takt_memory_edge *edge);
/* By load and its operand; the latest store first. */
int takt_finder_compare(const struct takt_finder *finder, const struct takt_memory_edge *left,
			const struct takt_memory_edge *right);
/* Instructions from the store to the load, for stores that touch the load's bytes. */
static inline uint64_t takt_finder_distance(const struct takt_finder *finder, uint32_t store,
					    uint32_t load, uint32_t iterations)
{
	return (uint64_t)iterations * finder->program.insn_count + load - store;
}

/* A touch of a step: where, how it moves. */
struct takt_track {
	uint32_t step;
	uint8_t touch;
	struct takt_value address; /* in the last iteration that was run */
	uint64_t stride;           /* from the one before */
};

/*
 * Runs iterations until all that addresses come from is seen to go on by constants, or to
 * stay. Then fills `tracks`, one for each touch of data in order. False if it does not
 * come to that soon.
 */
bool takt_steady_reach(struct takt_finder *finder, uint64_t seed, struct takt_track *tracks);
uint32_t takt_track_count(const struct takt_program *program);

/* Edges out of tracks; false if there are too many to compare each with each. */
bool takt_steady_find(struct takt_finder *finder, const struct takt_track *tracks,
		      uint32_t track_count);
/* Edges by running all iterations. */
void takt_simulation_find(struct takt_finder *finder, uint64_t seed);

#endif
