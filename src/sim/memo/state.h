/* SPDX-License-Identifier: MIT */
/*
 * state: the state of a fed core as bytes. All is written that can make a difference later: times
 * are relative to the present, and those so far back that nothing compares with them any more are
 * written alike; items and stores are counted back from the next ones; what items contain is not
 * repeated, but hashed. One function writes and reads each part. Private to sim.
 *
 * Whoever adds to the core's state adds it here: tests/unit/sim/test_state.c fills a core with
 * rubbish before it reads a state.
 */
#ifndef TAKT_SIM_STATE_H
#define TAKT_SIM_STATE_H

#include "sim/stream/stream_source.h"

#define SIM_STATE_BYTES_MAX (1u << 16)

struct sim_hash {
	uint64_t low, high;
	uint64_t flags; /* flags of the items added since the last eight */
	uint32_t items; /* items of the current execution of a block */
};

static inline bool sim_takes_longer(const struct sim_dynamic *dynamic)
{
	return dynamic->extra_cycles || dynamic->late_cycles;
}

/* state.c: add all that the core may learn from the item, except what its block says. */
void sim_hash_item(struct sim_hash *hash, const struct sim_core *core,
		   const struct sim_dynamic *dynamic);
/* Add which block ran, and how far; called after its last item. */
void sim_hash_step(struct sim_hash *hash, uint32_t block, uint32_t insn_count);
/* Add the time modulo line_cycles. */
void sim_hash_phase(struct sim_hash *hash, const struct sim_core *core);
/* True if an access of the item goes to memory itself. */
bool sim_item_is_from_memory(const struct sim_core *core, const struct sim_dynamic *dynamic);
/*
 * Write the state that can make a difference to what follows, and return the bytes written, 0 if
 * they are too many. `tail` is the number of the next item and `store` that of the next store to be
 * fed. `memory`: how many items before the next one the last item lies that goes to memory and has
 * not retired; 0: there is none. Until it has, and while lines are on their way, the time modulo
 * line_cycles counts; how long it will is part of the state, too.
 */
uint32_t sim_state_pack(struct sim_core *core, uint32_t tail, uint32_t store, uint32_t memory,
			uint8_t bytes[SIM_STATE_BYTES_MAX]);
/*
 * Load a state into the core, whose `cycle` is right and whose ports are reserved from `since` on,
 * which was its cycle when it ran last.
 */
void sim_state_unpack(struct sim_core *core, uint32_t tail, uint32_t store, uint64_t since,
		      const uint8_t *bytes);

/* ---- within -------------------------------------------------------------------------------- */

#define SIM_LATE_MAX (UINT16_MAX + 1) /* more cycles than an item can be late, or a latency be */

struct sim_coder {
	struct sim_core *core;
	uint8_t *at, *end;
	bool reading, failed;
	uint32_t tail, store; /* numbers of the next item and the next store */
	uint64_t now, since;
};

/* Write the number and return it, or read one. */
uint64_t sim_state_number(struct sim_coder *coder, uint64_t value);
/* Write or read a time; one earlier than `least` cycles after the present counts as that. */
uint64_t sim_state_moment(struct sim_coder *coder, uint64_t time, int32_t least);
uint32_t sim_state_item(struct sim_coder *coder, uint32_t item);

#define SIM_STATE(coder, lvalue)                                                                   \
	((lvalue) = (__typeof__(lvalue))sim_state_number(coder, (uint64_t)(lvalue)))

static inline uint32_t sim_record_of(const struct sim_coder *coder, uint32_t item)
{
	return sim_dynamic(coder->core->replay, item)->record;
}

/* True if rename is in the middle of an instruction. */
static inline bool sim_is_within(const struct sim_context *context)
{
	return context->insn && context->next_slot < context->insn->issue_slots;
}

/* state_front.c: the front end and the µop queue. */
void sim_state_front_end(struct sim_coder *coder);
/* state_back.c: rename, ports, retirement, stores. `first` is the item to be renamed next. */
void sim_state_back_end(struct sim_coder *coder, uint32_t first);

#endif
