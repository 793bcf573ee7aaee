/* SPDX-License-Identifier: MIT */
/*
 * memo: what a piece of a trace did to a core, kept for when the same piece meets the same core
 * again (FastSim: Schnarr and Larus, ASPLOS 1998). A core sees of a trace only records and
 * relative facts (replay.h), and of time only differences: its state can be written down so that
 * it holds anywhere and at any time. Private to sim.
 *
 * The trace is cut at ends of steps, by what it contains alone. A chunk's key is the state
 * before it and a hash of all that the core may learn of its items: 128 bits, so that among 2^30
 * chunks two that differ have the same one with a probability of 2^-69. States are compared
 * whole.
 */
#ifndef TAKT_SIM_MEMO_H
#define TAKT_SIM_MEMO_H

#include "sim/replay.h"

#define SIM_CHUNK_ROOM 256u /* items beyond those in flight */

struct sim_stream;

/* ---- memo_state.c: a core's state as bytes ---------------------------------------------- */

#define SIM_STATE_BYTES_MAX (1u << 16)

struct sim_hash {
	uint64_t low, high;
};

/* All that the core may learn of the item. */
void sim_hash_item(struct sim_hash *hash, const struct sim_core *core,
		   const struct sim_dynamic *dynamic);
/* The time modulo line_cycles. */
void sim_hash_phase(struct sim_hash *hash, const struct sim_core *core);
/* Whether some of it is read from memory itself. */
bool sim_item_is_from_memory(const struct sim_core *core, const struct sim_dynamic *dynamic);
/*
 * Writes what can make a difference to what follows. `tail` is the number of the next item and
 * `store` that of the next store to be fed; `phase`: the time modulo line_cycles counts. Returns
 * the bytes written, 0 if they are too many.
 */
uint32_t sim_state_pack(struct sim_core *core, uint32_t store, bool phase, uint8_t *bytes);
/*
 * Makes it the state of the core, whose `cycle` is right and whose ports are reserved from
 * `since` on, which was its cycle when it ran last.
 */
void sim_state_unpack(struct sim_core *core, uint32_t tail, uint32_t store, uint64_t since,
		      const uint8_t *bytes);
/* Lines are still on their way from memory. */
bool sim_state_transfers(const struct sim_core *core);

/* ---- memo.c ------------------------------------------------------------------------------ */

struct sim_memo;

struct sim_memo_counts {
	uint64_t chunks, looked_up, hits; /* hits: not simulated, but for those checked */
	uint64_t checked, wrong;
	uint64_t states, kept, flushes, insns_hit;
};

/* `check_every`: so many hits are simulated nevertheless, and compared. */
struct sim_memo *sim_memo_new(struct sim_stream *stream, uint32_t check_every);
void sim_memo_free(struct sim_memo *memo);
/* An item is fed: the next one, not counted yet. */
void sim_memo_feed(struct sim_stream *stream, const struct sim_dynamic *dynamic);
/* A step has been fed: runs the core if a chunk ends with it. False: that is not its task now. */
bool sim_memo_step(struct sim_stream *stream, uint64_t address);
/* The core is needed itself. */
void sim_memo_leave(struct sim_stream *stream);
/* A cycle, or several, have been charged to the item. */
void sim_memo_charge(struct sim_memo *memo, uint32_t item, uint8_t loss, uint64_t cycles);
const struct sim_memo_counts *sim_memo_counts(const struct sim_memo *memo);

#endif
