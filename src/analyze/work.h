/* SPDX-License-Identifier: MIT */
/*
 * work: one takt_analyze() in progress. `steps`, the graph and what bounds found are
 * in the scratch arena and go away; the record and all it points to are in its own.
 */
#ifndef TAKT_ANALYZE_WORK_H
#define TAKT_ANALYZE_WORK_H

#include "analyze/steps.h"

struct takt_work {
	const struct takt_code *code;
	size_t region_index;
	const struct takt_region *region;
	const struct takt_analysis_options *options;
	struct takt_arena *scratch;
	struct takt_steps steps;
	bool branch_dropped;          /* off the end of an unrolled block */
	struct takt_graph graph;
	struct takt_path path;
	struct takt_loop_carried loop_carried;
	struct sim_waits waits;       /* none with bounds_only */
	uint64_t simulated_cycles_all; /* in how many the steady state was found */
	const double *shares;         /* cycles of load i on port p at i * TAKT_PORTS_MAX + p */
	struct takt_arena *arena;     /* of the record */
	struct takt_analysis *record;
	struct takt_analysis_insn *insns; /* the record's, while they are filled */
};

#define TAKT_ALIGNMENTS 64u /* offsets in a line */

/* Bounds closer than this to the headline are reported as limits too. */
#define TAKT_NEAR_LIMIT 0.05

/* insns.c: texts, µops, ports, origins. */
void takt_work_fill_insns(struct takt_work *work);
/* paths.c: latencies, critical path, loop-carried cycles, dependences. */
void takt_work_fill_paths(struct takt_work *work);
/* memory.c: memory in the record. */
void takt_work_fill_memory(struct takt_work *work);
/* simulate.c: simulated cycles; and, once there are instructions, what they are spent on. */
void takt_work_simulate(struct takt_work *work);
const char *takt_work_wait_limit(struct takt_work *work);
void takt_work_fill_waits(struct takt_work *work);
/* relax.c: what would be better. Needs all other figures. */
void takt_work_fill_relaxations(struct takt_work *work);
/* bottlenecks.c: the sentences, once all figures are there. */
void takt_work_fill_bottlenecks(struct takt_work *work);
/* notes.c: what the reader must know to trust the figures. */
void takt_work_fill_notes(struct takt_work *work);

/* "vpshufb at line 12", or at its address. */
void takt_work_write_insn(const struct takt_work *work, uint32_t insn, struct takt_text *text);
/* A list of sentences that grows in the record's arena. */
struct takt_sentences {
	const char **items;
	uint32_t count, capacity;
};
void takt_work_add_sentence(struct takt_work *work, struct takt_sentences *sentences,
			    const struct takt_text *text);

#endif
