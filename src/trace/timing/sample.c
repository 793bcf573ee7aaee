/* SPDX-License-Identifier: MIT */
/* Sampling: strata and units; sample.h says where the method is from. */
#include "trace/timing/sample.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define BEGINNING_INSNS 300000u
#define UNIT_INSNS 10000u
#define WARM_INSNS 2000u
#define STRATUM_INSNS 200000u /* length of the first strata */
#define STRATA_OF_A_LENGTH 750u

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

void trace_sample_release(struct sample *sample)
{
	free(sample->done.list);
}

/* The truth values are looked at as bytes: they may be anything. */
bool trace_sample_is_valid(const struct sample *sample)
{
	uint8_t bytes[] = {*(const uint8_t *)&sample->beginning,
			   *(const uint8_t *)&sample->measured};

	return bytes[0] <= 1 && bytes[1] <= 1 && sample->random &&
	       sample->stratum >= STRATUM_INSNS && sample->phase <= SAMPLE_MEASURE;
}

static void add_stratum(struct sample *sample)
{
	struct sample_units *done = &sample->done;

	TAKT_GROW(done->list, done->count + 1, done->capacity);
	done->list[done->count] = sample->unit;
	done->list[done->count++].insns = (double)sample->in_stratum;
}

static void end_stratum(struct sample *sample)
{
	add_stratum(sample);
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
		if (at >= (sample->beginning ? BEGINNING_INSNS
					     : sample->offset + WARM_INSNS + UNIT_INSNS))
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
static void end_beginning(struct sample *sample, uint64_t insns, uint64_t cycles,
			  const double causes[SAMPLE_CAUSES])
{
	uint64_t left = sample->in_stratum > insns ? sample->in_stratum - insns : 0;

	sample->cycles = (double)cycles;
	sample->done.rest_cpi = insns ? (double)cycles / (double)insns : 0;
	memcpy(sample->begin_causes, causes, sizeof(sample->begin_causes));
	sample->beginning = false;
	begin_stratum(sample);
	sample->in_stratum = left;
}

void trace_sample_begin(struct sample *sample, const double causes[SAMPLE_CAUSES])
{
	memcpy(sample->unit.causes, causes, sizeof(sample->unit.causes));
}

void trace_sample_end(struct sample *sample, uint64_t insns, uint64_t cycles,
		      const double causes[SAMPLE_CAUSES])
{
	struct sample_unit *unit = &sample->unit;

	if (sample->beginning) {
		end_beginning(sample, insns, cycles, causes);
		return;
	}
	if (!insns)
		return;
	unit->cpi = (double)cycles / (double)insns;
	for (unsigned i = 0; i < SAMPLE_CAUSES; i++)
		unit->causes[i] = (causes[i] - unit->causes[i]) / (double)insns;
	sample->measured = true;
	sample->units++;
}

/* The last stratum is cut short; what it has no unit for is estimated from the previous one. */
void trace_sample_finish(struct sample *sample, const double causes[SAMPLE_CAUSES],
			 double *ret_cycles, double *ret_half_width)
{
	double whole[SAMPLE_CAUSES];

	if (sample->in_stratum && sample->measured)
		add_stratum(sample);
	else
		sample->done.rest_insns = (double)sample->in_stratum;
	sample->in_stratum = 0;
	for (unsigned i = 0; i < SAMPLE_CAUSES; i++)
		whole[i] = causes[i] - sample->begin_causes[i];
	sample_estimate(&sample->done, whole, ret_cycles, ret_half_width);
	*ret_cycles += sample->cycles;
}
