/* SPDX-License-Identifier: MIT */
/*
 * Counts events of a block with the caller's counters: runs with some copies of the block and with
 * twice as many alternate, and their difference is the additional copies'. As many events are
 * counted at once as there are hardware counters, so that no two events share one in turns.
 */

#include "measure/measurer.h"

#define COUNT_ROUNDS 5u
#define COUNT_REPEATS 64u /* repetitions of a run, since its end is mispredicted at times */

void takt_measurer_attach(struct takt_measurer *measurer, const struct takt_counters *counters)
{
	takt_child_kill(&measurer->child);
	measurer->child.counters = counters;
	measurer->child.is_counted = false;
	measurer->child_used = false;
}

/* Repeat a run many times, then read the counters. */
static bool run_and_read(struct takt_measurer *measurer, enum takt_run run, uint32_t first,
			 uint32_t count, double *values, const char **ret_reason)
{
	const struct takt_order order = {run, 1, COUNT_REPEATS, TAKT_CHILD_MAP_FAULTS};
	const struct takt_counters *counters = measurer->child.counters;
	struct takt_measurement measurement = {0};

	if (!takt_bench_command(measurer, &order, &measurement)) {
		*ret_reason = "the block ended the process";
		return false;
	}
	if (counters->read(counters->context, first, count, values))
		return true;
	*ret_reason = "another program uses a counter";
	return false;
}

/* Run one round, and compute how many more events the longer runs have, per additional copy. */
static bool run_round(struct takt_measurer *measurer, double copies, uint32_t first, uint32_t count,
		      double *ret_counts, const char **ret_reason)
{
	const struct takt_counters *counters = measurer->child.counters;
	double *values = TAKT_NEW_ARRAY(&measurer->arena, 3 * (size_t)counters->count, double);
	double *start = values, *middle = start + counters->count, *end = middle + counters->count;

	if (!counters->read(counters->context, first, count, start)) {
		*ret_reason = "another program uses a counter";
		return false;
	}
	if (!run_and_read(measurer, TAKT_RUN_BLOCK, first, count, middle, ret_reason) ||
	    !run_and_read(measurer, TAKT_RUN_LONG_BLOCK, first, count, end, ret_reason))
		return false;
	for (uint32_t i = first; i < first + count; i++)
		ret_counts[i] =
			((end[i] - middle[i]) - (middle[i] - start[i])) / (COUNT_REPEATS * copies);
	return true;
}

/* Count events that fit the counters together: the result is the median of a few rounds. */
static bool count_batch(struct takt_measurer *measurer, double copies, uint32_t first,
			uint32_t count, double *ret_counts, const char **ret_reason)
{
	const struct takt_counters *counters = measurer->child.counters;
	double *rounds =
		TAKT_NEW_ARRAY(&measurer->arena, COUNT_ROUNDS * (size_t)counters->count, double);

	if (!counters->select(counters->context, first, count)) {
		*ret_reason = "counters cannot be switched";
		return false;
	}
	for (uint32_t r = 0; r < COUNT_ROUNDS; r++)
		if (!run_round(measurer, copies, first, count, rounds + r * (size_t)counters->count,
			       ret_reason))
			return false;
	for (uint32_t i = first; i < first + count; i++) {
		double values[COUNT_ROUNDS];

		for (uint32_t r = 0; r < COUNT_ROUNDS; r++)
			values[r] = rounds[r * (size_t)counters->count + i];
		takt_sort_doubles(values, COUNT_ROUNDS);
		ret_counts[i] = values[COUNT_ROUNDS / 2];
	}
	return true;
}

bool takt_measurer_count(struct takt_measurer *measurer, const struct takt_measurement *measurement,
			 double *ret_counts, const char **ret_reason)
{
	const struct takt_counters *counters = measurer->child.counters;
	double copies = (double)measurement->copies[1] - (double)measurement->copies[0];

	*ret_reason = "the process could not be counted";
	if (!counters || !measurer->child.pid || !measurer->child.is_counted || copies <= 0)
		return false;
	measurer->deadline_seconds = takt_now_seconds() + measurer->options.time_limit_seconds;
	for (uint32_t first = 0; first < counters->count; first += counters->at_once) {
		uint32_t left = counters->count - first;
		uint32_t count = left < counters->at_once ? left : counters->at_once;

		if (!count_batch(measurer, copies, first, count, ret_counts, ret_reason))
			return false;
	}
	return true;
}
