/* SPDX-License-Identifier: MIT */
/*
 * analyze: runs one region through all engines and fills one open record, takt_analysis (takt.h).
 * The headline and its limit are decided here.
 */
#ifndef TAKT_ANALYZE_H
#define TAKT_ANALYZE_H

#include "bounds/bounds.h"
#include "input/input.h"
#include "sim/sim.h"

/* Instructions that ran one after the other, recorded by the simulator. */
struct takt_recorded {
	const struct takt_model *model;
	const struct takt_insn *insns;
	const bool *fused; /* for each instruction: it is fused with the one before */
	uint32_t insn_count;
	const struct sim_trace *trace;
	const char *title;
};

/*
 * Make a timeline of recorded instructions. It copies what it keeps, and is freed by
 * takt_timeline_free().
 */
struct takt_timeline *takt_timeline_of(const struct takt_recorded *recorded);

/* ---- better cores, for programs: core_relax.c ---- */

#define TAKT_CORE_RELAXATIONS 10u

/*
 * Make a core that is better than `model` in respect `index`, below TAKT_CORE_RELAXATIONS, and
 * append the respect in words to `what`, as in "a reorder buffer of 448 entries instead of 224".
 * NULL: that does not apply to the core. `model` must outlive the result, which is closed by
 * takt_model_close().
 */
struct takt_model *takt_core_relax(const struct takt_model *model, uint32_t index,
				   struct takt_text *what);

/* ---- loop nests: nest_loops.c, nest_cost.c ---- */

/*
 * A basic block of a function and how often it runs. An offset is relative to an address that
 * belongs to the counts.
 */
struct takt_flow_block {
	uint64_t offset;
	const uint8_t *bytes;
	uint32_t size_bytes;
	uint64_t executions;
};

/* Blocks sorted by offset, and edges (how often a block runs directly after another). */
struct takt_flow_counts {
	const struct takt_flow_block *blocks;
	const struct takt_flow_edge *edges; /* sorted by takt_flow_compare_edges() */
	size_t block_count, edge_count;
};

#define TAKT_NEST_PATHS_MAX 8 /* of a loop */

struct takt_nest_part {
	uint32_t block; /* block that control came to */
	uint32_t loop;	/* inner loop run to its end in this part; 0: none, just the block */
	uint32_t exit;	/* block from which control went on */
};

/* A path through a loop: from its head back to it, or out of the loop. */
struct takt_nest_path {
	struct takt_nest_part *parts;
	uint32_t part_count;
	uint64_t count;
	bool back;
};

struct takt_nest_loop {
	uint32_t head, around; /* head block; index of the loop that contains this one */
	bool *inside;	       /* by block: true if it is in the loop */
	uint32_t size;	       /* blocks in the loop */
	uint64_t iterations, entries;
	struct takt_nest_path paths[TAKT_NEST_PATHS_MAX];
	uint32_t path_count;
	/* Cycles of an iteration, or of all of a call for loop 0; set by takt_nest_visit(). */
	double cycles;
};

/* Find the loops, in the arena. Loop 0 is the whole function, from its start to its end. */
struct takt_nest_loop *takt_nest_find_loops(const struct takt_flow_counts *counts,
					    struct takt_arena *arena, size_t *ret_count);

/* A function whose loop nests are predicted. */
struct takt_nest_code {
	const struct takt_model *model;
	const struct takt_isa *isa;
	struct takt_flow_counts counts;
	uint64_t base; /* address that offsets are relative to */
	bool no_memory_dependences;
};

/*
 * Call `visit` with a shortened block sequence of each path of each loop, inner loops first and the
 * whole function last. Return the loops with their cycles, if `visit` returns those of one
 * execution of the sequence.
 */
struct takt_nest_loop *takt_nest_visit(const struct takt_nest_code *code,
				       double (*visit)(void *context, const uint32_t *blocks,
						       size_t count),
				       void *context, struct takt_arena *arena, size_t *ret_count);
/* Predict the loops' cycles on the model; NaN where a block cannot be decoded. */
struct takt_nest_loop *takt_nest_predict(const struct takt_nest_code *code,
					 struct takt_arena *arena, size_t *ret_count);

#endif
