/* SPDX-License-Identifier: MIT */
/* Loads that run ahead of older stores: those that are remembered, and what it costs. */
#include "sim/back/memory_renaming.h"
#include "sim/stream/stream_source.h"

static uint32_t place_of(const struct sim_core *core, uint8_t operand)
{
	return sim_renaming_place(sim_dynamic(core->replay, core->context.iteration)->address,
				  operand);
}

void sim_bypass_store(struct sim_core *core, uint64_t known)
{
	struct sim_bypass *bypass = &core->replay->bypass;

	if (known > bypass->addresses_known)
		bypass->addresses_known = known;
}

static bool waits(const struct sim_bypass *bypass, uint32_t entry)
{
	return bypass->waits[entry / 64] >> entry % 64 & 1;
}

static void set_waits(struct sim_bypass *bypass, uint32_t entry, bool now)
{
	bypass->wait_count += (uint32_t)now - waits(bypass, entry);
	bypass->waits[entry / 64] &= ~((uint64_t)1 << entry % 64);
	bypass->waits[entry / 64] |= (uint64_t)now << entry % 64;
}

/* True if an address that is known from a cycle on is known to a load dispatched in cycle `at`. */
static bool known_in_time(const struct sim_core *core, uint64_t known, uint64_t at)
{
	return known <= at + !core->params->store_bypass_same_cycle;
}

/* Let the load wait in its next executions. */
static void remember(struct sim_core *core, uint8_t operand)
{
	struct sim_bypass *bypass = &core->replay->bypass;
	uint32_t place = place_of(core, operand), entry = place % SIM_BYPASS_LOADS;

	bypass->loads[entry].place = place;
	bypass->loads[entry].left = (uint8_t)core->params->store_bypass_wait_executions;
	set_waits(bypass, entry, bypass->loads[entry].left > 0);
}

uint64_t sim_bypass_wait(struct sim_core *core, uint8_t operand, uint64_t ready)
{
	struct sim_bypass *bypass = &core->replay->bypass;
	uint32_t place, entry;
	uint64_t known;

	bypass->waited = bypass->delayed = false;
	if (!bypass->wait_count)
		return ready;
	place = place_of(core, operand);
	entry = place % SIM_BYPASS_LOADS;
	if (!waits(bypass, entry) || bypass->loads[entry].place != place)
		return ready;
	bypass->waited = true;
	if (!--bypass->loads[entry].left)
		set_waits(bypass, entry, false);
	known = bypass->addresses_known + (uint64_t)core->params->store_bypass_wait_cycles;
	/* Where a load in the same cycle has not run ahead, one that comes later does not wait. */
	if (known <= ready || (!core->params->store_bypass_same_cycle &&
			       known_in_time(core, bypass->addresses_known, ready)))
		return ready;
	/* It cannot be dispatched before it has arrived at the scheduler. */
	bypass->delayed = known > core->cycle + (uint64_t)core->params->rename_to_dispatch_cycles;
	return known;
}

/*
 * Let the core begin anew behind a load, from the cycle on in which its mistake is found. Return
 * the cycle from which on the load reads its value.
 */
static uint64_t begin_anew(struct sim_core *core, uint64_t found)
{
	uint64_t anew = found + (uint64_t)core->params->store_bypass_flush_cycles;

	core->replay->bypass.delayed = true;
	if (anew > core->serialized)
		core->serialized = anew;
	return core->serialized;
}

uint64_t sim_bypass_read(struct sim_core *core, uint8_t operand, const struct sim_fact *fact,
			 uint64_t dispatched)
{
	struct sim_bypass *bypass = &core->replay->bypass;
	const struct sim_store *store = NULL;

	if ((fact->flags & (SIM_FACT_STORED | SIM_FACT_RENAMED)) == SIM_FACT_STORED)
		store = sim_replay_store(core, fact->store);
	if (store && bypass->waited) {
		remember(core, operand);
	} else if (store && !known_in_time(core, store->address_ready, dispatched)) {
		remember(core, operand);
		return begin_anew(core, store->address_ready);
	}
	if (fact->misrenamed)
		return begin_anew(core, dispatched + (uint64_t)core->params->load_latency_int);
	return dispatched;
}
