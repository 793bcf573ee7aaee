/* SPDX-License-Identifier: MIT */
/*
 * Keeps caches, op cache and predictors up to date between the units of a sample (functional
 * warming), and says what they have counted. Nearly all blocks of a sampled run pass here, so that
 * nothing is computed but the state: no cycles, and no places of a layout, which samples do not
 * have.
 */
#include <string.h>

#include "trace/timing/timing.h"

/* Fetch the lines of code of a block, but not the one that was fetched last. */
static void touch_code(struct trace_timing_thread *thread, const struct trace_timing_block *block,
		       const struct executed_block *executed)
{
	uint64_t begin = executed->block->address;

	for (uint32_t i = 0; i < block->fetch_count; i++) {
		const struct timing_fetch *fetch = &block->fetches[i];
		uint64_t address = begin + fetch->offset_bytes;
		uint64_t line = (address + fetch->length_bytes - 1) / TAKT_LINE_BYTES;

		if (fetch->insn >= executed->insn_count)
			return;
		if (line == thread->line)
			continue;
		thread->line = line;
		takt_cache_touch(thread->cache, CACHE_FETCH, address, fetch->length_bytes);
	}
}

/* Make a non-temporal store, which leaves the caches without the line. */
static void touch_non_temporal(struct cache_hierarchy *cache, uint64_t address, uint64_t record)
{
	struct cache_result result;

	takt_cache_write_non_temporal(cache, address, trace_size(record), &result);
}

static void touch_data(struct cache_hierarchy *cache, const struct trace_timing_block *block,
		       const struct executed_block *executed)
{
	for (uint32_t i = 0; i < executed->access_count; i++) {
		uint64_t record = executed->accesses[i];
		uint64_t address = (uint64_t)((int64_t)(trace_value(record) << 16) >> 16);
		bool store = trace_is_store(record);

		if (block->non_temporal && store && block->non_temporal[trace_insn(record)])
			touch_non_temporal(cache, address, record);
		else
			takt_cache_touch(cache, store ? CACHE_STORE : CACHE_LOAD, address,
					 trace_size(record));
	}
}

/* Train the predictor; true if it missed the branch that ends the block. */
static bool train(struct trace_timing_thread *thread, const struct trace_timing_block *block,
		  const struct executed_block *executed)
{
	struct branch branch;
	uint32_t late_cycles;

	return thread->predictor && timing_branch(block, executed, &branch) &&
	       takt_branch_next(thread->predictor, &branch, &late_cycles) == BRANCH_MISSED;
}

/* Fill the op cache as the simulation does, which knows one element of a string instruction. */
static void fill_op_cache(struct sim_stream *stream, const struct trace_timing_block *block,
			  const struct executed_block *executed, bool missed)
{
	const struct trace_block *from = executed->block;
	const struct sim_stream_step step = {
		.block = block->code,
		.insn_count = executed->insn_count,
		.taken = executed->next_address != from->end && !from->repeats,
		.mispredicted = missed || executed->insn_count != from->insn_count,
	};

	if (block->code && !executed->continues)
		takt_sim_stream_learn(stream, &step);
}

void timing_learn(struct trace_timing *timing, struct trace_timing_thread *thread,
		  const struct executed_block *executed)
{
	const struct trace_timing_block *block =
		timing_block_of(timing, executed->block, thread->vectors);

	if (thread->cache) {
		touch_code(thread, block, executed);
		touch_data(thread->cache, block, executed);
	}
	fill_op_cache(thread->stream, block, executed, train(thread, block, executed));
}

/* Return the cycles that the misses of one kind of access would take one after the other. */
static double missing_cycles(const struct trace_timing *timing, const struct cache_counts *counts,
			     enum cache_kind kind)
{
	const struct takt_core_params *params = takt_model_params(timing->options.model);
	const int32_t level_cycles[] = {0, params->l2_extra_cycles, params->l3_extra_cycles,
					params->memory_extra_cycles};
	const uint64_t *misses = counts->misses[kind];
	uint64_t next = misses[0];
	double cycles = (double)counts->tlb_misses[kind] * params->stlb_extra_cycles +
			(double)counts->page_walks[kind] * params->page_walk_cycles;

	for (uint8_t level = 1; level <= CACHE_MEMORY; level++) {
		uint64_t farther = level < CACHE_MEMORY ? misses[level] : 0;

		cycles += (double)(int64_t)(next - farther) * level_cycles[level];
		next = farther;
	}
	return cycles;
}

void timing_find_causes(const struct trace_timing *timing, const struct trace_timing_thread *thread,
			double ret_causes[SAMPLE_CAUSES])
{
	memset(ret_causes, 0, SAMPLE_CAUSES * sizeof(*ret_causes));
	if (thread->cache) {
		const struct cache_counts *counts = takt_cache_counts(thread->cache);

		ret_causes[SAMPLE_FETCHES] = missing_cycles(timing, counts, CACHE_FETCH);
		ret_causes[SAMPLE_LOADS] = missing_cycles(timing, counts, CACHE_LOAD);
		ret_causes[SAMPLE_STORES] = missing_cycles(timing, counts, CACHE_STORE);
	}
	if (thread->predictor) {
		const struct branch_counts *counts = takt_branch_counts(thread->predictor);

		for (size_t i = 0; i < TAKT_COUNT_OF(counts->missed); i++)
			ret_causes[SAMPLE_MISPREDICTS] += (double)counts->missed[i];
	}
}
