/* SPDX-License-Identifier: MIT */
/* Sums up successive intervals of a run. */
#include "trace/timing/intervals.h"

#include <math.h>

void trace_intervals_init(struct trace_intervals *intervals)
{
	*intervals = (struct trace_intervals){.count = 1, .length = TRACE_INTERVAL_INSNS};
}

static struct trace_interval *last_of(struct trace_intervals *intervals)
{
	return &intervals->list[intervals->count - 1];
}

bool trace_intervals_execute(struct trace_intervals *intervals, uint64_t insns)
{
	struct trace_interval *last = last_of(intervals);

	last->insns += insns;
	return last->insns >= intervals->length;
}

void trace_intervals_add(struct trace_intervals *intervals, const struct sim_stream_totals *before,
			 const struct sim_stream_totals *now)
{
	struct trace_interval *last = last_of(intervals);

	last->simulated += now->insns - before->insns;
	for (unsigned i = 0; i < SIM_LOSS_COUNT; i++)
		last->losses[i] += now->losses[i] - before->losses[i];
}

void trace_intervals_add_system(struct trace_intervals *intervals, uint64_t cycles)
{
	last_of(intervals)->system_cycles += cycles;
}

static void merge(struct trace_interval *into, const struct trace_interval *from)
{
	into->insns += from->insns;
	into->simulated += from->simulated;
	into->system_cycles += from->system_cycles;
	for (unsigned i = 0; i < SIM_LOSS_COUNT; i++)
		into->losses[i] += from->losses[i];
}

/* Make one interval of each two. */
static void merge_pairs(struct trace_intervals *intervals)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < intervals->count; i += 2) {
		struct trace_interval one = intervals->list[i];

		if (i + 1 < intervals->count)
			merge(&one, &intervals->list[i + 1]);
		intervals->list[kept++] = one;
	}
	intervals->count = kept;
	intervals->length *= 2;
}

void trace_intervals_next(struct trace_intervals *intervals)
{
	if (intervals->count == TRACE_INTERVALS_MAX)
		merge_pairs(intervals);
	intervals->list[intervals->count++] = (struct trace_interval){0};
}

void trace_intervals_pack(struct trace_intervals *intervals, struct takt_pack *pack)
{
	uint32_t count = intervals->count;

	takt_pack_count(pack, &count, TRACE_INTERVALS_MAX);
	takt_pack_bytes(pack, &intervals->length, sizeof(intervals->length));
	if (pack->reads && !pack->bad && (!count || !intervals->length))
		pack->bad = true;
	if (pack->bad)
		return;
	intervals->count = count;
	takt_pack_bytes(pack, intervals->list, count * sizeof(*intervals->list));
}

/* Join intervals without simulated instructions to those before them, or the first to the next. */
static void join_unknown(struct trace_intervals *intervals)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < intervals->count; i++) {
		const struct trace_interval one = intervals->list[i];

		if (kept && (!one.simulated || !intervals->list[kept - 1].simulated))
			merge(&intervals->list[kept - 1], &one);
		else
			intervals->list[kept++] = one;
	}
	intervals->count = kept;
}

/*
 * Fill in whole cycles, scaled from the simulated instructions to all. Running sums are rounded, so
 * that the losses add up to all parts, rounded.
 */
static void fill(const struct trace_interval *interval, bool is_sample,
		 struct takt_trace_interval *ret_interval)
{
	double scale = is_sample && interval->simulated
			       ? (double)interval->insns / (double)interval->simulated
			       : 1;
	double sum = 0;

	*ret_interval = (struct takt_trace_interval){.insns = interval->insns};
	for (unsigned i = 0; i < SIM_LOSS_COUNT; i++) {
		sum += scale * (double)interval->losses[i] / SIM_CYCLE_PARTS;
		ret_interval->losses[i] = (uint64_t)llround(sum) - ret_interval->cycles;
		ret_interval->cycles += ret_interval->losses[i];
	}
	ret_interval->losses[SIM_LOSS_SYSTEM] += interval->system_cycles;
	ret_interval->cycles += interval->system_cycles;
}

struct takt_trace_interval *trace_intervals_finish(struct trace_intervals *intervals,
						   bool is_sample, uint32_t *ret_count)
{
	struct takt_trace_interval *list;

	if (intervals->count > 1 && !last_of(intervals)->insns) {
		merge(&intervals->list[intervals->count - 2], last_of(intervals));
		intervals->count--;
	}
	if (is_sample)
		join_unknown(intervals);
	list = takt_xcalloc(intervals->count, sizeof(*list));
	for (uint32_t i = 0; i < intervals->count; i++)
		fill(&intervals->list[i], is_sample, &list[i]);
	*ret_count = intervals->count;
	return list;
}
