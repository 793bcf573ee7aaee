/* SPDX-License-Identifier: MIT */
/* load_waits: loads at their ports, where they wait for the data of stores. Private to sim. */
#ifndef TAKT_SIM_LOAD_WAITS_H
#define TAKT_SIM_LOAD_WAITS_H

#include "sim/stream/stream_source.h"

/* True if the ports that the instruction's loads will go to have a free entry each. */
bool sim_load_ports_have_room(const struct sim_core *core, const struct sim_insn *insn);

/*
 * Put `*ready`, when the load's address is ready, off until it may take its port: until its store
 * has the data, and as long as too many loads wait at that port for their stores. True if it waits.
 * `fact` is NULL outside traces.
 */
bool sim_load_wait(struct sim_core *core, const struct sim_uop *uop,
		   const struct sim_memory *memory, const struct sim_fact *fact, uint64_t *ready);

/*
 * Let a load that was dispatched before its store had the data take its port again once the store
 * has it. Return the cycle of its last dispatch. `fact` is NULL outside traces.
 */
uint64_t sim_load_again(struct sim_core *core, const struct sim_uop *uop, uint32_t slot,
			const struct sim_memory *memory, const struct sim_fact *fact,
			uint64_t dispatched);

/*
 * Return the load's µop as it is dispatched: with the banks of `fact`, which is NULL outside
 * traces, and, if it is split, as long on its port as such loads are. `changed` is storage for it.
 */
const struct sim_uop *sim_load_uop(const struct sim_core *core, const struct sim_uop *uop,
				   const struct sim_fact *fact, bool split,
				   struct sim_uop *changed);

#endif
