/* SPDX-License-Identifier: MIT */
/* load_waits: loads that wait at their port for the data of a store. Private to sim. */
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

#endif
