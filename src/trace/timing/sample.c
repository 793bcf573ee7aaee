/* SPDX-License-Identifier: MIT */
/* Sampling: strata, units, and the confidence interval; sample.h says where the method is from. */
#include "trace/timing/sample.h"

#include <math.h>

#define UNIT_INSNS 20000u
#define WARM_INSNS 10000u
#define STRATUM_INSNS 300000u /* length of the first strata */
#define STRATA_OF_A_LENGTH 500u

/* xorshift64* (Marsaglia 2003, Vigna 2016) */
static uint64_t next_random(struct sample *sample)
{
	sample->random ^= sample->random >> 12;
	sample->random ^= sample->random << 25;
	sample->random ^= sample->random >> 27;
	return sample->random * UINT64_C(2685821657736338717);
}

static void begin_stratum(struct sample *sample)
{
	sample->in_stratum = 0;
	sample->measured = false;
	sample->offset = next_random(sample) % (sample->stratum - WARM_INSNS - UNIT_INSNS);
}

void trace_sample_init(struct sample *sample, uint64_t seed)
{
	*sample = (struct sample){
		/* Spread the bits of small seeds: xorshift starts badly from few set bits. */
		.random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15),
		.stratum = STRATUM_INSNS,
		.phase = SAMPLE_MEASURE,
		.beginning = true,
	};
	next_random(sample);
}

/* The truth values are looked at as bytes: they may be anything. */
bool trace_sample_is_valid(const struct sample *sample)
{
	uint8_t bytes[] = {*(const uint8_t *)&sample->beginning,
			   *(const uint8_t *)&sample->measured};

	return bytes[0] <= 1 && bytes[1] <= 1 && sample->random &&
	       sample->stratum >= STRATUM_INSNS && sample->phase <= SAMPLE_MEASURE;
}

/* Add `insns` instructions of a stratum, whose unit had `cpi`, to the estimate. */
static void add_stratum(struct sample *sample, double cpi, uint64_t insns)
{
	sample->cycles += cpi * (double)insns;
	if (sample->units > 1) {
		/* Treat successive strata as two samples of one stratum (Wolter, Introduction to
		 * Variance Estimation, section 8.2: successive differences). */
		double difference = (cpi - sample->last_cpi) * (double)insns;

		sample->variance += difference * difference / 2;
	}
	sample->last_cpi = cpi;
}

static void end_stratum(struct sample *sample)
{
	add_stratum(sample, sample->cpi, sample->in_stratum);
	if (sample->units % STRATA_OF_A_LENGTH == 0)
		sample->stratum *= 2;
	begin_stratum(sample);
}

bool trace_sample_advance(struct sample *sample, uint64_t insns)
{
	enum sample_phase before = sample->phase;
	uint64_t at = sample->in_stratum += insns;

	switch (before) {
	case SAMPLE_SKIP:
		if (!sample->measured && at >= sample->offset)
			sample->phase = SAMPLE_WARM;
		else if (sample->measured && at >= sample->stratum)
			end_stratum(sample);
		break;
	case SAMPLE_WARM:
		if (at >= sample->offset + WARM_INSNS)
			sample->phase = SAMPLE_MEASURE;
		break;
	case SAMPLE_MEASURE:
		if (at >=
		    (sample->beginning ? STRATUM_INSNS : sample->offset + WARM_INSNS + UNIT_INSNS))
			sample->phase = SAMPLE_SKIP;
		break;
	}
	return sample->phase != before;
}

uint32_t trace_sample_weight(const struct sample *sample)
{
	uint64_t weight = sample->beginning ? 1 : sample->stratum / UNIT_INSNS;

	return (uint32_t)(weight < UINT32_MAX ? weight : UINT32_MAX);
}

/* Instructions that entered the pipeline but have not retired belong to the first stratum. */
static void end_beginning(struct sample *sample, uint64_t insns, uint64_t cycles)
{
	uint64_t left = sample->in_stratum > insns ? sample->in_stratum - insns : 0;

	sample->cycles = (double)cycles;
	sample->last_cpi = insns ? (double)cycles / (double)insns : 0;
	sample->beginning = false;
	begin_stratum(sample);
	sample->in_stratum = left;
}

void trace_sample_end(struct sample *sample, uint64_t insns, uint64_t cycles)
{
	if (sample->beginning) {
		end_beginning(sample, insns, cycles);
		return;
	}
	if (!insns)
		return;
	sample->cpi = (double)cycles / (double)insns;
	sample->measured = true;
	sample->units++;
}

/* From a few degrees of freedom on, the expansion of Fisher and Cornish is right to three digits.
 */
double trace_sample_student(double degrees)
{
	static const double few[] = {12.706, 4.303, 3.182, 2.776, 2.571};
	const unsigned few_count = sizeof(few) / sizeof(few[0]);
	const double z = 1.959963984540054;
	double z2 = z * z;

	if (degrees >= 1 && degrees < few_count + 1)
		return few[(unsigned)degrees - 1];
	return z + z * (z2 + 1) / (4 * degrees) +
	       z * (5 * z2 * z2 + 16 * z2 + 3) / (96 * degrees * degrees);
}

void trace_sample_finish(struct sample *sample, double *ret_cycles, double *ret_half_width)
{
	bool whole = !sample->units && !sample->in_stratum;

	/* The last stratum is cut short; if it has no unit, the CPI of the previous one is used. */
	if (sample->in_stratum)
		add_stratum(sample, sample->measured ? sample->cpi : sample->last_cpi,
			    sample->in_stratum);
	sample->in_stratum = 0;
	*ret_cycles = sample->cycles;
	if (whole)
		*ret_half_width = 0;
	else if (sample->units < 2)
		*ret_half_width = INFINITY;
	else
		*ret_half_width =
			trace_sample_student((double)sample->units - 1) * sqrt(sample->variance);
}
