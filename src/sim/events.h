/* SPDX-License-Identifier: MIT */
/*
 * events: what became of every issue slot and µop, for those who explain or draw it. The
 * stages tell the recorder, if the core has one; it keeps the last so many in rings and
 * works out by itself which operand came last. Times are cycles, as the core counts
 * them. Private to sim.
 */
#ifndef TAKT_SIM_EVENTS_H
#define TAKT_SIM_EVENTS_H

#include "sim/core.h"

#define SIM_EVENT_NONE UINT32_MAX
#define SIM_EVENT_SLOTS (1u << 14)  /* kept; all three are powers of two */
#define SIM_EVENT_UOPS (1u << 15)
#define SIM_EVENT_CYCLES (1u << 16)

/* Where a value comes from, or will. */
struct sim_origin {
	uint32_t uop;   /* number of the µop; NONE: it was there from the start */
	uint32_t ready;
	uint8_t part;   /* through which it was read; 0: memory */
};

struct sim_event_uop {
	uint8_t kind;       /* enum sim_uop_kind */
	bool inserted;      /* by rename */
	uint16_t port_cycles, unit_cycles; /* that it holds them */
	uint32_t slot;      /* number of its issue slot */
	struct sim_origin source; /* its operand that came last */
	uint32_t seen;      /* ready, and in the scheduler */
	uint32_t dispatched, done;
	uint32_t store;     /* LOAD: number of the store µop whose value it waited for; NONE */
	bool fails;         /* and that could not be forwarded */
	uint32_t behind;    /* the load that failed before it and retires before that store; NONE */
	uint8_t port, unit; /* SIM_PORT_NONE: none */
	bool port_chosen;   /* it might have gone to others */
	uint32_t banks;     /* mask of those that it reads, if that matters */
};

struct sim_event_slot {
	uint32_t insn;      /* index in program->insns */
	uint32_t iteration;
	uint16_t slot;      /* of the instruction */
	uint16_t uop_count;
	uint32_t first_uop; /* number */
	uint32_t queued, renamed, done, retired; /* retired 0: not yet */
	uint32_t stores;    /* renamed up to this slot */
	bool inserted;      /* by rename, before the instruction */
};

struct sim_event_cycle {
	uint8_t stop;       /* enum sim_wait: why rename took no more; NONE: the queue was empty */
	uint8_t front_end;  /* enum sim_wait: what brought no more; RENAME: the queue was full */
};

/* Slots, µops and stores are numbered from 0 on; of each ring the last so many are there. */
struct sim_events {
	uint64_t start;             /* cycle that times count from; before it, all is 0 */
	struct sim_event_slot slots[SIM_EVENT_SLOTS];
	struct sim_event_uop uops[SIM_EVENT_UOPS];
	struct sim_event_cycle cycles[SIM_EVENT_CYCLES];
	uint32_t committed[SIM_EVENT_SLOTS]; /* cycle in which a store was written, by number */
	uint32_t slot_count, uop_count, retired_count, commit_count;
	uint32_t first_uop;                  /* of the slot at hand */
	/* What the recorder must know to see where operands come from. */
	struct sim_origin values[SIM_PART_COUNT];
	uint32_t group_uops[SIM_GROUPS_MAX]; /* of the instruction at hand; NONE: none yet */
	uint32_t failed;                     /* the last load that could not be forwarded to */
	uint32_t *stores[2];                 /* store address and data µops, as core->stores */
	uint32_t queued[SIM_QUEUE_ENTRIES_MAX], queue_tail;
};

/* May begin in the middle: slots are numbered as in the reorder buffer. */
struct sim_events *sim_events_new(const struct sim_core *core, struct takt_arena *arena);

/* After each µop, before its slot is entered in the reorder buffer. */
void sim_events_uop(struct sim_core *core, const struct sim_uop *uop, uint64_t done);
void sim_events_slot(struct sim_core *core, uint64_t done);
/* Before results are written. */
void sim_events_write(struct sim_core *core);
/* Rename has put in a µop that makes a new value of `part` and `other`. */
void sim_events_insert(struct sim_core *core, uint8_t part, uint8_t other);
/* At the end of each cycle. */
void sim_events_cycle(struct sim_core *core);

/* front_end_wait.c: what the front end lacked in the cycle to bring more. */
enum sim_wait sim_front_end_wait(const struct sim_front_end *front_end,
				 const struct sim_queue *queue, bool pushed);

static inline struct sim_event_slot *sim_event_slot(struct sim_events *events, uint32_t number)
{
	return &events->slots[number % SIM_EVENT_SLOTS];
}

static inline struct sim_event_uop *sim_event_uop(struct sim_events *events, uint32_t number)
{
	return &events->uops[number % SIM_EVENT_UOPS];
}

/* Whether it is still in its ring. */
static inline bool sim_event_has_slot(const struct sim_events *events, uint32_t number)
{
	return number < events->slot_count && events->slot_count - number <= SIM_EVENT_SLOTS;
}

static inline bool sim_event_has_uop(const struct sim_events *events, uint32_t number)
{
	return number < events->uop_count && events->uop_count - number <= SIM_EVENT_UOPS;
}

/* waits.c: from what was recorded to the shares; `insn_count` is of the block. */
void sim_waits_find(struct sim_core *core, const struct sim_summary *summary, uint32_t insn_count,
		    struct takt_arena *arena, struct sim_waits *ret_waits);

#endif
