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

#endif
