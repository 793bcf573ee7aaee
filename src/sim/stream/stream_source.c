/* SPDX-License-Identifier: MIT */
/*
 * The source of a core that simulates a trace, with the facts about its loads, stores and branches.
 */
#include <string.h>

#include "sim/stream/stream_source.h"

#define PAGE_BYTES 4096u

/* ---- the source ------------------------------------------------------------------------ */

/* Leave what is left of the cycle without prediction. */
static void end_cycle(struct sim_replay *replay)
{
	replay->open += replay->part > 0;
	replay->part = 0;
}

/* Delay prediction: what is late is so by whole cycles. */
static void delay(struct sim_replay *replay, int64_t cycles)
{
	if (cycles <= 0)
		return;
	end_cycle(replay);
	replay->open += (uint64_t)cycles;
}

static void add_parts(struct sim_replay *replay, uint32_t parts, uint32_t targets)
{
	replay->part += parts;
	if (replay->part >= targets) {
		replay->open += replay->part / targets;
		replay->part %= targets;
	}
}

/*
 * Account for the target of a taken branch. On some cores, only branches of different lines, but of
 * one page, are predicted in one cycle, and returns begin a cycle; the target of a branch that
 * crosses a line, alone or with what is fused to it, comes late.
 */
static void add_target(struct sim_replay *replay, const struct sim_dynamic *dynamic,
		       uint32_t targets)
{
	const struct sim_core *core = replay->core;
	const struct sim_insn *insn = &core->program->insns[dynamic->record];
	uint32_t bytes = insn->length_bytes;
	uint64_t apart = dynamic->address ^ replay->taken;
	bool alone = !core->params->branch_targets_anywhere &&
		     (apart < TAKT_LINE_BYTES || apart >= PAGE_BYTES);

	if (insn->flags & SIM_INSN_TARGET_FIRST)
		end_cycle(replay);
	add_parts(replay, alone ? targets : 2, targets);
	if (insn->flags & SIM_INSN_TARGET_LAST)
		end_cycle(replay);
	if ((dynamic->address ^ (dynamic->address + bytes - 1)) >= TAKT_LINE_BYTES)
		delay(replay, core->params->branch_split_cycles);
	replay->taken = dynamic->address;
	replay->line = 0;
}

/* Advance prediction over the item. */
static void go_on(struct sim_replay *replay, const struct sim_dynamic *dynamic)
{
	const struct takt_core_params *params = replay->core->params;
	uint32_t targets = params->branch_targets > 2 ? (uint32_t)params->branch_targets : 2;
	uint64_t cycle = replay->core->cycle, line = dynamic->address / TAKT_LINE_BYTES + 1;

	delay(replay, dynamic->late_cycles);
	if (replay->line && line != replay->line && targets > 2 && !params->branch_targets_anywhere)
		add_parts(replay, 2, targets);
	replay->line = line;
	if (dynamic->flags & SIM_DYNAMIC_TAKEN)
		add_target(replay, dynamic, targets);
	if (replay->open + SIM_AHEAD_CYCLES < cycle) {
		replay->open = cycle - SIM_AHEAD_CYCLES;
		replay->part = 0;
	}
	if (dynamic->flags & SIM_DYNAMIC_MISSED) {
		replay->open = SIM_NEVER;
		replay->part = 0;
		replay->line = 0;
	}
}

/*
 * Return the next item for the front end, if it has been predicted. Prediction runs ahead of fetch,
 * with so many taken branches a cycle, fewer if one is late. After a mispredicted branch nothing
 * is known until it has executed.
 */
static void next(struct sim_code_source *source, struct sim_item *ret_item)
{
	struct sim_replay *replay = (struct sim_replay *)source;
	const struct sim_dynamic *dynamic = sim_dynamic(replay, replay->next);

	ret_item->insn = SIM_ITEM_NONE;
	if (replay->next == replay->tail || replay->open == SIM_NEVER ||
	    replay->core->cycle < sim_replay_open(replay))
		return;
	*ret_item = (struct sim_item){
		.insn = dynamic->record,
		.iteration = replay->next++,
		.address = dynamic->address,
		.taken = dynamic->flags & (SIM_DYNAMIC_TAKEN | SIM_DYNAMIC_MISSED),
		.cached = dynamic->flags & SIM_DYNAMIC_CACHED,
	};
	go_on(replay, dynamic);
}

/* Return a ring size for as many stores as can be in flight, and more than one instruction has. */
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
 * The core's misprediction cycles are those from the branch's execution to the first execution on
 * the correct path, out of the op cache; the pipeline is simulated from rename to there, and into
 * the queue before.
 */
void sim_replay_resolve(struct sim_core *core, uint64_t done)
{
	int64_t refill =
		core->params->mispredict_cycles - core->params->rename_to_dispatch_cycles - 2;

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

/* Remove the misses that are over by `cycle`, and the last one if there is still no room. */
static void forget_misses(struct sim_misses *misses, uint64_t cycle)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < misses->count; i++)
		if (misses->under_way[i].end > cycle)
			misses->under_way[kept++] = misses->under_way[i];
	misses->count = kept < SIM_MISSES ? kept : SIM_MISSES - 1;
}

static bool is_prefetch(uint8_t line)
{
	return line >= SIM_LINE_PREFETCH && line < SIM_LINE_STORE;
}

/* Return the first cycle from `start` on in which not too many misses are under way. */
static uint64_t find_place(const struct sim_misses *misses, uint64_t start)
{
	for (;;) {
		uint64_t first_end = SIM_NEVER;
		uint32_t there = 0;

		for (uint32_t i = 0; i < misses->count; i++) {
			uint64_t end = misses->under_way[i].end;

			if (misses->under_way[i].begin > start || end <= start ||
			    is_prefetch(misses->under_way[i].line))
				continue;
			there++;
			first_end = end < first_end ? end : first_end;
		}
		if (there < misses->most)
			return start;
		start = first_end;
	}
}

/*
 * Return the first cycle from `start` on in which no other line comes from memory, and reserve it.
 */
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

/* Add a miss as the last of those under way, and return its cycles from `start` on. */
static uint64_t add_miss(struct sim_core *core, uint64_t start, uint32_t cycles)
{
	struct sim_misses *misses = &core->replay->misses;
	uint64_t begin = start;

	forget_misses(misses, core->cycle);
	if (misses->most)
		begin = find_place(misses, start);
	if (misses->line_cycles && cycles >= misses->memory_cycles)
		begin = find_transfer(core, begin);
	misses->under_way[misses->count].begin = begin;
	misses->under_way[misses->count].end = begin + cycles;
	misses->under_way[misses->count++].line = SIM_LINE_STORE;
	return begin + cycles - start;
}

uint64_t sim_replay_load_miss(struct sim_core *core, uint64_t start, uint32_t cycles, uint32_t item)
{
	struct sim_misses *misses = &core->replay->misses;
	uint64_t late = add_miss(core, start, cycles);

	misses->under_way[misses->count - 1].line = SIM_LINE_LOAD;
	misses->under_way[misses->count - 1].item = item;
	return late;
}

uint64_t sim_replay_store_miss(struct sim_core *core, uint64_t start, uint32_t cycles)
{
	return add_miss(core, start, cycles);
}

/*
 * True if the item's prefetches are under way: an instruction may have several loads. Those that
 * are over may have been forgotten.
 */
static bool has_prefetched(const struct sim_core *core, uint32_t item)
{
	const struct sim_misses *misses = &core->replay->misses;

	for (uint32_t i = 0; i < misses->count; i++)
		if (misses->under_way[i].item == item && is_prefetch(misses->under_way[i].line) &&
		    misses->under_way[i].end > core->cycle + 1)
			return true;
	return false;
}

/* Prefetches take the time of their level, and turns in what comes from memory; they need none of
 * the places that misses need. */
void sim_replay_prefetch(struct sim_core *core, uint64_t start, const struct sim_fact *fact)
{
	struct sim_misses *misses = &core->replay->misses;
	uint32_t item = core->context.iteration;

	if (has_prefetched(core, item))
		return;
	for (uint8_t i = 0; i < SIM_PREFETCHES_MAX && fact->prefetches >> 2 * i; i++) {
		uint32_t cycles = misses->level_cycles[fact->prefetches >> 2 * i & 3];
		uint64_t begin = start;

		forget_misses(misses, core->cycle);
		if (misses->line_cycles && cycles >= misses->memory_cycles)
			begin = find_transfer(core, start);
		misses->under_way[misses->count].begin = begin;
		misses->under_way[misses->count].end = begin + cycles;
		misses->under_way[misses->count].item = item;
		misses->under_way[misses->count++].line = (uint8_t)(SIM_LINE_PREFETCH + i);
	}
}

uint64_t sim_replay_coming(const struct sim_core *core, uint64_t start, uint32_t item, uint8_t line)
{
	const struct sim_misses *misses = &core->replay->misses;
	uint64_t late = 0;

	for (uint32_t i = 0; i < misses->count; i++)
		if (misses->under_way[i].line == line && misses->under_way[i].item == item &&
		    misses->under_way[i].end > start + late)
			late = misses->under_way[i].end - start;
	return late;
}
