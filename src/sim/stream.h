/* SPDX-License-Identifier: MIT */
/*
 * stream: a core that is fed. Program order turns addresses into facts (facts.c,
 * windows.c); the core takes numbered items with facts (replay.c); each of its cycles is
 * charged to a step (losses.c). Private to sim.
 */
#ifndef TAKT_SIM_STREAM_H
#define TAKT_SIM_STREAM_H

#include "sim/code.h"
#include "sim/events.h"
#include "sim/facts.h"
#include "sim/memo.h"
#include "sim/windows.h"

/* A step that has not retired. */
struct sim_flight {
	const struct sim_code_block *block;
	uint64_t cookie;
	uint32_t end;        /* number of the item behind it */
	uint32_t insn_count;
	uint64_t parts[SIM_LOSS_COUNT]; /* of cycles */
};

/* What is recorded of a part of the run. */
struct sim_recording {
	struct sim_events *events;
	uint64_t skipped;          /* instructions still to come before the part */
	struct sim_window_insn *insns; /* of the part, in program order */
	uint32_t insn_count, insn_most;
	uint32_t *item_insns;      /* of each item of the part: its first in `insns` */
	uint32_t first_item, item_count;
	uint64_t begun_cycle;      /* when its first item was renamed; 0: not yet */
	uint32_t begun_slot, begun_uop;
	bool ended;
};

struct sim_stream {
	struct sim_code *code;
	struct sim_stream_options options;
	struct takt_arena arena;
	struct sim_core *core;
	struct sim_replay *replay;
	struct sim_facts facts;
	struct sim_windows windows;
	struct sim_flight *flights; /* a ring, as large as that of items */
	uint32_t flight_head, flight_tail;
	uint32_t lookahead;         /* items that must be there for a cycle */
	uint32_t retired;           /* items whose steps were told */
	uint32_t late_cycles;       /* by which the next step comes late */
	bool entered, missed;       /* the next step: by a branch; that was mispredicted */
	bool no_skip;               /* for tests, and while it is recorded */
	struct sim_recording *recording; /* or NULL */
	struct sim_memo *memo;      /* NULL: all is simulated */
	bool memo_works;            /* it wants to know of each item */
	struct sim_stream_totals totals;
};

/* stream.c, for memo.c: one cycle of the core, or several if all are alike. */
void sim_stream_cycle(struct sim_stream *stream);
/*
 * Charges cycles to an item. RETIRING is always of one cycle, and `cycles` is the number of items
 * from this one on that retired in it: they share it, as nobody is the reason for it alone.
 */
void sim_stream_charge(struct sim_stream *stream, uint32_t item, enum sim_loss loss,
		       uint64_t cycles);
/* Tells of the steps that have retired. */
void sim_stream_tell(struct sim_stream *stream);

/* losses.c: what the cycle goes to that the core has just gone through. */
enum sim_loss sim_loss_of(const struct sim_core *core);
/* Cycles from the next one on that are all like the last; 0: they may differ. */
uint64_t sim_idle_cycles(const struct sim_core *core);

/* stream_record.c: an item is fed, whose first instruction is number `insn` of the block. */
void sim_recording_feed(struct sim_stream *stream, const struct sim_code_block *block,
			uint32_t insn, uint32_t insn_count);
/* After each cycle. */
void sim_recording_cycle(struct sim_stream *stream);

#endif
