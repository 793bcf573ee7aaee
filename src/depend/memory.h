/* SPDX-License-Identifier: MIT */
/*
 * memory: declarations shared by the two methods that find memory dependences (steady.c and
 * simulation.c). For one choice of random values, one of them makes a list of edges;
 * takt_memory_dependences_find() keeps the edges on which all choices agree. Private to depend.
 */
#ifndef TAKT_DEPEND_MEMORY_H
#define TAKT_DEPEND_MEMORY_H

#include "depend/interpreter.h"

struct takt_finder {
	const struct takt_block *block;
	const struct takt_memory_options *options;
	struct takt_program program;
	struct takt_arena *arena;
	uint32_t window;		/* instructions that can be in flight */
	uint32_t iterations;		/* number to run at most, the first included */
	uint32_t first;			/* first iteration whose stores count */
	struct takt_shadow shadow;	/* made when first needed */
	uint32_t shadow_iterations;	/* number for which the shadow has room */
	struct takt_memory_edge *edges; /* edges found in this run */
	uint32_t edge_count, edge_capacity;
};

/* Make the program of the block, and choose how far dependences reach. */
void takt_finder_init(const struct takt_block *block, const struct takt_memory_options *options,
		      struct takt_arena *arena, struct takt_finder *ret_finder);
/* Prepare the machine for a run, with memory for `memory_iterations`; 0: without memory. */
void takt_finder_start(struct takt_finder *finder, uint64_t seed, uint32_t memory_iterations,
		       struct takt_machine *ret_machine);
void takt_finder_add_edge(struct takt_finder *finder, const struct takt_memory_edge *edge);
/* Compare edges for their order: by load and its operand, then the latest store first. */
int takt_finder_compare(const struct takt_finder *finder, const struct takt_memory_edge *left,
			const struct takt_memory_edge *right);
/* Return the distance from the store to the load, in instructions. */
static inline uint64_t takt_finder_distance(const struct takt_finder *finder, uint32_t store,
					    uint32_t load, uint32_t iterations)
{
	return (uint64_t)iterations * finder->program.insn_count + load - store;
}

/* The address of a memory access (a touch of an instruction) and its stride. */
struct takt_track {
	uint32_t sliced;
	uint8_t touch;
	struct takt_value address; /* address in the last iteration that was run */
	uint64_t stride;	   /* its change from the iteration before, in bytes */
};

static inline const struct takt_touch *takt_touch_of(const struct takt_finder *finder,
						     const struct takt_track *track)
{
	return &finder->program.sliced[track->sliced].touches[track->touch];
}

/*
 * Run iterations until all values that reach addresses are seen to change by constants or to
 * stay the same, and fill `tracks`, one for each touch, in order. False if this steady state
 * is not reached within a few iterations.
 */
bool takt_steady_reach(struct takt_finder *finder, uint64_t seed, struct takt_track *tracks);
/* Return the number of touches of the program. */
uint32_t takt_track_count(const struct takt_program *program);

/* Compute edges from tracks; false if there are too many pairs to compare. */
bool takt_steady_find(struct takt_finder *finder, const struct takt_track *tracks,
		      uint32_t track_count);
/* Find edges by running all iterations. */
void takt_simulation_find(struct takt_finder *finder, uint64_t seed);

#endif
