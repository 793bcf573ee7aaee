/* SPDX-License-Identifier: MIT */
/* Intervals sum up to the whole, however many there were, and are as long as each other. */
#include <stdlib.h>

#include "trace/timing/intervals.h"
#include "unit/tap.h"

#define STEPS 100000u

/* Count one step of 7 instructions, in which 3 cycles and a half were lost to each of two causes.
 */
static void step(struct trace_intervals *intervals, bool is_simulated)
{
	struct sim_stream_totals before = {0}, now = {0};
	bool is_complete = trace_intervals_execute(intervals, 7);

	now.insns = 7;
	now.losses[1] = now.losses[2] = 7 * SIM_CYCLE_PARTS / 2;
	if (is_simulated)
		trace_intervals_add(intervals, &before, &now);
	if (is_complete)
		trace_intervals_next(intervals);
}

static void sum_up(const struct takt_trace_interval *list, uint32_t count,
		   struct takt_trace_interval *ret_sum)
{
	*ret_sum = (struct takt_trace_interval){0};
	for (uint32_t i = 0; i < count; i++) {
		uint64_t losses = 0;

		ret_sum->insns += list[i].insns;
		ret_sum->cycles += list[i].cycles;
		for (unsigned k = 0; k < SIM_LOSS_COUNT; k++)
			losses += list[i].losses[k];
		if (losses != list[i].cycles)
			ok(false, "the losses of interval %u add up", i);
	}
}

static void test_all(void)
{
	struct trace_intervals *intervals = malloc(sizeof(*intervals));
	struct takt_trace_interval *list, sum;
	uint32_t count;

	trace_intervals_init(intervals);
	for (uint32_t i = 0; i < STEPS; i++)
		step(intervals, true);
	trace_intervals_add_system(intervals, 300);
	list = trace_intervals_finish(intervals, false, &count);
	sum_up(list, count, &sum);
	ok(count <= TRACE_INTERVALS_MAX && count > TRACE_INTERVALS_MAX / 4, "%u intervals", count);
	is_int((long long)sum.insns, 7 * STEPS, "all instructions are in one");
	is_int((long long)sum.cycles, 7 * STEPS + 300, "and all cycles");
	for (uint32_t i = 1; i + 1 < count; i++)
		if (list[i].insns > list[0].insns + 28 || list[i].insns + 28 < list[0].insns)
			ok(false, "interval %u is as long as the first", i);
	free(list);
	free(intervals);
}

/* Of a sample, one step in ten is simulated at first, and none later. */
static void test_sample(void)
{
	struct trace_intervals *intervals = malloc(sizeof(*intervals));
	struct takt_trace_interval *list, sum;
	uint32_t count;

	trace_intervals_init(intervals);
	for (uint32_t i = 0; i < STEPS; i++)
		step(intervals, i % 10 == 0 && i < STEPS / 2);
	list = trace_intervals_finish(intervals, true, &count);
	sum_up(list, count, &sum);
	is_int((long long)sum.insns, 7 * STEPS, "a sample: all instructions are in one");
	ok(sum.cycles + count >= 7 * STEPS && sum.cycles <= 7 * STEPS + count,
	   "cycles are scaled: %ju of %u", (uintmax_t)sum.cycles, 7 * STEPS);
	for (uint32_t i = 0; i < count; i++)
		if (!list[i].cycles)
			ok(false, "interval %u has cycles", i);
	free(list);
	free(intervals);
}

static void test_short(void)
{
	struct trace_intervals *intervals = malloc(sizeof(*intervals));
	struct takt_trace_interval *list;
	uint32_t count;

	trace_intervals_init(intervals);
	step(intervals, true);
	list = trace_intervals_finish(intervals, false, &count);
	is_int(count, 1, "a short run is one interval");
	is_int((long long)list[0].cycles, 7, "with its cycles");
	free(list);
	free(intervals);
}

int main(void)
{
	test_all();
	test_sample();
	test_short();
	return tap_done();
}
