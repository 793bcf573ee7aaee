/* SPDX-License-Identifier: MIT */
/*
 * stream: a core that is fed. In program order addresses are turned into facts (facts.c,
 * op_cache_windows.c); the core takes numbered items with facts (stream_source.c); each of its
 * cycles is charged to an execution of a block (losses.c). Private to sim.
 */
#ifndef TAKT_SIM_STREAM_H
#define TAKT_SIM_STREAM_H

#include "sim/stream/stream_code.h"
#include "sim/events/events.h"
#include "sim/stream/losses.h"
#include "sim/stream/facts.h"
#include "sim/memo/memo.h"
#include "sim/stream/op_cache_windows.h"

/* An execution of a block that has not retired. */
struct sim_flight {
	const struct sim_code_block *block;
	uint64_t cookie;
	uint32_t end; /* number of the item after it */
	uint32_t insn_count;
	struct sim_charges charges;
};

/* A record of part of the run. */
struct sim_recording {
	struct sim_events *events;
	uint64_t skipped;	       /* instructions still to come before the part */
	struct sim_window_insn *insns; /* instructions of the part, in program order */
	uint32_t insn_count, insn_most;
	uint32_t *item_insns; /* for each item of the part: its first instruction's index in
			       * `insns` */
	uint32_t first_item, item_count;
	uint64_t begun_cycle; /* cycle in which its first item was renamed; 0: not yet */
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
	struct sim_flight *flights; /* ring, as large as that of items */
	uint32_t flight_head, flight_tail;
	uint32_t lookahead;   /* items that must be there for a cycle */
	uint32_t retired;     /* retired items whose executions were reported */
	uint32_t late_cycles; /* cycles by which the next execution is late */
	bool entered, missed; /* the next execution follows a branch; a mispredicted one */
	bool no_skip;	      /* simulate each cycle: for tests, and while recording */
	/* Without skipping: until this cycle nothing happens, and each is charged alike. */
	uint64_t idle_until;
	struct sim_charge idle_charge;
	struct sim_recording *recording; /* or NULL */
	struct sim_memo *memo;		 /* NULL: everything is simulated */
	bool memo_works;		 /* the memo must see each item */
	uint32_t stuck_steps;		 /* simulated since something retired last */
	bool stuck; /* nothing will ever retire: the state was loaded, and is wrong or one that no
		     * run leads to. The stream then takes what it is fed and does nothing. */
	struct sim_stream_totals totals; /* its ports in finer shares than parts (add_totals) */
};

/* stream_check.c: what is the same in all streams of a core and these options. */
#define SIM_STREAM_FIXED 17
struct sim_stream_fixed {
	uint64_t values[SIM_STREAM_FIXED];
};

void sim_stream_fixed(const struct sim_stream *stream, struct sim_stream_fixed *ret_fixed);
/*
 * True if nothing in a stream that was loaded leads out of its arrays; `fixed` is of the stream
 * before it was loaded.
 */
bool sim_stream_fits(const struct sim_stream *stream, const struct sim_stream_fixed *fixed);

/* stream.c, for memo.c: run one cycle of the core, or several if all are alike. */
void sim_stream_cycle(struct sim_stream *stream);
/*
 * Charge cycles to an item, or to several from this one on, which share them, as none is the reason
 * for them alone.
 */
void sim_stream_charge(struct sim_stream *stream, uint32_t item, const struct sim_charge *charge);
/* Report the executions that have retired. */
void sim_stream_tell(struct sim_stream *stream);

/*
 * stream_record.c: record an item being fed, whose first instruction is number `insn` of the block.
 */
void sim_recording_feed(struct sim_stream *stream, const struct sim_code_block *block,
			uint32_t insn, uint32_t insn_count);
/* Follow what is recorded; called after each cycle. */
void sim_recording_cycle(struct sim_stream *stream);

#endif
