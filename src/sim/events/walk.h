/* SPDX-License-Identifier: MIT */
/*
 * walk: goes from an event back to the one it waited for, and on. Private to the analysis of
 * stalls.
 */
#ifndef TAKT_SIM_WALK_H
#define TAKT_SIM_WALK_H

#include "sim/events/events.h"

enum sim_node_kind {
	SIM_NODE_QUEUED, /* the slot's µop is in the queue, or could be but for its cause */
	SIM_NODE_RENAMED,
	SIM_NODE_DISPATCHED, /* a µop is dispatched */
	SIM_NODE_RETIRED,
	SIM_NODE_COMMITTED, /* a store is written */
};

/* An event, and the time since the one it waited for. */
struct sim_step {
	uint8_t kind;	 /* enum sim_node_kind */
	uint8_t cause;	 /* enum sim_stall */
	uint8_t port;	 /* port, if the cause is PORT or UNIT */
	uint32_t number; /* number of the slot, µop or store */
	uint32_t slot;	 /* slot that it belongs to */
	uint32_t time;
	uint32_t first, last; /* range of slots responsible for the wait */
};

/*
 * Fill in `steps`, newest first, from the last retirement back to where the record begins or to
 * `most` steps. Return their number; the cause of the last one is not known.
 */
uint32_t sim_walk(const struct sim_core *core, struct sim_step *steps, uint32_t most);

#endif
