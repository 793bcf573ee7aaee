/* SPDX-License-Identifier: MIT */
/* The states and the effects of chunks that are kept. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim/memo/memo.h"

#define STATES_MAX (1u << 14)
#define STATE_BYTES (4u << 20) /* bytes of all states */
#define CHUNKS_MAX (1u << 14)
#define CHARGES_MAX (5u << 17)
#define CHARGES_LEFT (1u << 13) /* more charges than a chunk has */
#define SLOTS (1u << 15)	/* a power of two, at least twice the number of entries */

struct sim_memo_table *sim_memo_table_new(void)
{
	struct sim_memo_table *table = takt_xcalloc(1, sizeof(*table));

	table->eighths = 1;
	table->states = takt_xcalloc(STATES_MAX, sizeof(*table->states));
	table->chunks = takt_xcalloc(CHUNKS_MAX, sizeof(*table->chunks));
	table->charges = takt_xcalloc(CHARGES_MAX, sizeof(*table->charges));
	table->bytes = takt_xcalloc(STATE_BYTES, 1);
	table->state_slots = takt_xcalloc(SLOTS, sizeof(*table->state_slots));
	table->chunk_slots = takt_xcalloc(SLOTS, sizeof(*table->chunk_slots));
	return table;
}

void sim_memo_table_free(struct sim_memo_table *table)
{
	if (!table)
		return;
	free(table->states);
	free(table->chunks);
	free(table->charges);
	free(table->bytes);
	free(table->state_slots);
	free(table->chunk_slots);
	free(table);
}

bool sim_memo_table_is_full(const struct sim_memo_table *table)
{
	uint32_t eighths = table->eighths;

	return table->state_count >= STATES_MAX / 8 * eighths ||
	       table->chunk_count >= CHUNKS_MAX / 8 * eighths ||
	       table->charge_count + CHARGES_LEFT > CHARGES_MAX / 8 * eighths ||
	       table->byte_count + SIM_STATE_BYTES_MAX > STATE_BYTES / 8 * eighths;
}

void sim_memo_table_empty(struct sim_memo_table *table)
{
	memset(table->state_slots, 0, SLOTS * sizeof(*table->state_slots));
	memset(table->chunk_slots, 0, SLOTS * sizeof(*table->chunk_slots));
	if (table->found >= table->chunk_count / 2 && table->eighths < 8)
		table->eighths *= 2;
	table->found = 0;
	table->state_count = table->chunk_count = 0;
	table->charge_count = table->byte_count = 0;
}

/* ---- states -------------------------------------------------------------------------------- */

static uint64_t hash_bytes(const uint8_t *bytes, uint32_t size)
{
	uint64_t hash = size;

	for (uint32_t at = 0; at < size; at += 8) {
		uint64_t word = 0;

		memcpy(&word, bytes + at, size - at < 8 ? size - at : 8);
		hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 32;
	}
	return hash;
}

uint8_t *sim_memo_state_room(struct sim_memo_table *table)
{
	return table->bytes + table->byte_count;
}

uint32_t sim_memo_state_enter(struct sim_memo_table *table, uint32_t size)
{
	const uint8_t *bytes = table->bytes + table->byte_count;
	uint64_t hash = hash_bytes(bytes, size);
	uint32_t *slot;

	for (uint32_t i = (uint32_t)hash;; i++) {
		const struct sim_memo_state *state;

		slot = &table->state_slots[i & (SLOTS - 1)];
		if (!*slot)
			break;
		state = &table->states[*slot - 1];
		if (state->hash == hash && state->size == size &&
		    !memcmp(table->bytes + state->first, bytes, size))
			return *slot;
	}
	table->states[table->state_count] = (struct sim_memo_state){table->byte_count, size, hash};
	table->byte_count += size;
	return *slot = ++table->state_count;
}

/* ---- chunks -------------------------------------------------------------------------------- */

uint32_t *sim_memo_find(const struct sim_memo_table *table, uint32_t before, struct sim_hash hash)
{
	for (uint32_t i = (uint32_t)hash.low ^ before * 0x9e3779b9u;; i++) {
		uint32_t *slot = &table->chunk_slots[i & (SLOTS - 1)];
		const struct sim_memo_chunk *chunk;

		if (!*slot)
			return slot;
		chunk = &table->chunks[*slot - 1];
		if (chunk->before == before && chunk->hash.low == hash.low &&
		    chunk->hash.high == hash.high)
			return slot;
	}
}

void sim_memo_enter(struct sim_memo_table *table, uint32_t *slot,
		    const struct sim_memo_chunk *chunk)
{
	table->chunks[table->chunk_count++] = *chunk;
	*slot = table->chunk_count;
}

/* ---- charges ------------------------------------------------------------------------------- */

/* True if both are charges of one and the same item for the same reason. */
static bool may_join(const struct sim_charge *last, const struct sim_charge *charge)
{
	return !charge->after && last->items == 1 && charge->items == 1 &&
	       last->loss == charge->loss && last->ports == charge->ports &&
	       last->cycles <= UINT16_MAX - charge->cycles &&
	       last->retiring <= UINT16_MAX - charge->retiring;
}

bool sim_memo_charge_add(struct sim_memo_table *table, uint32_t first,
			 const struct sim_charge *charge)
{
	struct sim_charge *last =
		table->charge_count > first ? &table->charges[table->charge_count - 1] : NULL;

	if (table->charge_count == CHARGES_MAX)
		return false;
	if (last && may_join(last, charge)) {
		last->cycles = (uint16_t)(last->cycles + charge->cycles);
		last->retiring = (uint16_t)(last->retiring + charge->retiring);
		last->heavy = (uint16_t)(last->heavy + charge->heavy);
		return true;
	}
	assert(table->charges);
	table->charges[table->charge_count++] = *charge;
	return true;
}
