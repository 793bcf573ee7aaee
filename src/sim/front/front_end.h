/* SPDX-License-Identifier: MIT */
/*
 * front_end: from bytes to the µop queue, a cycle at a time: predecoder, decoders,
 * microcode sequencer, op cache, loop buffer. Which of them a core has and how wide they
 * are is in its parameters. Follows the published description of uiCA (Abel, Reineke,
 * ICS 2022, section 4.1) for decoders with a µop cache of lines, and vendors' guides for
 * the rest. Private to sim.
 */
#ifndef TAKT_SIM_FRONT_END_H
#define TAKT_SIM_FRONT_END_H

#include "sim/block/block.h"

/* The next item of code; both a loop and a trace can provide it. */
struct sim_item {
	uint32_t insn;	    /* index in program->insns */
	uint32_t iteration; /* modulo 2^32 */
	uint64_t address;
	bool taken;  /* control continues elsewhere than after it */
	bool cached; /* of a trace: it comes out of the op cache */
};

#define SIM_ITEM_NONE UINT32_MAX /* as `insn`: the next item is not known yet */

/*
 * A source of code: `next` is called for one item after the other, without end, and again for an
 * item that was not known.
 */
struct sim_code_source {
	void (*next)(struct sim_code_source *source, struct sim_item *ret_item);
};

/* A block repeated without end, as a loop or as copies that follow each other (options). */
struct sim_loop_source {
	struct sim_code_source source; /* first member, so that pointers can be converted */
	const struct sim_program *program;
	uint64_t start, address;
	uint32_t insn, iteration; /* the next ones to come */
	bool loop;
};

void sim_loop_source_init(struct sim_loop_source *source, const struct sim_program *program,
			  const struct sim_options *options);

/* The µop queue before rename (IDQ). One entry is one laminated µop. */
struct sim_queue_entry {
	uint32_t insn; /* index in program->insns */
	uint32_t iteration;
	uint16_t slot;	  /* slot of the instruction, from 0 */
	bool break_after; /* rename takes nothing after it in the same cycle (loop buffer) */
};

#define SIM_QUEUE_ENTRIES_MAX 1024u /* a power of two, above any queue_entries */

struct sim_queue {
	uint32_t head, tail; /* head: the next entry to rename; both are never reset */
	uint32_t capacity;   /* queue_entries */
	struct sim_queue_entry entries[SIM_QUEUE_ENTRIES_MAX];
};

static inline uint32_t sim_queue_room(const struct sim_queue *queue)
{
	return queue->capacity - (queue->tail - queue->head);
}

static inline void sim_queue_push(struct sim_queue *queue, uint32_t insn, uint32_t iteration,
				  uint32_t slot)
{
	queue->entries[queue->tail++ % SIM_QUEUE_ENTRIES_MAX] =
		(struct sim_queue_entry){insn, iteration, (uint16_t)slot, false};
}

struct sim_front_end; /* defined in fetch.h */

/* Return the record in the form that op cache lines are made of. */
struct takt_code_item sim_code_item(const struct takt_core_params *params,
				    const struct sim_insn *insn);

/*
 * Create a front end in the arena. `options` says whether the block is a loop and its alignment; in
 * a loop whose windows are cacheable code comes out of op cache or loop buffer, unrolled code out
 * of the decoders, unless the core's op_cache_straight says otherwise. `source` is asked from the
 * first cycle on.
 */
struct sim_front_end *sim_front_end_new(const struct sim_program *program,
					const struct sim_options *options,
					struct sim_code_source *source, struct takt_arena *arena);
/* Create a front end for a trace, whose items say what is cached; it has no loop buffer. */
struct sim_front_end *sim_front_end_new_trace(const struct sim_program *program,
					      const struct takt_code_item *items,
					      struct sim_code_source *source,
					      struct takt_arena *arena);
/* Return how many items must be known so that a cycle cannot run out of them. */
uint32_t sim_front_end_lookahead(const struct sim_front_end *front_end);
/*
 * Say whether code has ended for now: then an instruction that waits for the next one goes on
 * without it.
 */
void sim_front_end_set_ended(struct sim_front_end *front_end, bool ended);
/* True if all cycles will be like the last one until the source or the queue has changed. */
bool sim_front_end_is_idle(const struct sim_front_end *front_end, const struct sim_queue *queue);
/* True if there is an item that no part has taken. */
bool sim_front_end_has_next(const struct sim_front_end *front_end);
/* Account for idle cycles. */
void sim_front_end_skip(struct sim_front_end *front_end, uint64_t cycles);
/* Run one cycle: push the µops that arrive at its end; do nothing if the queue lacks the room. */
void sim_front_end_cycle(struct sim_front_end *front_end, struct sim_queue *queue);

#endif
