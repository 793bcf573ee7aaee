/* SPDX-License-Identifier: MIT */
/*
 * depend: who waits for whom. Nodes are (instruction, destination operand), not
 * instructions: an instruction-level graph gives false chains through address
 * updates and multi-result instructions. An edge carries the latency of its own
 * operand pair and the number of iterations it spans (0 or 1).
 */
#ifndef TAKT_DEPEND_H
#define TAKT_DEPEND_H

#include "model/model.h"

/*
 * A value an instruction produces; its flag groups are one. An instruction without
 * results (a branch) ends in a pseudo def, slot TAKT_SLOT_ANY, which takes no time:
 * branches are predicted, nothing waits for them.
 */
struct takt_def {
	uint32_t insn;
	uint8_t slot;      /* enum takt_slot of the destination */
	uint8_t location;  /* LOC_NONE for memory */
};

/*
 * `def` of the producer is ready → `def` of the consumer, `latency_cycles` later. From
 * no def: a live-in register, memory at a fixed address, or, with slot TAKT_SLOT_ANY,
 * nothing at all (mov eax, 5).
 */
struct takt_edge {
	uint32_t from, to;       /* def indices; from == TAKT_NO_DEF: live-in, ready at 0 */
	uint16_t latency_cycles; /* consumer's latency from this source to this destination */
	uint8_t iterations;      /* 0 or 1 */
	uint8_t source_slot;     /* through which operand the consumer reads */
	uint8_t location;        /* through which location; LOC_NONE: memory */
};

#define TAKT_NO_DEF UINT32_MAX

struct takt_memory_edge {
	uint32_t store, load;    /* instruction indices */
	uint8_t iterations;
	uint16_t latency_cycles; /* store data ready → load result */
};

struct takt_graph {
	const struct takt_def *defs;   /* in program order */
	uint32_t def_count;
	const struct takt_edge *edges; /* grouped by `to`, ascending */
	const uint32_t *first_edge;    /* def_count + 1 offsets into edges */
	uint32_t edge_count;
	const struct takt_memory_edge *memory_edges;
	uint32_t memory_edge_count;
	uint32_t insn_count;
};

struct takt_graph_options {
	bool loop;                  /* build edges from the previous iteration */
	bool no_memory_dependences;
	bool lean;                  /* only what takt_loop_carried_bound() needs: no edges from
				     * no def, no pseudo defs, no memory_edges */
};

/*
 * `timings[i]` belongs to `block->insns[i]`. The graph lives in the arena.
 */
void takt_graph_build(const struct takt_model *model, const struct takt_block *block,
		      const struct takt_timing *timings, const struct takt_graph_options *options,
		      struct takt_arena *arena, struct takt_graph *ret_graph);

#endif
