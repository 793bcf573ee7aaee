/* SPDX-License-Identifier: MIT */
/*
 * memo: the effects of chunks of a trace on a core, kept for when the same chunk meets the same
 * core state again (FastSim: Schnarr and Larus, ASPLOS 1998). Of a trace a core sees only records
 * and relative facts (stream_source.h), and of time only differences: its state can be written down
 * so that it holds anywhere and at any time (state.h). Private to sim.
 *
 * The trace is cut at ends of blocks, by what it contains alone. A chunk's key is the state before
 * it and a hash of all that the core may learn from its items, including the answers of caches and
 * predictors: 128 bits, so that among 2^30 chunks two that differ have the same hash with a
 * probability of 2^-69. States are compared whole.
 */
#ifndef TAKT_SIM_MEMO_H
#define TAKT_SIM_MEMO_H

#include "sim/sim.h"
#include "sim/memo/state.h"
#include "sim/stream/losses.h"

/* Items, beyond those in flight, of a chunk that is not complete yet. */
#define SIM_CHUNK_ROOM 128u

/* ---- memo_table.c: states and chunks, of all streams of a code ----------------------------- */

struct sim_memo_state {
	uint32_t first, size; /* offset and length in the table's bytes */
	uint64_t hash;
};

struct sim_memo_chunk {
	struct sim_hash hash;
	uint32_t before, after; /* numbers of states, from 1 on */
	uint32_t cycles, uops, retired;
	uint32_t first_charge, charge_count;
};

struct sim_memo;

struct sim_memo_table {
	struct sim_memo_state *states;
	struct sim_memo_chunk *chunks;
	struct sim_charge *charges;
	uint8_t *bytes;
	uint32_t *state_slots, *chunk_slots; /* hash tables of numbers, from 1 on; 0: none */
	uint32_t state_count, chunk_count, charge_count, byte_count;
	uint32_t eighths; /* eighths of the room that may be used: more once the kept chunks have
			   * proved useful */
	uint32_t found;	  /* hits since the table was empty */
	struct sim_memo *users;
};

struct sim_memo_table *sim_memo_table_new(void);
void sim_memo_table_free(struct sim_memo_table *table);
/* True if there may be no room for one more chunk. */
bool sim_memo_table_is_full(const struct sim_memo_table *table);
void sim_memo_table_empty(struct sim_memo_table *table);
/*
 * Return room for a state's bytes; then enter what was written there, or find an equal state, and
 * return its number.
 */
uint8_t *sim_memo_state_room(struct sim_memo_table *table);
uint32_t sim_memo_state_enter(struct sim_memo_table *table, uint32_t size);
/* Return the hash table's slot where the chunk's number is, or would be entered. */
uint32_t *sim_memo_find(const struct sim_memo_table *table, uint32_t before, struct sim_hash hash);
void sim_memo_enter(struct sim_memo_table *table, uint32_t *slot,
		    const struct sim_memo_chunk *chunk);
/* Add a charge to those of a chunk, which begin with `first`; false if it cannot be kept. */
bool sim_memo_charge_add(struct sim_memo_table *table, uint32_t first,
			 const struct sim_charge *charge);

/* ---- memo.c: of a stream ------------------------------------------------------------------- */

struct sim_memo *sim_memo_new(struct sim_stream *stream);
void sim_memo_free(struct sim_stream *stream);
/* Note an item that is being fed: the next one, not counted yet. */
void sim_memo_feed(struct sim_stream *stream, const struct sim_dynamic *dynamic);
/*
 * Note that an execution of a block was fed, and run the core if a chunk ends with it. False: the
 * caller must run it.
 */
bool sim_memo_step(struct sim_stream *stream, const struct sim_stream_step *step);
/* Restore the core itself, which is needed now. */
void sim_memo_leave(struct sim_stream *stream);
/* Restore the core and leave the memo unused if it waits; else use the memo again. */
void sim_memo_wait(struct sim_stream *stream, bool waits);
/* Note cycles charged to an item, with the arguments of sim_stream_charge(). */
void sim_memo_charge(struct sim_memo *memo, uint32_t item, const struct sim_charge *charge);

#endif
