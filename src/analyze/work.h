/* SPDX-License-Identifier: MIT */
/*
 * work: one takt_analyze() in progress. `steps`, the graph and the results of the bounds live in
 * the scratch arena and are freed at the end; the record and all it points to live in its own
 * arena.
 */
#ifndef TAKT_ANALYZE_WORK_H
#define TAKT_ANALYZE_WORK_H

#include "analyze/prepared.h"

struct takt_work {
	const struct takt_code *code;
	size_t region_index;
	const struct takt_region *region;
	const struct takt_analysis_options *options;
	struct takt_arena *scratch;
	struct takt_prepared prepared;
	bool branch_dropped; /* the branch at the end of an unrolled block was removed */
	struct takt_graph graph;
	struct takt_path path;
	struct takt_loop_carried loop_carried;
	struct sim_stalls stalls;     /* stalls by cause; empty with bounds_only */
	struct sim_summary simulated; /* empty with bounds_only */
	const double *shares;	      /* cycles of load i on port p at i * TAKT_PORTS_MAX + p */
	struct takt_arena *arena;     /* arena of the record */
	struct takt_analysis *record;
	enum takt_uncached uncached; /* why the op cache does not hold a loop that is decoded */
	uint32_t uncached_insn;	     /* the instruction that is the reason, or the window's first */
	struct takt_analysis_insn *insns; /* the record's instructions, while they are filled */
};

#define TAKT_ALIGNMENTS 64u /* offsets in a line */

/* Bounds closer than this to the headline are reported as limits too. */
#define TAKT_NEAR_LIMIT 0.05

/* insns.c: fill texts, µops, ports and origins of instructions. */
void takt_work_fill_insns(struct takt_work *work);
/* paths.c: fill latencies, critical path, recurrences and dependences. */
void takt_work_fill_paths(struct takt_work *work);
/* memory.c: fill the record's figures of memory. */
void takt_work_fill_memory(struct takt_work *work);
/* simulate.c: fill the simulated cycles and, once the instructions are filled, the stall causes. */
void takt_work_simulate(struct takt_work *work);
const char *takt_work_stall_limit(struct takt_work *work);
void takt_work_fill_stalls(struct takt_work *work);
/* relax.c: fill the relaxations. All other figures must be there. */
void takt_work_fill_relaxations(struct takt_work *work);
/* changes.c: fill the changes of code that would help. All other figures must be there. */
void takt_work_fill_changes(struct takt_work *work);
/* bottlenecks.c: write the sentences on bottlenecks, once all figures are there. */
void takt_work_fill_bottlenecks(struct takt_work *work);
/* inner_loops.c: fill the loops inside of a nest. The headline must be there. */
void takt_work_fill_inner_loops(struct takt_work *work);
/* Set the iterations that the code says of the loops directly inside of a nest, in their order. */
void takt_work_find_trips(struct takt_work *work, size_t nest, struct takt_inner_loop *inner);
/*
 * trips.c: fill the execution with a number of iterations. The headline and the loops inside must
 * be there.
 */
TAKT_MUST_CHECK enum takt_status takt_work_fill_execution(struct takt_work *work,
							  struct takt_diag *diag);
/* notes.c: write what the reader must know to trust the figures. */
void takt_work_fill_notes(struct takt_work *work);

/* Append "vpshufb at line 12", or its address. */
void takt_work_write_insn(const struct takt_work *work, uint32_t insn, struct takt_text *text);
/* A list of sentences that grows in the record's arena. */
struct takt_sentences {
	const char **items;
	uint32_t count, capacity;
};
void takt_work_add_sentence(struct takt_work *work, struct takt_sentences *sentences,
			    const struct takt_text *text);

#endif
