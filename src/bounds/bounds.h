/* SPDX-License-Identifier: MIT */
/*
 * bounds: exact lower limits of a block's cycles in steady state, each resource alone: ports,
 * issue slots, the front end, loop-carried dependence, and the critical path of one iteration.
 */
#ifndef TAKT_BOUNDS_H
#define TAKT_BOUNDS_H

#include "depend/depend.h"

/* µops of one kind: the ports (a mask) that they may use, and their number. */
struct takt_port_load {
	uint32_t ports;
	uint32_t count;
};

/*
 * Return the least possible maximum port load, in cycles: max over port sets S of
 * (µops whose ports ⊆ S) / |S|. Only unions of the sets that occur are tried, which
 * suffices: the tight set of an optimal assignment is such a union. The result is exact.
 */
double takt_ports_bound(const struct takt_port_load *loads, size_t count);

/*
 * Find an assignment of µops to ports that attains the bound, and is as even as possible below
 * it (lexicographically least sorted load vector). ret_cycles[i * TAKT_PORTS_MAX + p] becomes
 * the part of loads[i] on port p.
 */
void takt_ports_assign(const struct takt_port_load *loads, size_t count, struct takt_arena *arena,
		       double *ret_cycles);
/* Split each load equally over its ports (OSACA paper, II-B). The layout is the same. */
void takt_ports_split(const struct takt_port_load *loads, size_t count, double *ret_cycles);

struct takt_path {
	double cycles;
	const uint32_t *defs;	   /* defs on the path, in order */
	const uint16_t *latencies; /* cycles that each def adds */
	uint32_t count;
};

/* Find the longest path through one iteration, live-in values ready at 0 (OSACA paper, II-C). */
void takt_critical_path(const struct takt_graph *graph, struct takt_arena *arena,
			struct takt_path *ret_path);

/*
 * Return the length of the critical path if the nodes are whole instructions, each as long as
 * its largest latency, as in the OSACA paper's tables: a chain may then enter through one
 * operand and leave through an unrelated result, such as an address that is written back.
 */
double takt_critical_path_of_instructions(const struct takt_graph *graph, struct takt_arena *arena);

/* A recurrence: a closed chain of dependences that spans one or more iterations. */
struct takt_bounds_recurrence {
	double cycles_per_iteration; /* sum of the latencies, divided by the iterations */
	uint32_t iterations;	     /* number of iterations that it spans */
	const uint32_t *defs;
	const uint16_t *latencies;
	uint32_t count;
};

struct takt_loop_carried {
	double cycles; /* per iteration, of the worst recurrence; 0: none */
	const struct takt_bounds_recurrence
		*worst; /* recurrences within the tolerance, worst first */
	uint32_t count;
	bool truncated; /* more recurrences exist than are listed */
};

/* Return the exact maximum of latency / iterations over all recurrences, of any length. */
double takt_loop_carried_bound(const struct takt_graph *graph, struct takt_arena *arena);
/* Find that maximum, and list at most `most` recurrences within `tolerance` of it (0.05: 5 %). */
void takt_loop_carried(const struct takt_graph *graph, double tolerance, uint32_t most,
		       struct takt_arena *arena, struct takt_loop_carried *ret_loop_carried);

/* Return a block's issue slots after macro-fusion. ret_fused (NULL: not wanted) gets for each
 * instruction whether it was fused with the one before. */
uint32_t takt_issue_slots(const struct takt_model *model, const struct takt_block *block,
			  const struct takt_timing *timings, bool *ret_fused);
/*
 * Find the timings of a block's instructions as they are beside each other: ports that 512-bit code
 * closes, and pairs that fuse. Both results have block->count entries; what the timings point to
 * comes from the arena or the model. Return the issue slots, as above.
 */
uint32_t takt_block_timings(const struct takt_model *model, const struct takt_block *block,
			    struct takt_arena *arena, struct takt_timing *ret_timings,
			    bool *ret_fused);

/* ---- the front end --------------------------------------------------------------- */

struct takt_front_end_options {
	bool loop;		  /* the block ends in a branch to its start; else copies follow */
	uint32_t alignment_bytes; /* offset of the block's start in its 64-byte line */
};

/* Cycles per iteration that each part takes at least; 0: the code does not pass through it. */
struct takt_front_end_bounds {
	double predecoder, decoders, op_cache, loop_buffer, issue;
	double cycles;	       /* the greatest of them */
	const char *component; /* name of the part that has it: "predecoder", "decoders", … */
	/* Reason why a loop's code is not in the op cache, and the instruction that is the cause.
	 */
	enum takt_uncached uncached;
	uint32_t uncached_insn;
};

/*
 * Compute the front end's limits, each part alone (Abel, "Facile", 2023, section 4), by the
 * rules that the simulator follows cycle by cycle: no limit is above the simulation's result.
 */
void takt_front_end_bound(const struct takt_model *model, const struct takt_block *block,
			  const struct takt_timing *timings,
			  const struct takt_front_end_options *options, struct takt_arena *arena,
			  struct takt_front_end_bounds *ret_bounds);

#endif
