/* SPDX-License-Identifier: MIT */
/* ports: dispatch of the µops that take one port for a cycle, as nearly all do. Private to sim. */
#ifndef TAKT_SIM_PORTS_H
#define TAKT_SIM_PORTS_H

#include "sim/core.h"

/* Choose among several ports of the µop, `set`, at rename, by the core's rule. */
unsigned sim_ports_choose(struct sim_core *core, const struct sim_uop *uop, uint32_t set,
			  uint32_t slot);
/*
 * Choose among load, store address or store data ports that come in twos, or on some cores in
 * threes: they take turns.
 */
unsigned sim_ports_in_turn(struct sim_ports *ports, uint32_t set);
/* Return the port whose turn is next. */
unsigned sim_ports_next_turn(const struct sim_ports *ports, uint32_t set);

/*
 * Let a µop that is awake from cycle `early` on, but whose operands come not before `ready`, take a
 * cycle of a port in vain, if one is free in between.
 */
void sim_ports_waste(struct sim_core *core, const struct sim_uop *uop, uint64_t early,
		     uint64_t ready);

/*
 * Let an operation of several cycles on an ALU take the last of the ALUs for branches in its last
 * cycle, `cycle`, if that is free then. One of them is enough for all that end in that cycle.
 */
void sim_ports_end_late(struct sim_core *core, const struct sim_uop *uop, uint64_t cycle);

/* Choose among several ports at dispatch. */
unsigned sim_ports_earliest(const struct sim_core *core, uint32_t set, uint64_t ready);

static inline unsigned sim_ports_choose_late(struct sim_core *core, const struct sim_uop *uop,
					     uint64_t *ready)
{
	uint32_t set = uop->schedulers ? sim_scheduler_choose(core, uop, ready) : uop->ports;

	return set & (set - 1) ? sim_ports_earliest(core, set, *ready)
			       : (unsigned)__builtin_ctz(set);
}

static inline unsigned sim_ports_choice(struct sim_core *core, const struct sim_uop *uop,
					uint32_t slot, uint64_t *ready)
{
	if (uop->choice == SIM_CHOICE_LATE)
		return sim_ports_choose_late(core, uop, ready);
	if (uop->choice == SIM_CHOICE_ONE)
		return (unsigned)__builtin_ctz(uop->ports);
	return uop->choice == SIM_CHOICE_TURN ? sim_ports_in_turn(&core->ports, uop->ports)
					      : sim_ports_choose(core, uop, uop->ports, slot);
}

/* Reserve the port for a cycle, the first from `ready` on in which it is free, and return it. */
static inline uint64_t sim_ports_take(struct sim_ports *ports, unsigned port, uint64_t ready)
{
	uint64_t word = ready / 64, *taken = &ports->reserved[word % SIM_WINDOW_WORDS][port];
	uint64_t free = ~*taken & UINT64_MAX << ready % 64, cycle, bit;

	while (__builtin_expect(!free, 0)) {
		taken = &ports->reserved[++word % SIM_WINDOW_WORDS][port];
		free = ~*taken;
	}
	bit = free & -free;
	*taken |= bit;
	ports->any[word % SIM_WINDOW_WORDS] |= bit;
	cycle = word * 64 + (unsigned)__builtin_ctzll(free);
	ports->reserving |= (uint32_t)1 << port;
	ports->used |= (uint32_t)1 << port;
	ports->pending[port]++;
	ports->pending_all++;
	if (cycle >= ports->furthest)
		ports->furthest = cycle + 1;
	return cycle;
}

/* The same as sim_ports_dispatch, and quick for a µop that takes one port for a cycle. */
static inline uint64_t sim_ports_dispatch_quick(struct sim_core *core, const struct sim_uop *uop,
						uint32_t slot, uint64_t operands_ready)
{
	uint64_t arrival = core->cycle + (uint64_t)core->params->rename_to_dispatch_cycles;
	uint64_t ready = operands_ready > core->serialized ? operands_ready : core->serialized;
	uint64_t last;
	unsigned port;

	/* Ports that are chosen at rename pick a µop later that becomes ready as it arrives. */
	if (ready < arrival)
		ready = arrival;
	else
		ready += uop->choice > SIM_CHOICE_LATE && ready <= arrival + 1;
	last = core->ports.furthest > ready ? core->ports.furthest : ready;
	if (uop->choice == SIM_CHOICE_OTHER || last + 1 >= core->ports.clear_until ||
	    ready >= core->cycle + SIM_WINDOW_CYCLES / 2)
		return sim_ports_dispatch(core, uop, slot, operands_ready);
	core->pick.ready = ready;
	port = sim_ports_choice(core, uop, slot, &ready);
	core->pick.port = (uint8_t)port;
	core->pick.unit = SIM_PORT_NONE;
	return core->pick.dispatched = sim_ports_take(&core->ports, port, ready);
}

#endif
