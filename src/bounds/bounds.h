/* SPDX-License-Identifier: MIT */
/*
 * bounds: exact limits of a block in steady state, each alone: ports, issue
 * slots, loop-carried dependence, and the critical path of one iteration.
 */
#ifndef TAKT_BOUNDS_H
#define TAKT_BOUNDS_H

#include "depend/depend.h"

/* µops of one kind: how many, and which ports they may use. */
struct takt_port_load {
	uint32_t ports;
	uint32_t count;
};

/*
 * The least possible maximum port load, in cycles: max over port sets S of
 * (µops whose ports ⊆ S) / |S|, taken over unions of the sets that occur, which
 * suffices (the tight set of an optimal assignment is such a union). Exact.
 */
double takt_ports_bound(const struct takt_port_load *loads, size_t count);

/*
 * An assignment that attains the bound, and is as even as possible below it
 * (lexicographically least sorted load vector). cycles[i * TAKT_PORTS_MAX + p] is
 * the part of loads[i] on port p.
 */
void takt_ports_assign(const struct takt_port_load *loads, size_t count,
		       struct takt_arena *arena, double *ret_cycles);
/* Equal split over eligible ports (OSACA paper, II-B). Same layout. */
void takt_ports_split(const struct takt_port_load *loads, size_t count, double *ret_cycles);

struct takt_path {
	double cycles;
	const uint32_t *defs;   /* in order */
	const uint16_t *latencies; /* cycles each def adds */
	uint32_t count;
};

/* Longest path through one iteration, live-in values ready at 0 (OSACA paper, II-C). */
void takt_critical_path(const struct takt_graph *graph, struct takt_arena *arena,
			struct takt_path *ret_path);

/*
 * The same with whole instructions for nodes, each as long as its largest latency, as the
 * OSACA paper's tables have it: a chain may then enter through one operand and leave through
 * an unrelated result, such as an address that is written back.
 */
double takt_critical_path_of_instructions(const struct takt_graph *graph,
					  struct takt_arena *arena);

struct takt_ratio_cycle {
	double cycles_per_iteration;
	uint32_t iterations;
	const uint32_t *defs;
	const uint16_t *latencies;
	uint32_t count;
};

struct takt_loop_carried {
	double cycles;                       /* maximum cycle ratio, 0 without a cycle */
	const struct takt_ratio_cycle *worst; /* cycles within `tolerance` of it, worst first */
	uint32_t count;
	bool truncated;                      /* more existed than were listed */
};

/* Maximum of latency / iterations over all cycles. Exact; any number of iterations. */
double takt_loop_carried_bound(const struct takt_graph *graph, struct takt_arena *arena);
/* The same, with every cycle within `tolerance` (0.05 is 5 %) listed, at most `most`. */
void takt_loop_carried(const struct takt_graph *graph, double tolerance, uint32_t most,
		       struct takt_arena *arena, struct takt_loop_carried *ret_loop_carried);

/* Issue slots of a block after macro-fusion; fused[i] (may be NULL) says insn i joined i-1. */
uint32_t takt_issue_slots(const struct takt_model *model, const struct takt_block *block,
			  const struct takt_timing *timings, bool *ret_fused);

/* ---- the front end --------------------------------------------------------------- */

struct takt_front_end_options {
	bool loop;                /* the block ends in a branch to its start; else copies follow */
	uint32_t alignment_bytes; /* of the block's start in its 64-byte line */
};

/* Cycles per iteration that each part takes at least; 0: the code does not pass through it. */
struct takt_front_end_bounds {
	double predecoder, decoders, op_cache, loop_buffer, issue;
	double cycles;         /* the greatest of them */
	const char *component; /* which that is: "predecoder", "decoders", … */
};

/*
 * The front end's limits, each alone (Abel, "Facile", 2023, section 4), by the rules that
 * the simulator steps through: never more than the simulator takes.
 */
void takt_front_end_bound(const struct takt_model *model, const struct takt_block *block,
			  const struct takt_timing *timings,
			  const struct takt_front_end_options *options, struct takt_arena *arena,
			  struct takt_front_end_bounds *ret_bounds);

#endif
