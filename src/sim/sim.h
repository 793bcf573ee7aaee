/* SPDX-License-Identifier: MIT */
/*
 * sim: the pipeline. The in-order half (fetch to rename, retire) goes cycle by cycle;
 * the out-of-order half is resolved at rename: a µop's dispatch is the first cycle its
 * port is free after its operands are ready, and since µops are renamed in program
 * order, that is what an oldest-first scheduler picks. See ARCHITECTURE.md.
 */
#ifndef TAKT_SIM_H
#define TAKT_SIM_H

#include "depend/depend.h"

/* A block and what earlier rooms found out about it. */
struct sim_block {
	const struct takt_model *model;
	const struct takt_block *block;
	const struct takt_timing *timings; /* one for each instruction */
	const bool *fused;                 /* the instruction joined the one before */
	const struct takt_memory_edge *edges; /* memory dependences */
	uint32_t edge_count;
};

struct sim_options {
	bool loop;                /* the block ends in a branch to its start; else copies follow */
	uint32_t alignment_bytes; /* of the block's start in its 64-byte line */
	uint32_t iterations_max;  /* give up looking for a steady state; 0: what is usual */
};

struct sim_summary {
	double cycles;            /* per iteration, in the steady state */
	uint32_t period_iterations; /* the steady state repeats exactly after so many; 0: it was
				   * not seen to, and cycles is the slope over the second half */
	uint64_t simulated_cycles;
	uint32_t simulated_iterations;
};

/* Runs until a state comes again. Scratch memory is the arena's. */
void takt_simulate(const struct sim_block *block, const struct sim_options *options,
		   struct takt_arena *arena, struct sim_summary *ret_summary);

#endif
