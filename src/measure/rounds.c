/* SPDX-License-Identifier: MIT */
/*
 * Converts ticks to cycles. A sample is one pass over all runs, short enough that the clock
 * rate does not change within it; a round is a few samples; the result is the median of
 * rounds that agree. Other load makes runs longer, never shorter, so a sample whose
 * canaries are slower than they can be is discarded, and of the others the faster half
 * counts. Ticks are coarse: the mean of several samples is more accurate than the least. If the
 * clock advances by steps of many ticks, runs are made so long that they span many steps.
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include "measure/measurer.h"

#define SAMPLES_PER_ROUND 16u
#define SAMPLES_LEAST 5u /* undisturbed samples that a round needs to count */
#define ROUNDS_SPARE 3u	 /* rounds of a batch beyond those that must agree */
#define ROUNDS_MAX 128u	 /* rounds that are remembered */
#define BATCHES_MAX 8u	 /* several batches, since the predictors adapt again in each */
#define CALIBRATION_BATCHES 8u
#define CALIBRATION_SAMPLES 128u
#define CALIBRATION_SECONDS_MAX 10.0
#define RENEWAL_SAMPLES 16u	/* samples in a new process, before its block runs */
#define DISPATCH_TOLERANCE 1.06 /* the end of its loop is sometimes mispredicted */
#define VECTOR_TOLERANCE 1.02
#define ALLOWANCE_TICKS 3.0 /* least difference that is put down to the clock's resolution */
#define STEPS_APART 2.0	    /* the same in steps of the clock, if these are larger */
#define STEPS_WANTED 150.0  /* least length of a run, in steps of the clock */
#define STRETCH_MAX 64.0
#define CANARY_FORGETTING 1.0005 /* factor on the canaries' cycles per disturbed batch */
#define CHAIN_TOLERANCE 1.01
#define PRODUCT_TOLERANCE 1.007
#define PAUSE_NANOSECONDS 2000000L
#define PAUSE_DOUBLINGS 6u
#define TICKS_PER_SECOND_MAX 1e10	       /* no clock of a processor is faster */
#define COUNTER_MASK (((uint64_t)1 << 48) - 1) /* counters of rdpmc have 48 bits at least */

/* Ticks of all runs and samples of a batch. */
struct batch {
	double ticks[TAKT_SAMPLE_RUNS][TAKT_SAMPLES_MAX / TAKT_SAMPLE_RUNS];
	uint32_t sample_count;
};

/* Return the quantile `part` (0 … 1) of sorted values. */
static double quantile(const double *values, size_t count, double part)
{
	return values[(size_t)((double)(count - 1) * part)];
}

/*
 * Sort the values, and return the mean of the faster half without the fastest tenth. Values within
 * the clock's resolution of its ends belong to it, too: a single one of them means nothing.
 */
static double faster_mean(const struct takt_measurer *measurer, double *values, size_t count)
{
	size_t first = count / 10, last = (count + 1) / 2;
	double around, sum = 0;

	takt_sort_doubles(values, count);
	if (last <= first)
		last = first + 1;
	around = values[first];
	while (first > 0 && values[first - 1] > around - STEPS_APART * measurer->step_ticks)
		first--;
	while (last < count && values[last] < around + STEPS_APART * measurer->step_ticks)
		last++;
	for (size_t i = first; i < last; i++)
		sum += values[i];
	return sum / (double)(last - first);
}

static bool run_batch(struct takt_measurer *measurer, uint32_t samples, struct batch *ret_batch,
		      struct takt_measurement *measurement)
{
	const struct takt_order order = {0, TAKT_SAMPLE_RUNS, samples, TAKT_CHILD_MAP_FAULTS};
	const uint64_t *ticks = measurer->child.results->ticks;
	uint64_t mask = measurer->clock == TAKT_CLOCK_PERF_RDPMC ? COUNTER_MASK : UINT64_MAX;
	double start = takt_now_seconds(), sum = 0;

	if (!takt_bench_command(measurer, &order, measurement))
		return false;
	ret_batch->sample_count = samples;
	for (uint32_t i = 0; i < samples; i++)
		for (int run = 0; run < TAKT_SAMPLE_RUNS; run++) {
			ret_batch->ticks[run][i] = (double)(*ticks++ & mask);
			sum += ret_batch->ticks[run][i];
		}
	if (sum <= (takt_now_seconds() - start) * TICKS_PER_SECOND_MAX)
		return true;
	measurement->status = TAKT_MEASURE_ESCAPED;
	takt_text_add_string(&measurer->reason,
			     "its times are longer than the time that really passed");
	return false;
}

/* ---- samples -------------------------------------------------------------- */

/* Return the cycles by which the long chain differs from the short one. */
static double chain_difference(const struct takt_measurer *measurer)
{
	return (double)(TAKT_LONG_CHAIN_CYCLES - TAKT_CHAIN_CYCLES) * measurer->stretch;
}

/* Return the ticks that a run takes more than the short chain. */
static double mean_beyond_chain(const struct takt_measurer *measurer, const struct batch *batch,
				enum takt_run run, uint32_t first, uint32_t count)
{
	double differences[TAKT_SAMPLES_MAX / TAKT_SAMPLE_RUNS];

	for (uint32_t i = 0; i < count; i++)
		differences[i] =
			batch->ticks[run][first + i] - batch->ticks[TAKT_RUN_CHAIN][first + i];
	return faster_mean(measurer, differences, count);
}

/* Return the ticks per cycle of samples first … first + count - 1, from the chains. */
static double ticks_per_cycle(const struct takt_measurer *measurer, const struct batch *batch,
			      uint32_t first, uint32_t count)
{
	if (measurer->clock != TAKT_CLOCK_ADD_CHAIN)
		return 1;
	return mean_beyond_chain(measurer, batch, TAKT_RUN_LONG_CHAIN, first, count) /
	       chain_difference(measurer);
}

/*
 * True if a multiplication takes a whole number of additions, as it does unless another thread
 * of the core now and then occupies the unit that is to do the next one. This check needs to know
 * nothing about the core, nor when the machine was quiet.
 */
static bool is_whole(const struct takt_measurer *measurer, const struct batch *batch,
		     uint32_t first, uint32_t count, double unit)
{
	double more = mean_beyond_chain(measurer, batch, TAKT_RUN_PRODUCTS, first, count) / unit;
	double cycles = (more / measurer->stretch + TAKT_CHAIN_CYCLES) / TAKT_PRODUCTS;

	return fabs(cycles - round(cycles)) <= (PRODUCT_TOLERANCE - 1) * cycles;
}

static double allowance_ticks(const struct takt_measurer *measurer)
{
	return fmax(ALLOWANCE_TICKS, STEPS_APART * measurer->step_ticks);
}

/* True if other load used this core, or its clock rate changed, during a sample. */
static bool is_disturbed(const struct takt_measurer *measurer, const struct batch *batch,
			 uint32_t sample, double unit)
{
	double allowance = allowance_ticks(measurer),
	       chain_ticks = chain_difference(measurer) * unit;
	double chain =
		batch->ticks[TAKT_RUN_LONG_CHAIN][sample] - batch->ticks[TAKT_RUN_CHAIN][sample];

	return batch->ticks[TAKT_RUN_DISPATCH_CANARY][sample] >
		       measurer->canaries.dispatch_cycles * unit * DISPATCH_TOLERANCE + allowance ||
	       batch->ticks[TAKT_RUN_VECTOR_CANARY][sample] >
		       measurer->canaries.vector_cycles * unit * VECTOR_TOLERANCE + allowance ||
	       fabs(chain - chain_ticks) > (CHAIN_TOLERANCE - 1) * chain_ticks + allowance;
}

/*
 * Return the cycles that one round gives, or NaN if too few of its samples are undisturbed.
 * `ret_whole` gets those of the long run alone, its fixed part included.
 */
static double round_cycles(const struct takt_measurer *measurer, const struct batch *batch,
			   uint32_t first, uint32_t count, double copies, double *ret_whole)
{
	double unit = ticks_per_cycle(measurer, batch, first, count);
	double once[SAMPLES_PER_ROUND], twice[SAMPLES_PER_ROUND];
	uint32_t kept = 0;

	if (!is_whole(measurer, batch, first, count, unit))
		return NAN;
	for (uint32_t i = first; i < first + count; i++) {
		if (is_disturbed(measurer, batch, i, unit))
			continue;
		once[kept] = batch->ticks[TAKT_RUN_BLOCK][i];
		twice[kept++] = batch->ticks[TAKT_RUN_LONG_BLOCK][i];
	}
	if (kept < SAMPLES_LEAST && kept < count)
		return NAN;
	*ret_whole = faster_mean(measurer, twice, kept) / (2 * unit * copies);
	return (faster_mean(measurer, twice, kept) - faster_mean(measurer, once, kept)) /
	       (unit * copies);
}

/* Lower a canary's best cycles to the median of a batch, unless no processor is that fast. */
static void learn_canary(const struct batch *batch, enum takt_run run, double unit,
			 uint32_t instructions, double *best)
{
	double values[TAKT_SAMPLES_MAX / TAKT_SAMPLE_RUNS], median;

	for (uint32_t i = 0; i < batch->sample_count; i++)
		values[i] = batch->ticks[run][i];
	takt_sort_doubles(values, batch->sample_count);
	median = quantile(values, batch->sample_count, 0.5) / unit;
	if (median >= instructions / TAKT_HOST_WIDEST && (*best == 0 || median < *best))
		*best = median;
}

/* Learn the canaries' best cycles from a batch. False if it was disturbed by other load. */
static bool learn_canaries(const struct takt_measurer *measurer, const struct batch *batch,
			   struct takt_canaries *canaries)
{
	double unit = ticks_per_cycle(measurer, batch, 0, batch->sample_count);

	if (!is_whole(measurer, batch, 0, batch->sample_count, unit))
		return false;
	learn_canary(batch, TAKT_RUN_DISPATCH_CANARY, unit, measurer->dispatch_insns,
		     &canaries->dispatch_cycles);
	learn_canary(batch, TAKT_RUN_VECTOR_CANARY, unit, measurer->vector_insns,
		     &canaries->vector_cycles);
	return true;
}

/* Raise the canaries' best cycles a little: they may no longer be reachable. */
static void forget_canaries(struct takt_canaries *canaries)
{
	canaries->dispatch_cycles *= CANARY_FORGETTING;
	canaries->vector_cycles *= CANARY_FORGETTING;
}

/* Return the largest gap between a run's values, without the outer tenths. */
static double largest_gap(const struct batch *batch, enum takt_run run)
{
	double values[TAKT_SAMPLES_MAX / TAKT_SAMPLE_RUNS], gap = 0;
	size_t count = batch->sample_count;

	memcpy(values, batch->ticks[run], count * sizeof(*values));
	takt_sort_doubles(values, count);
	for (size_t i = count / 10 + 1; i < count - count / 10; i++)
		gap = fmax(gap, values[i] - values[i - 1]);
	return gap;
}

/* Return the least difference other than 0 between any two samples of all runs. */
static double least_difference(const struct batch *batch)
{
	double values[TAKT_SAMPLES_MAX], least = INFINITY;
	size_t count = 0;

	for (int run = 0; run < TAKT_SAMPLE_RUNS; run++)
		for (uint32_t i = 0; i < batch->sample_count; i++)
			values[count++] = batch->ticks[run][i];
	takt_sort_doubles(values, count);
	for (size_t i = 1; i < count; i++)
		if (values[i] > values[i - 1])
			least = fmin(least, values[i] - values[i - 1]);
	return isinf(least) ? 0 : least;
}

/*
 * Return the clock's step in ticks. A fine clock leaves no gaps between the values of the usual
 * run; the gaps of a coarse one are its steps. On a quiet machine, a coarse clock may leave no
 * gaps, either, because all samples of a run are equal, but samples of different runs differ.
 */
static double find_step(const struct batch *batch)
{
	double gaps[TAKT_SAMPLE_RUNS];

	for (int run = 0; run < TAKT_SAMPLE_RUNS; run++)
		gaps[run] = largest_gap(batch, (enum takt_run)run);
	takt_sort_doubles(gaps, TAKT_SAMPLE_RUNS);
	return fmax(quantile(gaps, TAKT_SAMPLE_RUNS, 0.5), least_difference(batch));
}

/* Let the chains take the place of the block's runs, as there is no block yet. */
static void stand_in(struct takt_measurer *measurer)
{
	measurer->entries[TAKT_RUN_BLOCK] = measurer->entries[TAKT_RUN_CHAIN];
	measurer->entries[TAKT_RUN_LONG_BLOCK] = measurer->entries[TAKT_RUN_LONG_CHAIN];
}

/* Run calibration batches to learn the clock's step and the canaries' best cycles. *ret_unit gets
 * the ticks per cycle. */
static bool calibrate(struct takt_measurer *measurer, double *ret_unit)
{
	double steps[CALIBRATION_BATCHES];
	struct takt_measurement ignored;
	struct batch batch;

	stand_in(measurer);
	measurer->deadline_seconds = takt_now_seconds() + CALIBRATION_SECONDS_MAX;
	for (uint32_t i = 0; i < CALIBRATION_BATCHES; i++) {
		double start = takt_now_seconds(), elapsed, ticks = 0;

		if (!run_batch(measurer, CALIBRATION_SAMPLES, &batch, &ignored))
			return false;
		elapsed = takt_now_seconds() - start;
		for (int run = 0; run < TAKT_SAMPLE_RUNS; run++)
			for (uint32_t s = 0; s < batch.sample_count; s++)
				ticks += batch.ticks[run][s];
		if (!(ticks > 0))
			return false;
		measurer->seconds_per_tick = elapsed / ticks;
		steps[i] = find_step(&batch);
		learn_canaries(measurer, &batch, &measurer->trusted);
		*ret_unit = ticks_per_cycle(measurer, &batch, 0, batch.sample_count);
	}
	takt_sort_doubles(steps, CALIBRATION_BATCHES);
	measurer->step_ticks = quantile(steps, CALIBRATION_BATCHES, 0.5);
	return *ret_unit > 0;
}

bool takt_rounds_calibrate(struct takt_measurer *measurer)
{
	double unit, wanted;

	measurer->stretch = 1;
	takt_program_emit_fixed(measurer);
	if (!calibrate(measurer, &unit))
		return false;
	wanted = STEPS_WANTED * measurer->step_ticks / (unit * chain_difference(measurer));
	measurer->stretch = (uint32_t)ceil(fmax(1, fmin(wanted, STRETCH_MAX)));
	if (measurer->stretch == 1)
		return true;
	measurer->trusted = (struct takt_canaries){0, 0};
	takt_program_emit_fixed(measurer);
	return calibrate(measurer, &unit);
}

bool takt_rounds_recalibrate(struct takt_measurer *measurer, struct takt_measurement *measurement)
{
	struct batch batch;
	uint32_t disturbed = 0;
	double unit;

	measurer->canaries = measurer->trusted;
	stand_in(measurer);
	if (!run_batch(measurer, RENEWAL_SAMPLES, &batch, measurement))
		return false;
	unit = ticks_per_cycle(measurer, &batch, 0, batch.sample_count);
	for (uint32_t i = 0; i < batch.sample_count; i++)
		disturbed += is_disturbed(measurer, &batch, i, unit);
	if (learn_canaries(measurer, &batch, &measurer->trusted) &&
	    disturbed > batch.sample_count / 2)
		forget_canaries(&measurer->trusted);
	measurer->canaries = measurer->trusted;
	return true;
}

double takt_rounds_least_seconds(const struct takt_measurer *measurer)
{
	return STEPS_WANTED * measurer->step_ticks * measurer->seconds_per_tick;
}

/* ---- rounds --------------------------------------------------------------- */

struct rounds {
	double cycles[ROUNDS_MAX]; /* ascending */
	double least_cycles;	   /* no processor is faster */
	uint32_t count, rejected;
	uint32_t impossible; /* rejected rounds that were faster than least_cycles */
	/* Rejected rounds of which only the difference of the two runs was: the shorter one met the
	 * processor before it had learnt what the longer one found (memory renaming). */
	uint32_t contradictory;
};

static void add_rounds(const struct takt_measurer *measurer, const struct batch *batch,
		       double copies, uint32_t samples_per_round, struct rounds *rounds)
{
	for (uint32_t i = 0; i + samples_per_round <= batch->sample_count; i += samples_per_round) {
		double whole = 0,
		       cycles = round_cycles(measurer, batch, i, samples_per_round, copies, &whole);

		if (cycles < rounds->least_cycles)
			*(whole < rounds->least_cycles ? &rounds->impossible
						       : &rounds->contradictory) += 1;
		if (isnan(cycles) || cycles < rounds->least_cycles)
			rounds->rejected++;
		else if (rounds->count < ROUNDS_MAX)
			rounds->cycles[rounds->count++] = cycles;
	}
	takt_sort_doubles(rounds->cycles, rounds->count);
}

/* Find the lowest `wanted` neighbouring rounds that agree; return the first, or `count`. */
static uint32_t find_agreement(const struct rounds *rounds, uint32_t wanted, double tolerance)
{
	for (uint32_t i = 0; i + wanted <= rounds->count; i++) {
		double low = rounds->cycles[i], high = rounds->cycles[i + wanted - 1];

		if (low > 0 && high - low <= tolerance * low)
			return i;
	}
	return rounds->count;
}

static void conclude(const struct rounds *rounds, uint32_t wanted, double tolerance,
		     struct takt_measurement *measurement)
{
	uint32_t first = find_agreement(rounds, wanted, tolerance), count = rounds->count;

	measurement->rounds = count;
	measurement->rejected = rounds->rejected;
	if (rounds->impossible > count) {
		measurement->status = TAKT_MEASURE_ESCAPED;
		measurement->cycles = NAN;
		return;
	}
	if (rounds->contradictory > count) {
		measurement->status = TAKT_MEASURE_UNSTABLE;
		measurement->cycles = NAN;
		return;
	}
	if (count == 0) {
		measurement->status = TAKT_MEASURE_DISTURBED;
		return;
	}
	measurement->cycles = quantile(rounds->cycles, count, 0.5);
	if (first < count) {
		measurement->status = TAKT_MEASURE_OK;
		measurement->cycles = quantile(rounds->cycles + first, wanted, 0.5);
	} else {
		measurement->status =
			count < wanted ? TAKT_MEASURE_DISTURBED : TAKT_MEASURE_UNSTABLE;
	}
	measurement->spread =
		(quantile(rounds->cycles, count, 0.75) - quantile(rounds->cycles, count, 0.25)) /
		measurement->cycles;
}

static void explain(const struct rounds *rounds, const struct takt_measurement *measurement,
		    struct takt_text *reason)
{
	if (measurement->status == TAKT_MEASURE_ESCAPED)
		takt_text_printf(reason, "its times are shorter than a processor's can be");
	else if (rounds->contradictory > rounds->count)
		takt_text_printf(reason, "the processor learns while the block runs: the longer "
					 "run takes hardly more time than the shorter one");
	else if (measurement->status == TAKT_MEASURE_DISTURBED)
		takt_text_printf(reason, "%u of %u rounds undisturbed", rounds->count,
				 rounds->count + rounds->rejected);
	else if (measurement->status == TAKT_MEASURE_UNSTABLE)
		takt_text_printf(reason, "rounds from %.2f to %.2f cycles", rounds->cycles[0],
				 rounds->cycles[rounds->count - 1]);
}

/* Wait for other load to pass, which often takes less than a second. */
static void pause_for(uint32_t attempt)
{
	struct timespec pause = {
		0, PAUSE_NANOSECONDS << (attempt < PAUSE_DOUBLINGS ? attempt : PAUSE_DOUBLINGS)};

	nanosleep(&pause, NULL);
}

void takt_rounds_run(struct takt_measurer *measurer, double copies, double sample_seconds,
		     double least_cycles, struct takt_measurement *measurement)
{
	uint32_t wanted = measurer->options.rounds, per_round = SAMPLES_PER_ROUND, samples;
	/* With a coarse clock, rounds that agree can still be one step apart. */
	double tolerance =
		fmax(measurer->options.tolerance, measurer->stretch > 1 ? 1 / STEPS_WANTED : 0);
	double left = measurer->deadline_seconds - takt_now_seconds();
	struct rounds rounds = {.least_cycles = least_cycles};
	struct batch batch;
	bool whole;

	/* Slow blocks get fewer samples per round: they need fewer. */
	while (per_round > 1 && per_round * (wanted + ROUNDS_SPARE) * sample_seconds > left / 4)
		per_round /= 2;
	samples = per_round * (wanted + ROUNDS_SPARE);
	if (samples > TAKT_SAMPLES_MAX / TAKT_SAMPLE_RUNS)
		samples = TAKT_SAMPLES_MAX / TAKT_SAMPLE_RUNS;
	/* Rounds that do not agree by then never will; if rounds were disturbed, all the time that
	 * is left is used. */
	for (uint32_t i = 0; i < BATCHES_MAX || rounds.count < wanted; i++) {
		uint32_t before = rounds.rejected;

		if (i > 0 &&
		    takt_now_seconds() + samples * sample_seconds > measurer->deadline_seconds)
			break;
		if (!run_batch(measurer, samples, &batch, measurement)) {
			if (i == 0 || measurement->status != TAKT_MEASURE_TIMEOUT)
				return;
			break; /* earlier batches have given rounds */
		}
		whole = learn_canaries(measurer, &batch, &measurer->canaries);
		add_rounds(measurer, &batch, copies, per_round, &rounds);
		conclude(&rounds, wanted, tolerance, measurement);
		if (measurement->status == TAKT_MEASURE_OK && i + 1 >= measurer->options.batches)
			return;
		if (rounds.rejected > before) {
			if (whole)
				forget_canaries(&measurer->canaries);
			pause_for(i);
		}
	}
	takt_text_clear(&measurer->reason);
	conclude(&rounds, wanted, tolerance, measurement);
	explain(&rounds, measurement, &measurer->reason);
}
