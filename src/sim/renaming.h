/* SPDX-License-Identifier: MIT */
/*
 * renaming: which loads of a trace memory renaming serves, on cores that learn it. Such a core
 * knows loads and stores by where they are in the code. Those that met are of one set, and a
 * load takes over what the latest store of its set has stored; if that has been right often
 * enough, without asking. Private to sim.
 */
#ifndef TAKT_SIM_RENAMING_H
#define TAKT_SIM_RENAMING_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_RENAMING_ENTRIES 4096u /* a power of two */

/* A load or a store by its place, the last one of those that share an entry. */
struct sim_renaming_entry {
	uint32_t place;
	uint16_t set;         /* 0: none yet */
	uint16_t right;       /* of loads: so often one after the other */
};

struct sim_renaming {
	struct sim_renaming_entry loads[SIM_RENAMING_ENTRIES], stores[SIM_RENAMING_ENTRIES];
	uint32_t latest[SIM_RENAMING_ENTRIES]; /* store's number, by the set */
};

/* Of a memory operand. */
uint32_t sim_renaming_place(uint64_t address, unsigned operand);
void sim_renaming_store(struct sim_renaming *renaming, uint32_t place, uint32_t number);
/* What the load at `place` reads comes from the store; true if it need not wait for it. */
bool sim_renaming_load(struct sim_renaming *renaming, uint32_t place, uint32_t store_place,
		       uint32_t store_number, uint32_t right_least);
/* It reads what no store of which a load can take over the register has left. */
void sim_renaming_other(struct sim_renaming *renaming, uint32_t place, uint32_t store_count,
			uint32_t stores_max);

#endif
