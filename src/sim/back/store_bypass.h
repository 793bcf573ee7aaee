/* SPDX-License-Identifier: MIT */
/*
 * store_bypass: loads of a trace that run ahead of older stores whose addresses are not known yet.
 * One that reads what such a store writes has run ahead wrongly: the core begins anew behind it,
 * and remembers the load, which for some executions waits for the addresses of all older stores
 * (docs/notes/simulator-rules.md). A load that memory renaming gave a wrong value makes the core
 * begin anew as well. Only cores with the parameter store_bypass_flush_cycles have it.
 * Private to sim.
 */
#ifndef TAKT_SIM_STORE_BYPASS_H
#define TAKT_SIM_STORE_BYPASS_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_BYPASS_LOADS 1024u /* loads that are remembered, a power of two above 64 */

struct sim_core;
struct sim_fact;

struct sim_bypass {
	uint64_t addresses_known; /* cycle in which the addresses of all renamed stores are known */
	uint64_t waits[SIM_BYPASS_LOADS / 64]; /* a bit for each entry whose load waits */
	uint32_t wait_count;
	struct {
		uint32_t place;	   /* of the load in the code (sim_renaming_place) */
		uint8_t left;	   /* executions in which it still waits */
	} loads[SIM_BYPASS_LOADS]; /* by place; of those that share an entry, the last one */
	bool waited;		   /* the current load does */
	bool delayed;		   /* it has its value later for it, or because it ran ahead */
};

/* Note the cycle from which on a store's address is known. */
void sim_bypass_store(struct sim_core *core, uint64_t known);
/*
 * Return when the operand's load may be dispatched whose sources are `ready`, and count the
 * execution if it waits for the addresses of stores.
 */
uint64_t sim_bypass_wait(struct sim_core *core, uint8_t operand, uint64_t ready);
/*
 * Return the cycle from which on the load that was dispatched in this cycle reads its value: once
 * the core has begun anew if the load has run ahead wrongly, or has a wrong value.
 */
uint64_t sim_bypass_read(struct sim_core *core, uint8_t operand, const struct sim_fact *fact,
			 uint64_t dispatched);

#endif
