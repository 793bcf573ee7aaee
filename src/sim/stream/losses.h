/* SPDX-License-Identifier: MIT */
/*
 * losses: what the issue slots of a core's cycles are spent on, as top-down analysis counts them
 * (Yasin, ISPASS 2014): where rename takes µops. Which instruction a cycle is charged to is another
 * question: the oldest that has not retired. Private to sim.
 */
#ifndef TAKT_SIM_LOSSES_H
#define TAKT_SIM_LOSSES_H

#include "sim/core.h"

/* Cycles that one item is charged with, or one cycle that several are that retire in it. */
struct sim_charge {
	uint8_t after; /* in the memo: items since the charge before */
	uint8_t items; /* items from the first on, which share it */
	uint8_t loss;  /* enum sim_loss: the reason for the slots that stay empty */
	uint8_t unused;
	uint32_t ports;	   /* of SIM_LOSS_PORTS: mask of the busy ports */
	uint16_t cycles;   /* below SIM_CHARGE_CYCLES_MAX */
	uint16_t retiring; /* parts of a cycle: slots of µops that retire */
	uint16_t heavy;	   /* those of them that belong to instructions of several slots */
	uint16_t unused_either;
};
_Static_assert(sizeof(struct sim_charge) == 16, "charges are compared as bytes");

#define SIM_CHARGE_CYCLES_MAX UINT16_MAX

/* A core as it was when a cycle began: core->rob_head, core->rob_tail, core->slots_owed. */
struct sim_cycle_start {
	uint32_t oldest, renamed, owed;
};

/* Fill in what the last cycle was spent on, apart from `cycles` and `items`. */
void sim_charge_find(const struct sim_core *core, const struct sim_cycle_start *start,
		     struct sim_charge *ret_charge);
/* Return in how many of the next cycles nothing happens; 0: something may. */
uint64_t sim_idle_cycles(const struct sim_core *core);

#endif
