/* SPDX-License-Identifier: MIT */
/* repeat: states of a core that recur, of a block that is repeated without end. Private to sim. */
#ifndef TAKT_SIM_REPEAT_H
#define TAKT_SIM_REPEAT_H

#include "sim/core.h"

#define SIM_REPEAT_WORDS 2048u /* a larger state is not compared */
#define SIM_REPEAT_STATES 4u
#define SIM_REPEAT_MARGIN                                                                          \
	8u /* cycles added to what is long ago, for single cycles of the stages                    \
	    */
/* A horizon so long ago that nothing is cut off. */
#define SIM_REPEAT_WITHIN (2u * UINT16_MAX)

#define SIM_REPEAT_NO_KEY UINT64_MAX

struct sim_repeat_state {
	uint64_t cycle;
	uint32_t iterations, count;
	uint32_t words[SIM_REPEAT_WORDS];
};

struct sim_repeat {
	uint64_t next_cycle; /* cycle from which on another state is taken */
	/* Cycles from when on what was ready before makes no difference. */
	uint32_t value_horizon, store_horizon, failed_horizon;
	bool forwards;			/* a load of the block may wait for a store */
	bool fails;			/* the same, and for its being written to the cache */
	bool written[SIM_PART_LOADED];	/* parts that the block writes */
	uint8_t parts[SIM_PART_LOADED]; /* the same as a list */
	uint32_t part_count, taken;
	uint64_t keys[SIM_REPEAT_STATES]; /* of the states; SIM_REPEAT_NO_KEY: there is none */
	/* From here on nothing need be cleared: it is written before it is read. */
	uint32_t words[SIM_REPEAT_WORDS]; /* the present state, when it is compared */
	struct sim_repeat_state states[SIM_REPEAT_STATES];
};

/* Cycles after which a state is there again, and the iterations between. */
struct sim_period {
	uint32_t cycles, iterations;
};

void sim_repeat_init(struct sim_repeat *repeat, const struct sim_core *core);
/*
 * Look at the state after a cycle, of which `outline` is a hash; true, with the period, if it was
 * there before.
 */
bool sim_repeat_look(struct sim_repeat *repeat, const struct sim_core *core, uint32_t outline,
		     struct sim_period *ret_period);

#endif
