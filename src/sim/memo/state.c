/* SPDX-License-Identifier: MIT */
/* A core's state as bytes: items, misses, and the whole. */
#include <string.h>

#include "sim/front/fetch.h"
#include "sim/memo/state.h"

#define HASH_LOW 0x9e3779b97f4a7c15u
#define HASH_HIGH 0xc2b2ae3d27d4eb4fu

/* A reminder where a size changes; the test knows every field. */
_Static_assert(sizeof(struct sim_value) == 16 && sizeof(struct sim_rob_slot) == 16 &&
		       sizeof(struct sim_store) == 40 && sizeof(struct sim_predecoder) == 3136,
	       "what is new in these is part of the state: write it in state_*.c");
_Static_assert(sizeof(struct sim_fact) == 16 && sizeof(struct sim_dynamic) == 64,
	       "what is new in these may change what an item does: add it to its hash");

/* ---- items --------------------------------------------------------------------------------- */

static uint64_t fold(uint64_t left, uint64_t right)
{
	__extension__ unsigned __int128 product = (unsigned __int128)left * right;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static void add_word(struct sim_hash *hash, uint64_t word)
{
	hash->low = fold(hash->low ^ word, HASH_LOW);
	hash->high = fold(hash->high + word, HASH_HIGH) + word;
}

/* Add a fact. A store further back than any that may be in flight counts as none. */
static void add_fact(struct sim_hash *hash, const struct sim_core *core,
		     const struct sim_fact *fact, uint32_t first_store)
{
	uint32_t back = first_store - fact->store, flags = fact->flags, older = fact->older_stores;
	uint32_t late = (uint32_t)fact->load_cycles << 16 | fact->store_cycles;

	if (!(flags & SIM_FACT_STORED) || back > (uint32_t)core->params->store_queue_entries) {
		flags &= ~(uint32_t)(SIM_FACT_STORED | SIM_FACT_FAILS | SIM_FACT_RENAMED);
		back = older = 0;
	}
	add_word(hash, (uint64_t)fact->prefetches << 56 | (uint64_t)fact->banks << 32 |
			       (uint64_t)(late != 0) << 31 |
			       (uint64_t)(fact->line_back != 0) << 30 |
			       (uint64_t)fact->misrenamed << 55 | back << 16 | older << 8 | flags);
	if (late || fact->line_back)
		add_word(hash, (uint64_t)fact->line_back << 32 | late);
}

/* Add the facts that do not follow from the code. */
static void add_facts(struct sim_hash *hash, const struct sim_core *core,
		      const struct sim_dynamic *dynamic)
{
	unsigned memories = core->program->insns[dynamic->record].memory_count;

	if (sim_takes_longer(dynamic))
		add_word(hash, (uint64_t)dynamic->late_cycles << 32 | dynamic->extra_cycles);
	for (unsigned m = 0; m < memories; m++)
		add_fact(hash, core, &dynamic->facts[m], dynamic->first_store);
}

/* Return the item's flags, but for those that its record has, too. */
static uint8_t flags_of(const struct sim_dynamic *dynamic)
{
	return dynamic->flags & (uint8_t)~SIM_DYNAMIC_FUSED;
}

static void hash_item(struct sim_hash *hash, const struct sim_core *core,
		      const struct sim_dynamic *dynamic)
{
	add_word(hash, dynamic->address);
	add_word(hash, (uint64_t)dynamic->record << 32 | (uint64_t)sim_takes_longer(dynamic) << 8 |
			       flags_of(dynamic));
	add_facts(hash, core, dynamic);
}

void sim_hash_item(struct sim_hash *hash, const struct sim_core *core,
		   const struct sim_dynamic *dynamic)
{
	const uint64_t longer = sim_takes_longer(dynamic) ? 0x80 : 0;

	hash->flags = hash->flags << 8 | longer | flags_of(dynamic);
	if (!(++hash->items % 8))
		add_word(hash, hash->flags);
	add_facts(hash, core, dynamic);
}

void sim_hash_step(struct sim_hash *hash, uint32_t block, uint32_t insn_count)
{
	if (hash->items % 8)
		add_word(hash, hash->flags);
	add_word(hash, (uint64_t)block << 32 | insn_count);
	hash->flags = hash->items = 0;
}

void sim_hash_phase(struct sim_hash *hash, const struct sim_core *core)
{
	add_word(hash, core->cycle % core->replay->misses.line_cycles);
}

bool sim_item_is_from_memory(const struct sim_core *core, const struct sim_dynamic *dynamic)
{
	const struct sim_misses *misses = &core->replay->misses;
	unsigned memories;

	if (!misses->line_cycles || !core->program->insns[dynamic->record].memory_count)
		return false;
	memories = core->program->insns[dynamic->record].memory_count;
	for (unsigned m = 0; m < memories; m++)
		if (dynamic->facts[m].load_cycles >= misses->memory_cycles ||
		    dynamic->facts[m].store_cycles >= misses->memory_cycles ||
		    (dynamic->facts[m].prefetches & 3) == SIM_LEVEL_MEMORY ||
		    dynamic->facts[m].prefetches >> 2 == SIM_LEVEL_MEMORY)
			return true;
	return false;
}

/* ---- numbers ------------------------------------------------------------------------------- */

static uint64_t read_number(struct sim_coder *coder)
{
	uint64_t value = 0;
	unsigned shift = 0;

	for (; *coder->at & 0x80; shift += 7)
		value |= (uint64_t)(*coder->at++ & 0x7f) << shift;
	return value | (uint64_t)*coder->at++ << shift;
}

uint64_t sim_state_number(struct sim_coder *coder, uint64_t value)
{
	uint64_t rest = value;

	if (coder->reading)
		return read_number(coder);
	if (coder->end - coder->at < 10) {
		coder->failed = true;
		return value;
	}
	for (; rest >= 0x80; rest >>= 7)
		*coder->at++ = (uint8_t)(rest | 0x80);
	*coder->at++ = (uint8_t)rest;
	return value;
}

uint64_t sim_state_moment(struct sim_coder *coder, uint64_t time, int32_t least)
{
	int64_t after = (int64_t)(time - coder->now) - least;

	after = (int64_t)sim_state_number(coder, after > 0 ? (uint64_t)after : 0) + least;
	return after < 0 && (uint64_t)-after > coder->now ? 0 : coder->now + (uint64_t)after;
}

uint32_t sim_state_item(struct sim_coder *coder, uint32_t item)
{
	return coder->tail - (uint32_t)sim_state_number(coder, coder->tail - item);
}

/* ---- what is known of items ---------------------------------------------------------------- */

/* Return the first item of which rename needs to know more. */
static uint32_t first_to_rename(const struct sim_core *core)
{
	const struct sim_context *context = &core->context;

	if (!context->insn)
		return core->iterations_retired;
	return context->iteration + !sim_is_within(context);
}

/* Write or read the items, and return the one to be renamed next. */
static uint32_t code_items(struct sim_coder *coder)
{
	struct sim_core *core = coder->core;
	uint32_t first = coder->reading ? 0 : first_to_rename(core);
	struct sim_hash hash = {0};

	if (!coder->reading) {
		for (uint32_t i = core->iterations_retired; i != first; i++)
			if (sim_dynamic(core->replay, i)->flags & SIM_DYNAMIC_AFTER_MISS)
				add_word(&hash, coder->tail - i);
		for (uint32_t i = first; i != coder->tail; i++)
			hash_item(&hash, core, sim_dynamic(core->replay, i));
	}
	SIM_STATE(coder, hash.low);
	SIM_STATE(coder, hash.high);
	core->iterations_retired = sim_state_item(coder, core->iterations_retired);
	return sim_state_item(coder, first);
}

/*
 * Return the earliest `open` that matters: prediction is ahead of fetch, and the next item may be
 * late by several cycles from then on.
 */
static int32_t earliest_open(const struct sim_coder *coder)
{
	const struct sim_replay *replay = coder->core->replay;
	int32_t late = replay->next == coder->tail ? SIM_LATE_MAX
						   : sim_dynamic(replay, replay->next)->late_cycles;

	/* Beside lateness: a part of a cycle, its line, its target, and that it is split. */
	return -(int32_t)SIM_AHEAD_CYCLES - late - 4 - coder->core->params->branch_split_cycles;
}

static void code_replay(struct sim_coder *coder)
{
	struct sim_core *core = coder->core;
	struct sim_replay *replay = core->replay;

	replay->next = sim_state_item(coder, replay->next);
	if (sim_state_number(coder, replay->open == SIM_NEVER))
		replay->open = SIM_NEVER;
	else
		replay->open = sim_state_moment(coder, replay->open, earliest_open(coder));
	core->writes_from = sim_state_moment(coder, core->writes_from, 1);
	SIM_STATE(coder, replay->part);
	SIM_STATE(coder, replay->line);
	SIM_STATE(coder, replay->taken);
}

/* ---- misses -------------------------------------------------------------------------------- */

/* Find the next line from memory, from slot `slot` on. */
static bool find_transfer(const struct sim_misses *misses, uint64_t *slot)
{
	uint64_t end = (misses->transfer_word + SIM_TRANSFER_WORDS) * 64;

	for (; *slot < end; ++*slot)
		if (misses->transfers[*slot / 64 % SIM_TRANSFER_WORDS] >> *slot % 64 & 1)
			return true;
		else if (!(misses->transfers[*slot / 64 % SIM_TRANSFER_WORDS] >> *slot % 64))
			*slot |= 63;
	return false;
}

/* True if lines are still on their way from memory. */
static bool are_transfers(const struct sim_core *core)
{
	const struct sim_misses *misses = &core->replay->misses;
	uint64_t slot = misses->line_cycles ? core->cycle / misses->line_cycles : 0;

	return misses->line_cycles && find_transfer(misses, &slot);
}

static void code_transfers(struct sim_coder *coder)
{
	struct sim_misses *misses = &coder->core->replay->misses;
	uint64_t present = coder->now / misses->line_cycles, slot = present;

	if (!coder->reading) {
		for (; find_transfer(misses, &slot); slot++)
			sim_state_number(coder, slot - present + 1);
		sim_state_number(coder, 0);
		return;
	}
	memset(misses->transfers, 0, sizeof(misses->transfers));
	misses->transfer_word = present / 64;
	for (uint64_t after; (after = sim_state_number(coder, 0));) {
		slot = present + after - 1;
		misses->transfers[slot / 64 % SIM_TRANSFER_WORDS] |= (uint64_t)1 << slot % 64;
	}
}

static void code_misses(struct sim_coder *coder)
{
	struct sim_misses *misses = &coder->core->replay->misses;
	uint32_t kept = 0;

	for (uint32_t i = 0; !coder->reading && i < misses->count; i++)
		if (misses->under_way[i].end > coder->now + 1)
			misses->under_way[kept++] = misses->under_way[i];
	if (!coder->reading)
		misses->count = kept;
	SIM_STATE(coder, misses->count);
	for (uint32_t i = 0; i < misses->count; i++) {
		misses->under_way[i].begin = sim_state_moment(coder, misses->under_way[i].begin, 1);
		misses->under_way[i].end = sim_state_moment(coder, misses->under_way[i].end, 1);
		SIM_STATE(coder, misses->under_way[i].line);
		if (misses->under_way[i].line != SIM_LINE_STORE)
			misses->under_way[i].item =
				sim_state_item(coder, misses->under_way[i].item);
	}
	if (misses->line_cycles)
		code_transfers(coder);
}

/* ---- all of it ----------------------------------------------------------------------------- */

/* Write options, which are the same for all streams but those of tests. */
static void code_options(struct sim_coder *coder)
{
	const struct sim_misses *misses = &coder->core->replay->misses;

	sim_state_number(coder, misses->most);
	sim_state_number(coder, misses->memory_cycles);
	sim_state_number(coder, misses->line_cycles);
	for (unsigned level = 0; level < SIM_LEVELS_MAX; level++)
		sim_state_number(coder, misses->level_cycles[level]);
}

static void code_core(struct sim_coder *coder)
{
	uint32_t first;

	code_options(coder);
	first = code_items(coder);
	code_replay(coder);
	sim_state_front_end(coder);
	sim_state_back_end(coder, first);
	code_misses(coder);
}

uint32_t sim_state_pack(struct sim_core *core, uint32_t tail, uint32_t store, uint32_t memory,
			uint8_t bytes[SIM_STATE_BYTES_MAX])
{
	struct sim_coder coder = {
		.core = core,
		.at = bytes,
		.end = bytes + SIM_STATE_BYTES_MAX,
		.tail = tail,
		.store = store,
		.now = core->cycle,
	};

	sim_state_number(&coder, memory);
	sim_state_number(&coder, memory || are_transfers(core)
					 ? core->cycle % core->replay->misses.line_cycles + 1
					 : 0);
	code_core(&coder);
	return coder.failed ? 0 : (uint32_t)(coder.at - bytes);
}

void sim_state_unpack(struct sim_core *core, uint32_t tail, uint32_t store, uint64_t since,
		      const uint8_t *bytes)
{
	struct sim_coder coder = {
		.core = core,
		.at = (uint8_t *)(uintptr_t)bytes,
		.reading = true,
		.tail = tail,
		.store = store,
		.now = core->cycle,
		.since = since,
	};

	sim_state_number(&coder, 0);
	sim_state_number(&coder, 0);
	code_core(&coder);
}
