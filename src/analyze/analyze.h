/* SPDX-License-Identifier: MIT */
/*
 * analyze: one region through all engines into one open record, takt_analysis
 * (takt.h). This is where the headline and its limit are decided.
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
	const bool *fused;       /* each of them: with the one before */
	uint32_t insn_count;
	const struct sim_trace *trace;
	const char *title;
};

/* To be freed as others are; copies what it keeps. */
struct takt_timeline *takt_timeline_of(const struct takt_recorded *recorded);

#endif
