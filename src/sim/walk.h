/* SPDX-License-Identifier: MIT */
/*
 * walk: from an event back to the one it waited for, and on. Private to what explains.
 */
#ifndef TAKT_SIM_WALK_H
#define TAKT_SIM_WALK_H

#include "sim/events.h"

enum sim_node_kind {
	SIM_NODE_QUEUED,   /* the slot's µop is in the queue, or could be but for its cause */
	SIM_NODE_RENAMED,
	SIM_NODE_DISPATCHED, /* of a µop */
	SIM_NODE_RETIRED,
	SIM_NODE_COMMITTED, /* a store is written */
};

/* An event, and the time since the one it waited for. */
struct sim_step {
	uint8_t kind;           /* enum sim_node_kind */
	uint8_t cause;          /* enum sim_wait */
	uint8_t port;           /* of PORT and UNIT */
	uint8_t part;           /* of a value that was waited for */
	uint32_t number;        /* of the slot, µop or store */
	uint32_t slot;          /* that it belongs to */
	uint32_t time;
	uint32_t first, last;   /* slots that the wait is due to */
	uint32_t from;          /* slot that a value comes from, NONE: no value */
	uint32_t to;            /* slot that the value goes to */
};

/*
 * Fills `steps`, newest first, from the last retirement back to where the record begins or
 * `most` steps. Returns how many; the last one's cause is not known.
 */
uint32_t sim_walk(const struct sim_core *core, struct sim_step *steps, uint32_t most);

#endif
