/* SPDX-License-Identifier: MIT */
/*
 * sample: chooses the parts of a thread's run that are simulated in detail, and estimates the
 * cycles of the whole run from them. The run is cut into strata; each has, at a random place, a
 * unit that is measured, with a warm-up before it (Wunderlich, Wenisch, Falsafi, Hoe, ISCA 2003,
 * but with one unit in each stratum instead of every n-th). Strata get longer as the run does, so
 * that the number of units, and with it the cost, grows with the logarithm of the run's length.
 * The part before the first stratum, as long as that stratum, is measured completely, so that
 * short programs need no estimate.
 */
#ifndef TAKT_TRACE_SAMPLE_H
#define TAKT_TRACE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

enum sample_phase {
	SAMPLE_SKIP,	/* only counted; caches and predictors are still updated */
	SAMPLE_WARM,	/* simulated, not counted */
	SAMPLE_MEASURE, /* simulated and counted */
};

struct sample {
	uint64_t random;	     /* state of the random number generator */
	uint64_t stratum, units;     /* instructions of a stratum now; units that were measured */
	uint64_t in_stratum, offset; /* instructions done in it; at `offset` the warm-up begins */
	enum sample_phase phase;
	bool beginning;		 /* still before the first stratum */
	bool measured;		 /* `cpi` is that of this stratum's unit, which is done */
	double cpi, last_cpi;	 /* cycles per instruction of the last two units */
	double cycles, variance; /* sums over all strata that are done */
};

/* True if a sample that was loaded from a file can go on. */
bool trace_sample_is_valid(const struct sample *sample);
void trace_sample_init(struct sample *sample, uint64_t seed);
/* Advance by `insns` instructions; true if the phase has changed. */
bool trace_sample_advance(struct sample *sample, uint64_t insns);
/* Return the factor by which the current measurement counts in the whole. */
uint32_t trace_sample_weight(const struct sample *sample);
/* End the current unit, in which `insns` instructions took `cycles`. */
void trace_sample_end(struct sample *sample, uint64_t insns, uint64_t cycles);
/* Return Student's t for a two-sided interval of 95 %. */
double trace_sample_student(double degrees);
/*
 * End the sample with its thread. Return the estimated cycles, and half of the 95 % confidence
 * interval.
 */
void trace_sample_finish(struct sample *sample, double *ret_cycles, double *ret_half_width);

#endif
