/* SPDX-License-Identifier: MIT */
/*
 * sample: which parts of a thread's run are simulated in detail, and what the whole run takes
 * by them. The run is cut into strata; somewhere in each of them, by chance, lies a unit that
 * is measured, with a warm-up before it (Wunderlich, Wenisch, Falsafi, Hoe, ISCA 2003; one
 * unit in each stratum instead of every n-th). Strata get longer as the run does, so that the
 * units' number, and with it the cost, grows with the logarithm of the run's length. What comes
 * before the first stratum, as much as it has, is measured whole: of a short program all is known.
 */
#ifndef TAKT_TRACE_SAMPLE_H
#define TAKT_TRACE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

enum sample_phase {
	SAMPLE_SKIP,    /* only counted; caches and predictors go on learning */
	SAMPLE_WARM,    /* simulated, not counted */
	SAMPLE_MEASURE, /* simulated and counted */
};

struct sample {
	uint64_t random;
	uint64_t stratum, units;       /* instructions of a stratum now; units that were measured */
	uint64_t in_stratum, offset;   /* instructions gone; at which the warm-up begins */
	enum sample_phase phase;
	bool beginning;                /* still before the first stratum */
	bool measured;                 /* this stratum's unit is done: `cpi` is its */
	double cpi, last_cpi;
	double cycles, variance;       /* of all strata that are done */
};

void trace_sample_init(struct sample *sample, uint64_t seed);
/* `insns` have gone; returns whether the phase has changed. */
bool trace_sample_advance(struct sample *sample, uint64_t insns);
/* How many times what is measured now stands for itself. */
uint32_t trace_sample_weight(const struct sample *sample);
/* What was measured of the unit at hand, which is done. */
void trace_sample_end(struct sample *sample, uint64_t insns, uint64_t cycles);
/* The thread has ended, its beginning too: its estimated cycles, and half of the 95 % confidence interval. */
void trace_sample_finish(struct sample *sample, double *ret_cycles, double *ret_half_width);

#endif
