/* SPDX-License-Identifier: MIT */
/*
 * events: what happened to every issue slot and µop, for those who explain or draw it. The stages
 * call the recorder, if the core has one; it keeps the latest slots, µops and cycles in rings and
 * works out by itself which operand came last. Times are cycles, as the core counts them. Private
 * to sim.
 */
#ifndef TAKT_SIM_EVENTS_H
#define TAKT_SIM_EVENTS_H

#include "sim/core.h"

#define SIM_EVENT_NONE UINT32_MAX
#define SIM_EVENT_SLOTS (1u << 14) /* slots that are kept; all three are powers of two */
#define SIM_EVENT_UOPS (1u << 15)
#define SIM_EVENT_CYCLES (1u << 16)

/* The origin of a value that exists or is being made. */
struct sim_origin {
	uint32_t uop; /* number of the µop; NONE: it was there from the start */
	uint32_t ready;
	uint8_t part; /* part through which it was read; 0: memory */
};

/* The cycles in which an instruction was fetched and predecoded, and what delivered the slot. */
struct sim_fetch_time {
	uint32_t fetched, predecoded; /* the same unless it was decoded */
	enum sim_slot_source source;
};

struct sim_event_uop {
	uint8_t kind;			   /* enum sim_uop_kind */
	bool inserted;			   /* rename inserted it */
	uint16_t port_cycles, unit_cycles; /* cycles for which it occupies port and unit */
	uint32_t slot;			   /* number of its issue slot */
	struct sim_origin source;	   /* its operand that came last */
	uint32_t seen;			   /* cycle in which it is ready and in the scheduler */
	uint32_t dispatched, done;
	uint32_t store;	    /* LOAD: number of the store µop whose value it waited for; NONE */
	bool fails;	    /* forwarding from that store failed */
	uint32_t behind;    /* failed load before it, which retires before that store is written;
			     * NONE */
	uint8_t port, unit; /* SIM_PORT_NONE: none */
	bool port_chosen;   /* it might have used other ports */
	uint32_t banks;	    /* mask of the cache banks it reads; 0: no limit */
};

struct sim_event_slot {
	uint32_t insn; /* index in program->insns */
	uint32_t iteration;
	uint16_t slot; /* index among the instruction's slots */
	uint16_t uop_count;
	uint32_t first_uop;			 /* number of its first µop */
	uint32_t queued, renamed, done, retired; /* cycles; retired 0: not yet */
	struct sim_fetch_time fetch;		 /* if the recorder has fetch times */
	uint32_t stores;			 /* stores renamed up to this slot */
	bool inserted;				 /* rename inserted it before the instruction */
};

struct sim_event_cycle {
	uint8_t stop;	   /* enum sim_stall: why rename stopped; NONE: the queue was empty */
	uint8_t front_end; /* enum sim_stall: why the front end brought no more; RENAME: the queue
			    * was full */
};

/* The record. Slots, µops and stores are numbered from 0 on; each ring holds the latest ones. */
struct sim_events {
	uint64_t start; /* cycle that times count from; all earlier times are 0 */
	struct sim_event_slot slots[SIM_EVENT_SLOTS];
	struct sim_event_uop uops[SIM_EVENT_UOPS];
	struct sim_event_cycle cycles[SIM_EVENT_CYCLES];
	uint32_t committed[SIM_EVENT_SLOTS]; /* cycle in which a store was written, by number */
	uint32_t slot_count, uop_count, retired_count, commit_count;
	uint32_t first_uop; /* first µop of the current slot */
	/* State from which the recorder finds the origin of operands. */
	struct sim_origin values[SIM_PART_COUNT];
	uint32_t group_uops[SIM_GROUPS_MAX]; /* µop of each group of the current instruction; NONE:
					      * none yet */
	uint32_t failed;		     /* the last load whose forwarding failed */
	uint32_t *stores[2]; /* store address and store data µops, in the order of core->stores */
	uint32_t queued[SIM_QUEUE_ENTRIES_MAX], queue_tail;
	struct sim_fetch_times *fetch_times; /* NULL: they are not recorded */
};

/*
 * Create a recorder, perhaps in the middle of a run: slots are numbered as in the reorder buffer.
 */
struct sim_events *sim_events_new(const struct sim_core *core, struct takt_arena *arena);

/* Record a µop; called after each one, before its slot is entered in the reorder buffer. */
void sim_events_uop(struct sim_core *core, const struct sim_uop *uop, uint64_t done);
void sim_events_slot(struct sim_core *core, uint64_t done);
/* Record the origins of the instruction's results; called before they are written. */
void sim_events_write(struct sim_core *core);
/* Record that rename inserted a µop that makes a new value of `part` and `other`. */
void sim_events_insert(struct sim_core *core, uint8_t part, uint8_t other);
/* Record the cycle; called at its end. */
void sim_events_cycle(struct sim_core *core);

/* front_end_stall.c: return why the front end brought no more µops in the cycle. */
enum sim_stall sim_front_end_stall(const struct sim_front_end *front_end,
				   const struct sim_queue *queue, bool pushed);

/* fetch_times.c: begin to record when instructions are fetched. */
struct sim_fetch_times *sim_fetch_times_new(const struct sim_front_end *front_end,
					    const struct sim_queue *queue,
					    struct takt_arena *arena);
/* Note what the front end has done in cycle `now`. */
void sim_fetch_times_note(struct sim_fetch_times *times, const struct sim_front_end *front_end,
			  const struct sim_queue *queue, uint32_t now);
/* Return the times of an entry of the µop queue, by its number. */
const struct sim_fetch_time *sim_fetch_times_of(const struct sim_fetch_times *times,
						uint32_t entry);

static inline struct sim_event_slot *sim_event_slot(struct sim_events *events, uint32_t number)
{
	return &events->slots[number % SIM_EVENT_SLOTS];
}

static inline struct sim_event_uop *sim_event_uop(struct sim_events *events, uint32_t number)
{
	return &events->uops[number % SIM_EVENT_UOPS];
}

/* True if the slot is still in its ring. */
static inline bool sim_event_has_slot(const struct sim_events *events, uint32_t number)
{
	return number < events->slot_count && events->slot_count - number <= SIM_EVENT_SLOTS;
}

static inline bool sim_event_has_uop(const struct sim_events *events, uint32_t number)
{
	return number < events->uop_count && events->uop_count - number <= SIM_EVENT_UOPS;
}

/* stalls.c: compute the shares of stall causes from the record; `insn_count` is the block's. */
void sim_stalls_find(struct sim_core *core, const struct sim_summary *summary, uint32_t insn_count,
		     struct takt_arena *arena, struct sim_stalls *ret_stalls);

#endif
