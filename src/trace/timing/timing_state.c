/* SPDX-License-Identifier: MIT */
/* Saves the state of the timing to a checkpoint, and loads it. */
#include <stdlib.h>

#include "trace/timing/timing.h"

#define PACK(pack, value) takt_pack_bytes(pack, &(value), sizeof(value))

/* ---- code ---- */

static uint32_t last_vectors(const struct trace_timing *timing)
{
	return timing->vectors.count ? timing->vectors.count - 1 : 0;
}

/* Save which blocks were translated, or translate the same ones in the same order. */
static void pack_code(struct trace_timing *timing, const struct trace_dictionary *dictionary,
		      struct takt_pack *pack)
{
	uint32_t count = timing->translated_count;

	timing_vectors_pack(&timing->vectors, pack);
	takt_pack_count(pack, &count, UINT32_MAX);
	for (uint32_t i = 0; i < count && !pack->bad; i++) {
		struct timing_translated translated = {0};

		if (!pack->reads)
			translated = timing->translated[i];
		takt_pack_count(pack, &translated.number, dictionary->count - 1);
		takt_pack_count(pack, &translated.vectors, last_vectors(timing));
		if (pack->reads && !pack->bad)
			trace_timing_block(timing, dictionary->blocks[translated.number],
					   translated.vectors);
	}
	takt_sim_code_pack(timing->code, pack);
}

/* ---- threads ---- */

static bool held_fits(const struct timing_held *held, const struct sim_code_block *code)
{
	const struct sim_stream_step *step = &held->executed;

	if (held->string_kind > TAKT_STRING_FILL || !takt_are_bools(&held->waits, 1, 1) ||
	    !takt_are_bools(&step->taken, 1, 1) || !takt_are_bools(&step->mispredicted, 1, 1) ||
	    step->access_count > TIMING_HELD_MAX || step->fetch_count > TRACE_INSNS_MAX ||
	    step->insn_count > code->insn_count)
		return false;
	for (uint32_t i = 0; i < step->access_count; i++)
		if (held->accesses[i].prefetches)
			return false;
	return takt_are_bools(&held->accesses[0].store, step->access_count,
			      sizeof(held->accesses[0]));
}

/* Only step.block points outside of `held`; the other pointers lead into `held` itself. */
static void pack_held(struct trace_timing *timing, const struct trace_dictionary *dictionary,
		      struct timing_held *held, struct takt_pack *pack)
{
	static const struct takt_pack_hole holes[] = {
		TAKT_PACK_HOLE(struct timing_held, executed.block),
		TAKT_PACK_HOLE(struct timing_held, executed.accesses),
		TAKT_PACK_HOLE(struct timing_held, executed.fetches),
		TAKT_PACK_HOLE(struct timing_held, executed.prefetches),
	};
	uint32_t number = 0;

	takt_pack_bool(pack, &held->waits);
	if (!held->waits)
		return;
	if (!pack->reads)
		number = held->number;
	takt_pack_around(pack, held, sizeof(*held), holes, TAKT_COUNT_OF(holes));
	takt_pack_count(pack, &number, dictionary->count);
	held->number = number;
	if (!pack->bad && (number >= timing->block_capacity || !timing->blocks[number].code ||
			   !held_fits(held, timing->blocks[number].code)))
		pack->bad = true;
	if (pack->bad) {
		held->waits = false;
		return;
	}
	held->executed.block = timing->blocks[number].code;
	held->executed.accesses = held->accesses;
	held->executed.fetches = held->fetches;
	held->executed.prefetches = NULL;
}

/*
 * Write an object, or read one of its size: return what was read, for the caller to check, restore
 * and free; NULL: nothing.
 */
static void *pack_object(void *object, size_t size_bytes, struct takt_pack *pack)
{
	void *copy = pack->reads ? takt_xcalloc(size_bytes, 1) : object;

	takt_pack_bytes(pack, copy, size_bytes);
	if (!pack->reads || !pack->bad)
		return pack->reads ? copy : NULL;
	free(copy);
	return NULL;
}

static void pack_cache(struct cache_hierarchy *cache, struct takt_pack *pack)
{
	size_t size = takt_cache_bytes(cache);
	void *copy = pack_object(cache, size, pack);

	if (copy && !takt_cache_restore(cache, copy, size))
		pack->bad = true;
	free(copy);
}

static void pack_predictor(struct branch_predictor *predictor, struct takt_pack *pack)
{
	size_t size = takt_branch_bytes(predictor);
	void *copy = pack_object(predictor, size, pack);

	if (copy && !takt_branch_restore(predictor, copy, size))
		pack->bad = true;
	free(copy);
}

static void pack_sample(struct sample *sample, struct takt_pack *pack)
{
	static const struct takt_pack_hole holes[] = {
		TAKT_PACK_HOLE(struct sample, done.list),
		TAKT_PACK_HOLE(struct sample, done.count),
		TAKT_PACK_HOLE(struct sample, done.capacity),
	};
	uint32_t count = sample->done.count;

	takt_pack_around(pack, sample, sizeof(*sample), holes, TAKT_COUNT_OF(holes));
	takt_pack_count(pack, &count, SAMPLE_UNITS_MAX);
	if (pack->bad)
		return;
	TAKT_GROW(sample->done.list, count, sample->done.capacity);
	sample->done.count = count;
	if (count)
		takt_pack_bytes(pack, sample->done.list, count * sizeof(*sample->done.list));
}

static void pack_thread(struct trace_timing *timing, const struct trace_dictionary *dictionary,
			struct trace_timing_thread *thread, struct takt_pack *pack)
{
	takt_sim_stream_pack(thread->stream, pack);
	if (thread->cache)
		pack_cache(thread->cache, pack);
	if (thread->predictor)
		pack_predictor(thread->predictor, pack);
	takt_pack_count(pack, &thread->vectors, last_vectors(timing));
	takt_pack_count(pack, &thread->interrupted_count, TIMING_SIGNALS_MAX);
	for (uint32_t i = 0; i < thread->interrupted_count && !pack->bad; i++)
		takt_pack_count(pack, &thread->interrupted[i], last_vectors(timing));
	PACK(pack, thread->line);
	PACK(pack, thread->cookie);
	pack_held(timing, dictionary, &thread->held, pack);
	pack_sample(&thread->sample, pack);
	if (pack->reads && !pack->bad &&
	    (!trace_sample_is_valid(&thread->sample) ||
	     (timing->profile && !takt_trace_profile_knows(timing->profile, thread->cookie))))
		pack->bad = true;
	PACK(pack, thread->unit_start);
	PACK(pack, thread->unit);
	PACK(pack, thread->system_cycles);
	PACK(pack, thread->in_intervals);
}

static void pack_threads(struct trace_timing *timing, const struct trace_dictionary *dictionary,
			 struct takt_pack *pack)
{
	uint32_t count = timing->thread_count;

	takt_pack_count(pack, &count, TRACE_THREADS_MAX);
	if (count)
		timing_reserve_threads(timing, count - 1);
	for (uint32_t i = 0; i < count && !pack->bad; i++) {
		bool runs = timing->threads[i] != NULL;

		takt_pack_bool(pack, &runs);
		PACK(pack, timing->results[i]);
		if (runs && !timing->threads[i])
			timing->threads[i] = timing_thread_new(timing, i);
		if (runs)
			pack_thread(timing, dictionary, timing->threads[i], pack);
	}
}

void takt_trace_timing_pack(struct trace_timing *timing, const struct trace_dictionary *dictionary,
			    struct takt_pack *pack)
{
	pack_code(timing, dictionary, pack);
	pack_threads(timing, dictionary, pack);
	trace_intervals_pack(&timing->intervals, pack);
	if (timing->thread_count)
		takt_pack_count(pack, &timing->interval_thread, timing->thread_count - 1);
	PACK(pack, timing->cache_counts);
	PACK(pack, timing->branch_counts);
	PACK(pack, timing->weight);
	PACK(pack, timing->simulated_insns);
	PACK(pack, timing->unknown_insns);
	PACK(pack, timing->default_insns);
	PACK(pack, timing->unsettled_insns);
}
