/* SPDX-License-Identifier: MIT */
/*
 * memo: what a piece of a trace did to a core, kept for when the same piece meets the same core
 * again (FastSim: Schnarr and Larus, ASPLOS 1998). A core sees of a trace only records and
 * relative facts (replay.h), and of time only differences: its state can be written down so that
 * it holds anywhere and at any time (state.h). Private to sim.
 *
 * The trace is cut at ends of steps, by what it contains alone. A chunk's key is the state
 * before it and a hash of all that the core may learn of its items, what caches and predictors
 * said of them included: 128 bits, so that among 2^30 chunks two that differ have the same one
 * with a probability of 2^-69. States are compared whole.
 */
#ifndef TAKT_SIM_MEMO_H
#define TAKT_SIM_MEMO_H

#include "sim/sim.h"
#include "sim/state.h"

#define SIM_CHUNK_ROOM 128u /* items beyond those in flight, of a chunk that waits for its end */

/* ---- memo_table.c: states and chunks, of all streams of a code ----------------------------- */

struct sim_memo_state {
	uint32_t first, size; /* bytes */
	uint64_t hash;
};

struct sim_memo_chunk {
	struct sim_hash hash;
	uint32_t before, after; /* states, from 1 on */
	uint32_t cycles, uops, retired;
	uint32_t first_charge, charge_count;
};

struct sim_memo;

struct sim_memo_table {
	struct sim_memo_state *states;
	struct sim_memo_chunk *chunks;
	uint32_t *charges;
	uint8_t *bytes;
	uint32_t *state_slots, *chunk_slots; /* numbers, from 1 on; 0: none */
	uint32_t state_count, chunk_count, charge_count, byte_count;
	uint32_t eighths; /* of the room that may be used: more once what is kept is of use */
	uint32_t found;   /* so often, since it was empty */
	struct sim_memo *users;
};

struct sim_memo_table *sim_memo_table_new(void);
void sim_memo_table_free(struct sim_memo_table *table);
/* Whether a chunk more may find no place. */
bool sim_memo_table_is_full(const struct sim_memo_table *table);
void sim_memo_table_empty(struct sim_memo_table *table);
/* Room for a state's bytes, which are then entered, or found to be there: its number. */
uint8_t *sim_memo_state_room(struct sim_memo_table *table);
uint32_t sim_memo_state_enter(struct sim_memo_table *table, uint32_t size);
/* Where the chunk's number is, or would be. */
uint32_t *sim_memo_find(const struct sim_memo_table *table, uint32_t before, struct sim_hash hash);
void sim_memo_enter(struct sim_memo_table *table, uint32_t *slot,
		    const struct sim_memo_chunk *chunk);
/* A charge, `after` items behind the last; false if it cannot be kept. */
bool sim_memo_charge_add(struct sim_memo_table *table, uint32_t first, uint32_t after,
			 enum sim_loss loss, uint64_t cycles);

struct sim_memo_charge {
	uint32_t after;
	enum sim_loss loss;
	uint32_t cycles;
};

struct sim_memo_charge sim_memo_charge_get(const struct sim_memo_table *table, uint32_t number);

/* ---- memo.c: of a stream ------------------------------------------------------------------- */

struct sim_memo *sim_memo_new(struct sim_stream *stream);
void sim_memo_free(struct sim_stream *stream);
/* An item is fed: the next one, not counted yet. */
void sim_memo_feed(struct sim_stream *stream, const struct sim_dynamic *dynamic);
/* A step has been fed: runs the core if a chunk ends with it. False: that is not its task now. */
bool sim_memo_step(struct sim_stream *stream, const struct sim_stream_step *step);
/* The core is needed itself: now, */
void sim_memo_leave(struct sim_stream *stream);
/* and as long as it waits. */
void sim_memo_wait(struct sim_stream *stream, bool waits);
/* A cycle, or several, have been charged to the item: as sim_stream_charge() was told. */
void sim_memo_charge(struct sim_memo *memo, uint32_t item, enum sim_loss loss, uint64_t cycles);

#endif
