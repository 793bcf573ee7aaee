/* SPDX-License-Identifier: MIT */
/*
 * Loads that wait for the data of a store: where loads take their ports in turn and wait there
 * (load_port_entries, load_port_blocked), and where they take their ports again once the data is
 * there (store_forward_accesses). How both were measured: docs/notes/simulator-rules.md, the
 * sections "Loads that wait for a store's data".
 */
#include "sim/back/load_waits.h"

#include "sim/back/ports.h"

bool sim_load_ports_have_room(const struct sim_core *core, const struct sim_insn *insn)
{
	const struct sim_uop *uops = core->program->uops + insn->uops;

	for (unsigned i = 0; core->params->load_port_entries > 0 && i < insn->uop_count; i++)
		if (uops[i].kind == SIM_UOP_LOAD &&
		    core->ports.pending[sim_ports_next_turn(&core->ports, uops[i].ports)] >=
			    core->params->load_port_entries)
			return false;
	return true;
}

/* Return when loads that wait at the load's port leave it, latest first. */
static uint64_t *leaving(struct sim_core *core, const struct sim_uop *uop)
{
	uint32_t below = ((uint32_t)1 << sim_ports_next_turn(&core->ports, uop->ports)) - 1;

	return core
		->load_waits[(unsigned)__builtin_popcount(uop->ports & below) % SIM_LOAD_PORTS_MAX];
}

static uint32_t blocked_most(const struct sim_core *core)
{
	int32_t most = core->params->load_port_blocked;

	if (most < 0)
		return 0;
	return most < (int32_t)SIM_LOAD_WAITS_MAX ? (uint32_t)most : SIM_LOAD_WAITS_MAX;
}

/*
 * Return when the load may take its port: not before its address is `ready`, nor before its store's
 * data is there, in the cycle `stored` (0: it waits for none), nor while the port is blocked.
 */
static uint64_t port_from(struct sim_core *core, const struct sim_uop *uop, uint64_t ready,
			  uint64_t stored)
{
	uint64_t *leave = leaving(core, uop);
	uint64_t first = core->cycle + (uint64_t)core->params->rename_to_dispatch_cycles;
	uint32_t most = blocked_most(core), i;

	if (ready > first)
		first = ready;
	if (most && leave[most - 1] > first)
		first = ready = leave[most - 1];
	if (stored <= first)
		return ready;
	for (i = most; i > 0 && leave[i - 1] < stored; i--)
		if (i < most)
			leave[i] = leave[i - 1];
	if (i < most)
		leave[i] = stored;
	return stored;
}

bool sim_load_wait(struct sim_core *core, const struct sim_uop *uop,
		   const struct sim_memory *memory, const struct sim_fact *fact, uint64_t *ready)
{
	uint64_t latency = memory->load_cycles + memory->address_cycles;
	uint64_t stored = sim_load_stored(core, memory, fact);
	uint64_t from = port_from(core, uop, *ready, stored > latency ? stored - latency : 0);
	bool waits = from > *ready;

	*ready = from;
	return waits;
}

uint64_t sim_load_again(struct sim_core *core, const struct sim_uop *uop, uint32_t slot,
			const struct sim_memory *memory, const struct sim_fact *fact,
			uint64_t dispatched)
{
	uint64_t latency = memory->load_cycles + memory->address_cycles;
	uint64_t stored = sim_load_stored(core, memory, fact);
	struct sim_pick pick = core->pick;
	uint64_t again;

	if (stored <= dispatched + latency)
		return dispatched;
	again = sim_ports_dispatch(core, uop, slot, stored - latency);
	core->pick = pick;
	return again;
}

const struct sim_uop *sim_load_uop(const struct sim_core *core, const struct sim_uop *uop,
				   const struct sim_fact *fact, bool split, struct sim_uop *changed)
{
	int32_t cycles = split ? core->params->split_load_port_cycles : 1;
	uint32_t banks = fact ? fact->banks : 0;

	if (!banks && cycles <= 1)
		return uop;
	*changed = *uop;
	if (banks)
		changed->banks = banks;
	if (cycles > 1)
		changed->port_cycles = (uint8_t)(cycles < UINT8_MAX ? cycles : UINT8_MAX);
	changed->choice = SIM_CHOICE_OTHER;
	return changed;
}
