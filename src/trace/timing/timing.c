/* SPDX-License-Identifier: MIT */
/* Feeds the executed blocks of each thread to its caches, branch predictor and pipeline. */
#include "trace/timing/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/blocks/record.h"

#define STRING_CYCLES_MAX (UINT32_MAX / 2)

/* ---- caches ---- */

static int32_t level_cycles(const struct trace_timing *timing, uint8_t level)
{
	const struct takt_core_params *params = takt_model_params(timing->options.model);
	const int32_t levels[] = {0, params->l2_extra_cycles, params->l3_extra_cycles,
				  params->memory_extra_cycles};

	return levels[level];
}

/* Return the cycles that an access takes beyond a hit in the first cache. */
static uint32_t miss_cycles(const struct trace_timing *timing, const struct cache_result *result)
{
	const struct takt_core_params *params = takt_model_params(timing->options.model);
	int32_t cycles = level_cycles(timing, result->level);

	if (result->page_walk)
		cycles += params->page_walk_cycles;
	else if (result->tlb_miss)
		cycles += params->stlb_extra_cycles;
	return (uint32_t)cycles;
}

static uint32_t result_cycles(const struct trace_timing *timing, const struct cache_result *result)
{
	return result->level || result->tlb_miss || result->page_walk ? miss_cycles(timing, result)
								      : 0;
}

static uint32_t access_cycles(const struct trace_timing *timing, struct cache_hierarchy *cache,
			      enum cache_kind kind, uint64_t address, uint32_t size_bytes)
{
	struct cache_result result;

	takt_cache_access(cache, kind, address, size_bytes, &result);
	return result_cycles(timing, &result);
}

static uint16_t short_cycles(uint32_t cycles)
{
	return (uint16_t)(cycles < UINT16_MAX ? cycles : UINT16_MAX);
}

/* Fetch the instruction, if it ends in another line than the last fetch; add it to the fetches. */
static uint32_t fetch_insn(const struct trace_timing *timing, struct trace_timing_thread *thread,
			   uint64_t address, uint32_t length_bytes, uint32_t insn, uint32_t count)
{
	uint64_t line = (address + length_bytes - 1) / TAKT_LINE_BYTES;
	uint32_t cycles;

	if (line == thread->line)
		return count;
	thread->line = line;
	cycles = access_cycles(timing, thread->cache, CACHE_FETCH, address, length_bytes);
	if (cycles)
		thread->fetches[count++] =
			(struct sim_stream_fetch){(uint16_t)insn, short_cycles(cycles)};
	return count;
}

/* The same as fetch_code() for a block that is moved to another place. */
static uint32_t fetch_moved(const struct trace_timing *timing, struct trace_timing_thread *thread,
			    const struct executed_block *executed)
{
	const struct trace_block *block = executed->block;
	uint64_t address = block->address + thread->shift.fetch;
	uint32_t count = 0;

	for (uint32_t i = 0; i < executed->insn_count; address += block->lengths[i++])
		count = fetch_insn(timing, thread, address, block->lengths[i], i, count);
	return count;
}

/* Fetch the code of a block; successive instructions in one cache line are one fetch. */
static uint32_t fetch_code(const struct trace_timing *timing, struct trace_timing_thread *thread,
			   const struct trace_timing_block *block,
			   const struct executed_block *executed)
{
	const struct timing_fetch *fetch = block->fetches;
	uint32_t count = 0;

	if (timing->options.layouts)
		return fetch_moved(timing, thread, executed);
	for (uint32_t i = 0; i < block->fetch_count && fetch->insn < executed->insn_count;
	     i++, fetch++)
		count = fetch_insn(timing, thread, executed->block->address + fetch->offset_bytes,
				   fetch->length_bytes, fetch->insn, count);
	return count;
}

/* ---- branches ---- */

/* Indirect branches: the predicted target arrives later than a direct branch's, unless the
 * predictor knows it as the only one. */
static uint32_t indirect_cycles(const struct trace_timing *timing,
				const struct trace_timing_thread *thread, enum branch_kind kind)
{
	const struct takt_core_params *params = takt_model_params(timing->options.model);

	if (thread->predictor && takt_branch_target_known(thread->predictor))
		return 0;
	switch (kind) {
	case BRANCH_INDIRECT:
	case BRANCH_INDIRECT_CALL:
	case BRANCH_RETURN:
		return params->branch_indirect_cycles > 0 ? (uint32_t)params->branch_indirect_cycles
							  : 0;
	case BRANCH_CONDITIONAL:
	case BRANCH_JUMP:
	case BRANCH_CALL:
		break;
	}
	return 0;
}

/* Move a branch, what it leads to, and what is after it, to their places in the layout. */
static void move_branch(const struct trace_timing *timing, const struct trace_timing_thread *thread,
			struct branch *branch)
{
	const struct trace_layouts *layouts = timing->options.layouts;

	if (!layouts)
		return;
	branch->address += thread->shift.code;
	branch->end += trace_layouts_behind(layouts, timing->options.layout);
	branch->next = branch->taken
			       ? branch->next + trace_layouts_next(layouts, timing->options.layout)
			       : branch->end;
}

static enum branch_verdict predict(const struct trace_timing *timing,
				   struct trace_timing_thread *thread,
				   const struct trace_timing_block *block,
				   const struct executed_block *executed, uint32_t *ret_late_cycles)
{
	struct branch branch;

	*ret_late_cycles = 0;
	if (!thread->predictor || !timing_branch(block, executed, &branch))
		return BRANCH_PREDICTED;
	move_branch(timing, thread, &branch);
	return takt_branch_next(thread->predictor, &branch, ret_late_cycles);
}

/* ---- accesses ---- */

#define STACK_BYTES (UINT64_C(4) << 20) /* below a thread's first access: taken for its stack */
#define STACK_PAGE_BYTES 4096u

/* Return an access's address, where the layout has stack and data. */
static uint64_t address_of(const struct trace_timing *timing,
			   const struct trace_timing_thread *thread, uint64_t record)
{
	uint64_t address = (uint64_t)((int64_t)(trace_value(record) << 16) >> 16);
	uint64_t top = thread->stack | (STACK_PAGE_BYTES - 1);

	if (!timing->options.layouts)
		return address;
	return address + trace_layouts_data(timing->options.layouts, top - address < STACK_BYTES,
					    timing->options.layout);
}

/*
 * Access the caches, and return the cycles of the access beyond a hit. A non-temporal store holds a
 * fill buffer until memory has the line, as a miss would.
 */
static uint32_t record_cycles(const struct trace_timing *timing,
			      const struct trace_timing_thread *thread,
			      const struct trace_timing_block *block, uint64_t record,
			      struct cache_result *ret_result)
{
	bool store = trace_is_store(record);

	if (!block->non_temporal || !store || !block->non_temporal[trace_insn(record)])
		takt_cache_access(thread->cache, store ? CACHE_STORE : CACHE_LOAD,
				  address_of(timing, thread, record), trace_size(record),
				  ret_result);
	else
		takt_cache_write_non_temporal(thread->cache, address_of(timing, thread, record),
					      trace_size(record), ret_result);
	return result_cycles(timing, ret_result);
}

/* Add the lines that the last access let be prefetched to those of the block. */
static void add_prefetches(struct trace_timing *timing, const struct cache_hierarchy *cache,
			   uint8_t count)
{
	const struct cache_prefetch *prefetches = takt_cache_prefetched(cache);

	for (uint8_t i = 0; i < count; i++)
		timing->prefetches[timing->prefetch_count++] =
			(struct sim_stream_prefetch){prefetches[i].address, prefetches[i].level};
}

static void reserve_accesses(struct trace_timing *timing, uint32_t count)
{
	TAKT_GROW(timing->accesses, count, timing->access_capacity);
	TAKT_GROW(timing->prefetches, (size_t)count * CACHE_PREFETCHES_MAX,
		  timing->prefetch_capacity);
	timing->prefetch_count = 0;
}

static void convert_accesses(struct trace_timing *timing, const struct trace_timing_thread *thread,
			     const struct trace_timing_block *block,
			     const struct executed_block *executed)
{
	reserve_accesses(timing, executed->access_count);
	for (uint32_t i = 0; i < executed->access_count; i++) {
		uint64_t record = executed->accesses[i];
		struct cache_result result;

		timing->accesses[i] = (struct sim_stream_access){
			.address = address_of(timing, thread, record),
			.insn = (uint16_t)trace_insn(record),
			.size_bytes = (uint8_t)trace_size(record),
			.store = trace_is_store(record),
		};
		if (!thread->cache)
			continue;
		timing->accesses[i].extra_cycles =
			short_cycles(record_cycles(timing, thread, block, record, &result));
		timing->accesses[i].prefetches = result.prefetches;
		if (result.prefetches)
			add_prefetches(timing, thread->cache, result.prefetches);
	}
}

/* ---- string instructions ---- */

/* Add a further element: the caches see its accesses, the pipeline only the sum of its cycles. */
static void add_turn(struct trace_timing *timing, struct trace_timing_thread *thread,
		     const struct executed_block *executed)
{
	const struct trace_timing_block *block =
		timing_block_of(timing, executed->block, thread->vectors);
	struct timing_held *held = &thread->held;

	held->elements += executed->insn_count;
	for (uint32_t i = 0; thread->cache && i < executed->access_count; i++) {
		struct cache_result result;

		held->miss_cycles +=
			record_cycles(timing, thread, block, executed->accesses[i], &result);
		if (result.prefetched && result.prefetched_from == CACHE_MEMORY)
			held->lines++;
	}
}

/*
 * Return the cycles of a string instruction. Long moves and fills work in wide pieces, all others
 * element by element.
 */
static uint32_t string_cycles(const struct trace_timing *timing, const struct timing_held *held)
{
	const struct takt_core_params *params = takt_model_params(timing->options.model);
	uint64_t cycles;

	if (held->string_kind == TAKT_STRING_OTHER)
		cycles = (uint64_t)params->string_start_cycles +
			 held->elements * (uint32_t)params->string_element_cycles;
	else
		cycles = takt_string_cycles(params, held->string_kind, held->element_bytes,
					    held->elements);
	/* Lines are fetched ahead, as many in parallel as there are fill buffers. */
	if (params->line_fill_buffers > 0)
		cycles += held->miss_cycles / (uint32_t)params->line_fill_buffers;
	cycles += held->lines * (uint32_t)params->memory_line_cycles;
	return (uint32_t)(cycles < STRING_CYCLES_MAX ? cycles : STRING_CYCLES_MAX);
}

static void feed(struct trace_timing *timing, struct trace_timing_thread *thread,
		 const struct sim_stream_step *executed)
{
	if (timing->window.wanted.count && thread->number == timing->window.wanted.thread)
		timing_window_execute(timing, thread->stream, executed);
	takt_sim_stream_step(thread->stream, executed);
}

static void flush_held(struct trace_timing *timing, struct trace_timing_thread *thread)
{
	struct timing_held *held = &thread->held;

	if (!held->waits)
		return;
	held->waits = false;
	held->executed.extra_cycles = string_cycles(timing, held);
	feed(timing, thread, &held->executed);
}

/* memcpy(), except that pointers may be NULL if the size is 0. */
static void copy(void *to, const void *from, size_t size_bytes)
{
	if (size_bytes)
		memcpy(to, from, size_bytes);
}

static void hold(struct trace_timing_thread *thread, uint32_t number,
		 const struct trace_timing_block *block, const struct sim_stream_step *executed)
{
	struct timing_held *held = &thread->held;

	held->executed = *executed;
	held->number = number;
	held->element_bytes = block->element_bytes;
	held->string_kind = block->string_kind;
	if (held->executed.access_count > TIMING_HELD_MAX)
		held->executed.access_count = TIMING_HELD_MAX;
	copy(held->accesses, executed->accesses,
	     held->executed.access_count * sizeof(*held->accesses));
	copy(held->fetches, executed->fetches, executed->fetch_count * sizeof(*held->fetches));
	for (uint32_t i = 0; i < held->executed.access_count; i++)
		held->accesses[i].prefetches = 0; /* its lines are counted together */
	held->executed.accesses = held->accesses;
	held->executed.fetches = held->fetches;
	held->executed.prefetches = NULL;
	held->elements = 1;
	held->miss_cycles = held->lines = 0;
	held->waits = true;
}

/* ---- executed blocks ---- */

static void simulate(struct trace_timing *timing, struct trace_timing_thread *thread,
		     const struct executed_block *executed)
{
	const struct trace_timing_block *block;
	bool complete = executed->insn_count == executed->block->insn_count;
	struct sim_stream_step made;
	uint32_t late_cycles;

	if (executed->continues && thread->held.waits) {
		add_turn(timing, thread, executed);
		return;
	}
	flush_held(timing, thread);
	block = timing_block_of(timing, executed->block, thread->vectors);
	if (!block->code) { /* the simulator has no room for the block */
		timing->unknown_insns += executed->insn_count;
		return;
	}
	timing->unknown_insns += block->unknown;
	timing->default_insns += block->defaults;
	timing->unsettled_insns += block->vector_use.unsettled;
	timing->simulated_insns += executed->insn_count;
	made = (struct sim_stream_step){
		.block = block->code,
		.fetches = thread->fetches,
		.access_count = executed->access_count,
		.insn_count = executed->insn_count,
		.taken =
			executed->next_address != executed->block->end && !executed->block->repeats,
		.cookie = thread->cookie,
	};
	if (thread->cache)
		made.fetch_count = fetch_code(timing, thread, block, executed);
	convert_accesses(timing, thread, block, executed);
	made.accesses = timing->accesses;
	made.prefetches = timing->prefetches;
	/* A fault flushes the pipeline as a misprediction does. */
	made.mispredicted =
		predict(timing, thread, block, executed, &late_cycles) == BRANCH_MISSED ||
		!complete;
	if (block->branches)
		late_cycles +=
			indirect_cycles(timing, thread, (enum branch_kind)block->branch_kind);
	made.late_cycles = short_cycles(late_cycles);
	if (executed->block->repeats && complete)
		hold(thread, executed->block->number, block, &made);
	else
		feed(timing, thread, &made);
}

/* Add what the thread's pipeline has done since the last call to the current interval. */
static void add_to_interval(struct trace_timing *timing, struct trace_timing_thread *thread)
{
	struct sim_stream_totals now;

	takt_sim_stream_totals(thread->stream, &now);
	trace_intervals_add(&timing->intervals, &thread->in_intervals, &now);
	thread->in_intervals = now;
}

/*
 * Count the executed block in the current interval. All but samples, which add each unit at
 * its end, add what was simulated when another thread runs or the interval ends.
 */
static void count_in_interval(struct trace_timing *timing, struct trace_timing_thread *thread,
			      const struct executed_block *executed)
{
	bool adds = !timing->options.sample;

	if (timing->options.layouts)
		return;
	if (adds && timing->interval_thread != thread->number &&
	    timing->threads[timing->interval_thread])
		add_to_interval(timing, timing->threads[timing->interval_thread]);
	timing->interval_thread = thread->number;
	if (!trace_intervals_execute(&timing->intervals,
				     executed->insn_count - (uint64_t)executed->continues))
		return;
	if (adds)
		add_to_interval(timing, thread);
	trace_intervals_next(&timing->intervals);
}

/* End a unit of the sample: add what the pipeline did since the unit began. */
static void end_unit(struct trace_timing *timing, struct trace_timing_thread *thread)
{
	uint32_t weight = trace_sample_weight(&thread->sample);
	struct sim_stream_totals now;
	double causes[SAMPLE_CAUSES];

	takt_sim_stream_totals(thread->stream, &now);
	timing_find_causes(timing, thread, causes);
	trace_intervals_add(&timing->intervals, &thread->unit_start, &now);
	thread->unit.uops += weight * (now.uops - thread->unit_start.uops);
	for (unsigned i = 0; i < SIM_LOSS_COUNT; i++)
		thread->unit.losses[i] += weight * (now.losses[i] - thread->unit_start.losses[i]);
	for (unsigned i = 0; i < TAKT_PORTS_MAX; i++)
		thread->unit.ports[i] += weight * (now.ports[i] - thread->unit_start.ports[i]);
	trace_sample_end(&thread->sample, now.insns - thread->unit_start.insns,
			 now.cycles - thread->unit_start.cycles, causes);
}

static void change_phase(struct trace_timing *timing, struct trace_timing_thread *thread)
{
	double causes[SAMPLE_CAUSES];

	switch (thread->sample.phase) {
	case SAMPLE_WARM:
		break;
	case SAMPLE_MEASURE:
		timing_find_causes(timing, thread, causes);
		trace_sample_begin(&thread->sample, causes);
		takt_sim_stream_totals(thread->stream, &thread->unit_start);
		break;
	case SAMPLE_SKIP:
		end_unit(timing, thread);
		timing->weight = 0;
		flush_held(timing, thread);
		takt_sim_stream_drain(thread->stream);
		break;
	}
}

/* Return the factor, in the profile, of the cycles that retire now. */
static uint32_t weight_of(const struct trace_timing_thread *thread, bool samples)
{
	if (!samples)
		return 1;
	return thread->sample.phase == SAMPLE_MEASURE ? trace_sample_weight(&thread->sample) : 0;
}

/* Find where the block and the thread's stack are in the layout. */
static void place(const struct trace_timing *timing, struct trace_timing_thread *thread,
		  const struct executed_block *executed)
{
	struct trace_layouts *layouts = timing->options.layouts;

	if (!layouts)
		return;
	if (timing->first == timing)
		trace_layouts_note(layouts, thread->number, executed);
	thread->shift = trace_layouts_shift(layouts, trace_layouts_piece(layouts, executed->block),
					    timing->options.layout);
	if (!thread->stack && executed->access_count)
		thread->stack = trace_value(executed->accesses[0]);
}

static void time_step(struct trace_sink *sink, uint32_t number,
		      const struct executed_block *executed)
{
	struct trace_timing *timing = (struct trace_timing *)sink;
	struct trace_timing_thread *thread = timing->threads[number];
	bool samples = timing->options.sample;

	timing->next->executed(timing->next, number, executed);
	if (timing->profile)
		thread->cookie = timing->first == timing ? takt_trace_profile_note(timing->profile,
										   number, executed)
							 : timing->first->threads[number]->cookie;
	place(timing, thread, executed);
	if (!executed->insn_count)
		return;
	timing->weight = weight_of(thread, samples);
	if (samples && thread->sample.phase == SAMPLE_SKIP)
		timing_learn(timing, thread, executed);
	else
		simulate(timing, thread, executed);
	if (timing->vectors.count)
		timing_vectors_execute(timing, thread, executed);
	count_in_interval(timing, thread, executed);
	/* Further elements of a string instruction are not counted as instructions. */
	if (samples && !executed->continues &&
	    trace_sample_advance(&thread->sample, executed->insn_count))
		change_phase(timing, thread);
}

/* A system call has fixed cycles; in a sample, they are added to the estimate afterwards. */
static void time_syscall(struct trace_sink *sink, uint32_t number, uint64_t syscall)
{
	struct trace_timing *timing = (struct trace_timing *)sink;
	struct trace_timing_thread *thread = timing->threads[number];

	timing->next->syscall(timing->next, number, syscall);
	if (syscall == timing->options.syscall_sigreturn)
		timing_vectors_return(thread);
	if (timing->profile && timing->first == timing)
		takt_trace_profile_syscall(timing->profile, number, syscall);
	if (trace_is_marker(syscall)) /* exists only under takt, so it costs nothing */
		return;
	if (timing->options.sample && !thread->sample.beginning) {
		thread->system_cycles += timing->options.syscall_cycles;
		trace_intervals_add_system(&timing->intervals, timing->options.syscall_cycles);
		return;
	}
	flush_held(timing, thread);
	takt_sim_stream_rest(thread->stream, timing->options.syscall_cycles, thread->cookie);
}

/* ---- threads ---- */

static void charge(struct sim_stream_sink *sink, uint64_t cookie, const struct sim_charges *charges)
{
	struct trace_timing *timing =
		(struct trace_timing *)((char *)sink - offsetof(struct trace_timing, retired));

	if (timing->weight)
		takt_trace_profile_charge(timing->profile, cookie, charges, timing->weight);
}

static bool knows(struct sim_stream_sink *sink, uint64_t cookie)
{
	struct trace_timing *timing =
		(struct trace_timing *)((char *)sink - offsetof(struct trace_timing, retired));

	return takt_trace_profile_knows(timing->profile, cookie);
}

struct trace_timing_thread *timing_thread_new(struct trace_timing *timing, uint32_t number)
{
	const struct takt_core_params *params = takt_model_params(timing->options.model);
	const struct sim_stream_options options = {
		.sink = timing->profile ? &timing->retired : NULL,
		.misses_max = (uint32_t)params->line_fill_buffers,
		.memory_cycles = (uint32_t)params->memory_extra_cycles,
		.memory_line_cycles = (uint32_t)params->memory_line_cycles,
		.level_cycles = {0, (uint32_t)params->l2_extra_cycles,
				 (uint32_t)params->l3_extra_cycles,
				 (uint32_t)params->memory_extra_cycles},
		.no_memo = timing->options.no_memo,
		.check_every = timing->options.memo_check,
	};
	struct trace_timing_thread *thread = takt_xcalloc(1, sizeof(*thread));

	thread->number = number;
	thread->stream = takt_sim_stream_new(timing->code, &options);
	trace_sample_init(&thread->sample, timing->options.seed + ((uint64_t)number << 32));
	if (timing->options.cache)
		thread->cache = takt_cache_new(&timing->shape);
	if (timing->options.branch)
		thread->predictor = takt_branch_new(params);
	return thread;
}

void timing_reserve_threads(struct trace_timing *timing, uint32_t number)
{
	TAKT_GROW(timing->threads, number + 1, timing->thread_capacity);
	TAKT_GROW(timing->results, number + 1, timing->result_capacity);
	for (; timing->thread_count <= number; timing->thread_count++) {
		timing->threads[timing->thread_count] = NULL;
		timing->results[timing->thread_count] = (struct trace_timing_result){0};
	}
}

static void start_thread(struct trace_sink *sink, uint32_t number)
{
	struct trace_timing *timing = (struct trace_timing *)sink;

	timing->next->thread_start(timing->next, number);
	timing_reserve_threads(timing, number);
	timing->threads[number] = timing_thread_new(timing, number);
}

/* Add structs that consist of 64-bit counts only. */
static void add_counts(uint64_t *sum, const uint64_t *counts, size_t size_bytes)
{
	for (size_t i = 0; i < size_bytes / sizeof(*sum); i++)
		sum[i] += counts[i];
}

/* Estimate the whole thread from its sample. */
static void estimate(const struct trace_timing *timing, struct trace_timing_thread *thread,
		     struct trace_timing_result *result)
{
	const struct sim_stream_totals *unit = &thread->unit;
	uint64_t measured = 0, parts = 0;
	double scale, causes[SAMPLE_CAUSES];

	timing_find_causes(timing, thread, causes);
	result->units = thread->sample.units;
	trace_sample_finish(&thread->sample, causes, &result->cycles, &result->half_width);
	for (unsigned i = 0; i < SIM_LOSS_COUNT; i++)
		measured += unit->losses[i];
	measured /= SIM_CYCLE_PARTS;
	result->measured_cycles = measured;
	scale = measured ? result->cycles / (double)measured : 0;
	for (unsigned i = 0; i < SIM_LOSS_COUNT; i++)
		result->totals.losses[i] = (uint64_t)llround(scale * (double)unit->losses[i]);
	for (unsigned i = 0; i < TAKT_PORTS_MAX; i++)
		result->totals.ports[i] = (uint64_t)llround(scale * (double)unit->ports[i]);
	result->totals.losses[SIM_LOSS_SYSTEM] += SIM_CYCLE_PARTS * thread->system_cycles;
	result->totals.uops = (uint64_t)llround(scale * (double)unit->uops);
	for (unsigned i = 0; i < SIM_LOSS_COUNT; i++)
		parts += result->totals.losses[i];
	result->totals.cycles = (parts + SIM_CYCLE_PARTS / 2) / SIM_CYCLE_PARTS;
}

/* End a thread: keep its result and free everything else. */
static void close_thread(struct trace_timing *timing, uint32_t number)
{
	struct trace_timing_thread *thread = timing->threads[number];
	struct trace_timing_result *result = &timing->results[number];
	struct sim_memo_counts memo_counts;

	if (!thread)
		return;
	flush_held(timing, thread);
	/* In a sample, the thread's end completes a unit only if that is the whole run. */
	timing->weight = !timing->options.sample || thread->sample.beginning;
	takt_sim_stream_drain(thread->stream);
	timing->stuck |= takt_sim_stream_is_stuck(thread->stream);
	if (timing->window.wanted.count && number == timing->window.wanted.thread)
		timing_window_finish(timing, thread->stream);
	takt_sim_stream_totals(thread->stream, &result->totals);
	if (timing->options.sample && thread->sample.beginning)
		end_unit(timing, thread);
	if (!timing->options.sample && !timing->options.layouts)
		add_to_interval(timing, thread);
	if (timing->options.sample)
		estimate(timing, thread, result);
	if (thread->cache)
		add_counts((uint64_t *)&timing->cache_counts,
			   (const uint64_t *)takt_cache_counts(thread->cache),
			   sizeof(timing->cache_counts));
	if (thread->predictor)
		add_counts((uint64_t *)&timing->branch_counts,
			   (const uint64_t *)takt_branch_counts(thread->predictor),
			   sizeof(timing->branch_counts));
	takt_sim_stream_memo(thread->stream, &memo_counts);
	add_counts((uint64_t *)&timing->memo_counts, (const uint64_t *)&memo_counts,
		   sizeof(memo_counts));
	takt_sim_stream_free(thread->stream);
	trace_sample_release(&thread->sample);
	free(thread->cache);
	free(thread->predictor);
	free(thread);
	timing->threads[number] = NULL;
}

static void end_thread(struct trace_sink *sink, uint32_t number)
{
	struct trace_timing *timing = (struct trace_timing *)sink;

	close_thread(timing, number);
	if (timing->next->thread_end)
		timing->next->thread_end(timing->next, number);
	if (timing->profile && timing->first == timing)
		takt_trace_profile_thread_end(timing->profile, number);
}

static const uint64_t *shares_of(const struct trace_shares *shares, uint32_t number)
{
	const struct trace_timing *timing =
		(const struct trace_timing *)((const char *)shares -
					      offsetof(struct trace_timing, shares));

	return number < timing->block_capacity && timing->blocks[number].code
		       ? timing->blocks[number].code->insn_parts
		       : NULL;
}

/* ---- all of it ---- */

enum takt_status takt_trace_timing_init(struct trace_timing *timing,
					const struct trace_timing_options *options,
					struct trace_sink *next, struct trace_profile *profile,
					struct takt_diag *diag)
{
	*timing = (struct trace_timing){
		.sink = {time_step, time_syscall, start_thread, end_thread},
		.retired = {charge, knows},
		.shares = {shares_of},
		.next = next,
		.first = options->layout ? ((struct trace_timing *)next)->first : timing,
		.options = *options,
		.profile = profile,
	};
	trace_intervals_init(&timing->intervals);
	timing->options.cache = options->cache && takt_cache_shape(options->model, &timing->shape);
	if (options->needs_cache && options->cache && !timing->options.cache) {
		takt_error(diag, "nothing is known of the caches of '%s'",
			   takt_model_name(options->model));
		takt_note(diag, "leave out '--cache', or name another core with '--arch'");
		return TAKT_UNAVAILABLE;
	}
	if (timing->options.cache && !takt_cache_shape_is_possible(&timing->shape)) {
		takt_error(diag, "the caches of '%s' cannot be simulated as they are described",
			   takt_model_name(options->model));
		takt_note(diag,
			  "the size of each cache and TLB must be a multiple of its ways, and "
			  "lines may not be smaller than those of the level before; "
			  "'takt model show' lists them");
		return TAKT_BAD_INPUT;
	}
	/* Instructions that cannot be decoded would be counted as unknown, all of them. */
	if (!takt_isa_can_decode(takt_model_isa(options->model), diag))
		return TAKT_UNAVAILABLE;
	timing->code = takt_sim_code_new(options->model);
	timing_vectors_init(&timing->vectors, takt_model_isa(options->model));
	takt_arena_init(&timing->scratch);
	takt_arena_init(&timing->fetches);
	return TAKT_OK;
}

/* Round running sums of parts of cycles, so that the cycles add up to all of them, rounded. */
static void round_parts(const uint64_t *parts, uint32_t count, uint64_t *ret_cycles)
{
	uint64_t sum = 0, rounded = 0;

	for (uint32_t i = 0; i < count; i++) {
		sum += parts[i];
		ret_cycles[i] = (sum + SIM_CYCLE_PARTS / 2) / SIM_CYCLE_PARTS - rounded;
		rounded += ret_cycles[i];
	}
}

void takt_trace_timing_finish(struct trace_timing *timing, struct takt_trace_counts *counts)
{
	for (uint32_t i = 0; i < timing->thread_count; i++) {
		const struct sim_stream_totals *totals = &timing->results[i].totals;

		close_thread(timing, i);
		counts[i].uops = totals->uops;
		counts[i].cycles = totals->cycles;
		round_parts(totals->losses, SIM_LOSS_COUNT, counts[i].losses);
		round_parts(totals->ports, TAKT_PORTS_MAX, counts[i].port_cycles);
	}
	takt_sim_code_settle(timing->code);
}

void takt_trace_timing_release(struct trace_timing *timing)
{
	for (uint32_t i = 0; i < timing->thread_count; i++)
		close_thread(timing, i);
	takt_timeline_free(timing->window.timeline);
	takt_sim_code_free(timing->code);
	takt_arena_release(&timing->scratch);
	takt_arena_release(&timing->fetches);
	free(timing->threads);
	free(timing->results);
	timing_blocks_free(timing);
	free(timing->accesses);
	free(timing->prefetches);
}
