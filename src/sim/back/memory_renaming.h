/* SPDX-License-Identifier: MIT */
/*
 * renaming: which loads of a trace memory renaming serves, on cores that learn it. Such a core
 * identifies loads and stores by their place in the code. Those that met form a set; a load uses
 * the value of the latest store of its set, and need not wait for a check once that has been right
 * often enough. Private to sim.
 */
#ifndef TAKT_SIM_RENAMING_H
#define TAKT_SIM_RENAMING_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_RENAMING_ENTRIES 4096u /* a power of two */

/*
 * A load or a store, identified by its place in the code; of those that share an entry, the last
 * one.
 */
struct sim_renaming_entry {
	uint32_t place;
	uint16_t set;	/* 0: none yet */
	uint16_t right; /* of loads: how many times in a row the prediction was right */
};

struct sim_renaming {
	struct sim_renaming_entry loads[SIM_RENAMING_ENTRIES], stores[SIM_RENAMING_ENTRIES];
	uint32_t latest[SIM_RENAMING_ENTRIES]; /* by set: number of its latest store */
};

/* The outcome of memory renaming for one execution of a load. */
enum sim_renaming_result {
	SIM_RENAMING_WAITS,  /* memory renaming gave no value: the load waits for its own */
	SIM_RENAMING_SERVES, /* the load takes over the stored register, and need not wait */
	SIM_RENAMING_WRONG,  /* the load took over a register, but reads another value */
};

/* Return what identifies a memory operand: a hash of its instruction's address. */
uint32_t sim_renaming_place(uint64_t address, unsigned operand);
void sim_renaming_store(struct sim_renaming *renaming, uint32_t place, uint32_t number);
/*
 * Learn that the load at `place` reads what the store wrote, and return the outcome. Memory
 * renaming serves loads that read the latest store of their set `right_least` times in a row.
 */
enum sim_renaming_result sim_renaming_load(struct sim_renaming *renaming, uint32_t place,
					   uint32_t store_place, uint32_t store_number,
					   uint32_t right_least);
/*
 * Learn that the load reads no value that memory renaming could give it, and return the outcome:
 * it is wrong if the load would have been served.
 */
enum sim_renaming_result sim_renaming_other(struct sim_renaming *renaming, uint32_t place,
					    uint32_t store_count, uint32_t stores_max,
					    uint32_t right_least);

#endif
