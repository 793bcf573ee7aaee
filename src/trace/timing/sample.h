/* SPDX-License-Identifier: MIT */
/*
 * sample: chooses the parts of a thread's run that are simulated in detail, and estimates the
 * cycles of the whole run from them. The run is cut into strata; each has, at a random place, a
 * unit that is measured, with a warm-up before it (Wunderlich, Wenisch, Falsafi, Hoe, ISCA 2003,
 * but with one unit in each stratum instead of every n-th). Strata get longer as the run does, so
 * that the number of units, and with it the cost, grows with the logarithm of the run's length.
 * The part before the first stratum is measured completely, so that short programs need no
 * estimate.
 *
 * Misses of caches and TLBs and mispredicted branches are known of the whole run, as caches and
 * predictors stay up to date between the units. Most of what differs from unit to unit comes from
 * them. The estimate is that of a regression on them (Cochran, Sampling Techniques, 1977, chapter
 * 7): what each costs is found from the units, and only the rest is estimated from the sample.
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

/* Causes of cycles, by their weight so far in the whole run. */
enum sample_cause {
	SAMPLE_FETCHES,	    /* cycles that missed lines and translations of code are away */
	SAMPLE_LOADS,	    /* those of loads, which wait for them */
	SAMPLE_STORES,	    /* those of stores, most of which overlap */
	SAMPLE_MISPREDICTS, /* number of mispredicted branches */
	SAMPLE_CAUSES
};

/* A stratum that has been measured. */
struct sample_unit {
	double insns;		      /* of the whole stratum */
	double cpi;		      /* cycles per instruction of its unit */
	double causes[SAMPLE_CAUSES]; /* weight of the causes for each instruction of the unit */
};

/* More than any run has: strata are twice as long after each 750. */
#define SAMPLE_UNITS_MAX (UINT32_C(1) << 17)

/* All strata that are done, in order. */
struct sample_units {
	struct sample_unit *list;
	uint32_t count, capacity;
	double rest_insns; /* instructions at the end that are of no stratum with a unit */
	double rest_cpi;   /* their cycles per instruction if there is no unit at all */
};

struct sample {
	uint64_t random;	     /* state of the random number generator */
	uint64_t stratum, units;     /* instructions of a stratum now; units that were measured */
	uint64_t in_stratum, offset; /* instructions done in it; at `offset` the warm-up begins */
	enum sample_phase phase;
	bool beginning; /* still before the first stratum */
	bool measured;	/* `cpi` is that of this stratum's unit, which is done */
	double cycles;	/* of the beginning */
	struct sample_unit
		unit; /* the last unit; its causes are those at its begin until it ends */
	double begin_causes[SAMPLE_CAUSES]; /* at the end of the beginning */
	struct sample_units done;
};

/* True if a sample that was loaded from a file can go on. */
bool trace_sample_is_valid(const struct sample *sample);
void trace_sample_init(struct sample *sample, uint64_t seed);
void trace_sample_release(struct sample *sample);
/* Advance by `insns` instructions; true if the phase has changed. */
bool trace_sample_advance(struct sample *sample, uint64_t insns);
/* Return the factor by which the current measurement counts in the whole. */
uint32_t trace_sample_weight(const struct sample *sample);
/* Begin to measure a unit. */
void trace_sample_begin(struct sample *sample, const double causes[SAMPLE_CAUSES]);
/* End the current unit, in which `insns` instructions took `cycles`. */
void trace_sample_end(struct sample *sample, uint64_t insns, uint64_t cycles,
		      const double causes[SAMPLE_CAUSES]);
/* Return Student's t for a two-sided interval of 95 %. */
double trace_sample_student(double degrees);
/*
 * End the sample with its thread. Return the estimated cycles, and half of the 95 % confidence
 * interval.
 */
void trace_sample_finish(struct sample *sample, const double causes[SAMPLE_CAUSES],
			 double *ret_cycles, double *ret_half_width);

/* sample_estimate.c: estimate the cycles of all strata from what they have of each cause. */
void sample_estimate(const struct sample_units *units, const double causes[SAMPLE_CAUSES],
		     double *ret_cycles, double *ret_half_width);

#endif
