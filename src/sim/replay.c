/* SPDX-License-Identifier: MIT */
/* A trace as the core's source, and what is known of its loads, stores and branches. */
#include <string.h>

#include "sim/replay.h"

/* ---- the source ------------------------------------------------------------------------ */

/*
 * What is fetched is predicted ahead, a taken branch a cycle, and more for one that is late.
 * Behind a mispredicted branch nothing is known until it has executed.
 */
static void next(struct sim_code_source *source, struct sim_item *ret_item)
{
	struct sim_replay *replay = (struct sim_replay *)source;
	const struct sim_dynamic *dynamic = sim_dynamic(replay, replay->next);
	uint64_t cycle = replay->core->cycle;
	uint64_t least = cycle > SIM_AHEAD_CYCLES ? cycle - SIM_AHEAD_CYCLES : 0;

	ret_item->insn = SIM_ITEM_NONE;
	if (replay->next == replay->tail || replay->open == SIM_NEVER ||
	    cycle < replay->open + dynamic->late_cycles)
		return;
	*ret_item = (struct sim_item){
		.insn = dynamic->record,
		.iteration = replay->next++,
		.address = dynamic->address,
		.taken = dynamic->flags & (SIM_DYNAMIC_TAKEN | SIM_DYNAMIC_MISSED),
		.cached = dynamic->flags & SIM_DYNAMIC_CACHED,
	};
	replay->open += dynamic->late_cycles;
	if (dynamic->flags & SIM_DYNAMIC_TAKEN)
		replay->open++;
	if (replay->open < least)
		replay->open = least;
	if (dynamic->flags & SIM_DYNAMIC_MISSED)
		replay->open = SIM_NEVER;
}

/* As many stores as can be in flight, and more than one instruction has. */
static uint32_t store_ring_size(const struct takt_core_params *params)
{
	uint32_t size = 16;

	while (size < 2 * (uint32_t)params->store_queue_entries)
		size *= 2;
	return size;
}

struct sim_replay *sim_replay_new(struct sim_core *core, struct takt_arena *arena)
{
	struct sim_replay *replay = TAKT_NEW(arena, struct sim_replay);

	replay->source.next = next;
	replay->core = core;
	replay->store_mask = store_ring_size(core->params) - 1;
	core->stores = TAKT_NEW_ARRAY(arena, replay->store_mask + 1, struct sim_store);
	core->replay = replay;
	return replay;
}

/*
 * The core's misprediction cycles are those from the branch's execution to the first
 * execution on the right path, out of the op cache; the way from rename to there, and into
 * the queue before, are part of the pipeline as simulated.
 */
void sim_replay_resolve(struct sim_core *core, uint64_t done)
{
	int64_t refill = core->params->mispredict_cycles -
			 core->params->rename_to_dispatch_cycles - 2;

	core->replay->open = done + (uint64_t)(refill > 0 ? refill : 0);
}

/* ---- stores ----------------------------------------------------------------------------- */

const struct sim_store *sim_replay_store(const struct sim_core *core, uint32_t number)
{
	const struct sim_store *store = &core->stores[number & core->replay->store_mask];

	if (store->number != number || (int32_t)(core->stores_committed - store->queued) > 0)
		return NULL;
	return store;
}

/* ---- misses ------------------------------------------------------------------------------ */

/* Those that are over by `cycle` make room for one more; if there are none, the last does. */
static void forget_misses(struct sim_misses *misses, uint64_t cycle)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < misses->count; i++)
		if (misses->under_way[i].end > cycle)
			misses->under_way[kept++] = misses->under_way[i];
	misses->count = kept < SIM_MISSES ? kept : SIM_MISSES - 1;
}

/* From `start` on, with not too many others. */
static uint64_t find_place(const struct sim_misses *misses, uint64_t start)
{
	for (;;) {
		uint64_t first_end = SIM_NEVER;
		uint32_t there = 0;

		for (uint32_t i = 0; i < misses->count; i++) {
			uint64_t end = misses->under_way[i].end;

			if (misses->under_way[i].begin > start || end <= start)
				continue;
			there++;
			first_end = end < first_end ? end : first_end;
		}
		if (there < misses->most)
			return start;
		start = first_end;
	}
}

/* The first time from `start` on at which no other line comes from memory. */
static uint64_t find_transfer(struct sim_core *core, uint64_t start)
{
	struct sim_misses *misses = &core->replay->misses;
	uint64_t present = core->cycle / misses->line_cycles / 64;
	uint64_t slot = start / misses->line_cycles;

	if (present - misses->transfer_word >= SIM_TRANSFER_WORDS)
		memset(misses->transfers, 0, sizeof(misses->transfers));
	else
		for (; misses->transfer_word < present; misses->transfer_word++)
			misses->transfers[misses->transfer_word % SIM_TRANSFER_WORDS] = 0;
	misses->transfer_word = present;
	for (; slot / 64 - present < SIM_TRANSFER_WORDS; slot++) {
		uint64_t *word = &misses->transfers[slot / 64 % SIM_TRANSFER_WORDS];
		uint64_t bit = (uint64_t)1 << slot % 64;

		if (*word & bit)
			continue;
		*word |= bit;
		return slot * misses->line_cycles > start ? slot * misses->line_cycles : start;
	}
	return start;
}

uint64_t sim_replay_miss(struct sim_core *core, uint64_t start, uint32_t cycles)
{
	struct sim_misses *misses = &core->replay->misses;
	uint64_t begin = start;

	if (misses->most) {
		forget_misses(misses, core->cycle);
		begin = find_place(misses, start);
	}
	if (misses->line_cycles && cycles >= misses->memory_cycles)
		begin = find_transfer(core, begin);
	if (misses->most) {
		misses->under_way[misses->count].begin = begin;
		misses->under_way[misses->count++].end = begin + cycles;
	}
	return begin + cycles - start;
}
