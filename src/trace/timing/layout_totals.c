/* SPDX-License-Identifier: MIT */
/* Makes one result of the timings of all layouts: means, and how far the layouts differ. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "trace/timing/timing.h"

/* Return the mean over `count` layouts of their sum, rounded. */
static uint64_t mean_of(uint64_t sum, uint32_t count)
{
	assert(count);
	return (sum + count / 2) / count;
}

/* Turn sums over all layouts into means: a struct that consists of 64-bit counts only. */
static void average(uint64_t *counts, size_t size_bytes, uint32_t count)
{
	for (size_t i = 0; i < size_bytes / sizeof(*counts); i++)
		counts[i] = mean_of(counts[i], count);
}

static void add_all(uint64_t *sums, const uint64_t *counts, size_t size_bytes)
{
	for (size_t i = 0; i < size_bytes / sizeof(*sums); i++)
		sums[i] += counts[i];
}

/* Add up what a thread's layouts lost; a mean of cycles is the sum of its mean losses. */
static void average_thread(struct takt_trace_counts *thread, uint32_t count)
{
	thread->uops = mean_of(thread->uops, count);
	thread->cycles = 0;
	for (uint32_t i = 0; i < TAKT_TRACE_LOSSES; i++) {
		thread->losses[i] = mean_of(thread->losses[i], count);
		thread->cycles += thread->losses[i];
	}
	average(thread->port_cycles, sizeof(thread->port_cycles), count);
}

/* Add the figures of one layout's threads to the sums, and return its cycles. */
static uint64_t add_layout(struct trace_timing *timing, struct takt_trace_counts *sums,
			   uint32_t thread_count)
{
	struct takt_trace_counts *own = takt_xcalloc(thread_count, sizeof(*own));
	uint64_t cycles = 0;

	takt_trace_timing_finish(timing, own);
	for (uint32_t t = 0; t < thread_count; t++) {
		sums[t].uops += own[t].uops;
		for (uint32_t i = 0; i < TAKT_TRACE_LOSSES; i++)
			sums[t].losses[i] += own[t].losses[i];
		add_all(sums[t].port_cycles, own[t].port_cycles, sizeof(own[t].port_cycles));
		cycles += own[t].cycles;
	}
	free(own);
	return cycles;
}

/* Add what the models beside the pipeline counted to the first layout's counts. */
static void add_models(struct trace_timing *first, const struct trace_timing *timing)
{
	if (timing == first)
		return;
	add_all((uint64_t *)&first->cache_counts, (const uint64_t *)&timing->cache_counts,
		sizeof(first->cache_counts));
	add_all((uint64_t *)&first->branch_counts, (const uint64_t *)&timing->branch_counts,
		sizeof(first->branch_counts));
	first->memo_counts.checked += timing->memo_counts.checked;
	first->memo_counts.wrong += timing->memo_counts.wrong;
	first->stuck |= timing->stuck;
}

double takt_trace_layouts_error(const uint64_t *cycles, const uint64_t *less, uint32_t count,
				double *ret_deviation)
{
	double sum = 0, squares = 0, deviation;

	for (uint32_t i = 0; i < count; i++)
		sum += (double)cycles[i] - (less ? (double)less[i] : 0);
	for (uint32_t i = 0; i < count; i++) {
		double apart = (double)cycles[i] - (less ? (double)less[i] : 0) - sum / count;

		squares += apart * apart;
	}
	deviation = count > 1 ? sqrt(squares / (count - 1)) : 0;
	if (ret_deviation)
		*ret_deviation = deviation;
	return count > 1 ? trace_sample_student(count - 1) * deviation / sqrt(count) : 0;
}

struct takt_trace_layouts *trace_layouts_finish(struct trace_timing *const *timings, uint32_t count,
						struct takt_trace_counts *threads,
						uint32_t thread_count)
{
	struct takt_trace_layouts *made = takt_xcalloc(1, sizeof(*made));
	uint64_t *cycles = takt_xcalloc(count, sizeof(*cycles));
	struct trace_timing *first = timings[0];

	for (uint32_t i = 0; i < count; i++) {
		cycles[i] = add_layout(timings[i], threads, thread_count);
		add_models(first, timings[i]);
	}
	for (uint32_t t = 0; t < thread_count; t++)
		average_thread(&threads[t], count);
	average((uint64_t *)&first->cache_counts, sizeof(first->cache_counts), count);
	average((uint64_t *)&first->branch_counts, sizeof(first->branch_counts), count);
	*made = (struct takt_trace_layouts){
		.count = count,
		.seed = first->options.seed,
		.cycles = cycles,
	};
	made->half_width_cycles =
		takt_trace_layouts_error(cycles, NULL, count, &made->deviation_cycles);
	return made;
}

void takt_trace_layouts_totals_free(const struct takt_trace_layouts *layouts)
{
	if (!layouts)
		return;
	free((void *)(uintptr_t)layouts->cycles);
	free((void *)(uintptr_t)layouts);
}
