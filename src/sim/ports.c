/* SPDX-License-Identifier: MIT */
/*
 * Ports: which one a µop takes and when. A port's future is a ring of bits, one for each
 * cycle. The rules by which ports are chosen at rename are those that uiCA's authors
 * found (ICS 2022, section 4.2.2): by the number of µops that wait at each port, with
 * the position in the issue group breaking the symmetry.
 */
#include <string.h>

#include "sim/core.h"

#define LEAST_AHEAD 3u      /* rule 8 and 6: the second choice is too busy beyond that */
#define LEAST_AHEAD_WIDE 5u /* rule 10 */

static bool is_reserved(const struct sim_ports *ports, unsigned port, uint64_t cycle)
{
	return ports->reserved[port][cycle / 64 % SIM_WINDOW_WORDS] >> cycle % 64 & 1;
}

/*
 * Counters see that a µop is gone a cycle after its dispatch. Rules 6 and 8 see them as
 * they are when the cycle begins, rule 10 as they were a cycle earlier.
 */
void sim_ports_advance(struct sim_core *core)
{
	struct sim_ports *ports = &core->ports;
	uint64_t gone = core->cycle - 1;
	unsigned count = core->program->port_count;

	ports->set_count = 0;
	if (core->params->port_choice == 10)
		memcpy(ports->before, ports->at_start, sizeof(ports->before));
	for (unsigned p = 0; p < count; p++)
		if (is_reserved(ports, p, gone) && ports->pending[p]) {
			ports->pending[p]--;
			ports->pending_all--;
		}
	if (gone % 64 == 63)
		for (unsigned p = 0; p < count; p++)
			ports->reserved[p][gone / 64 % SIM_WINDOW_WORDS] = 0;
	memcpy(ports->at_start, ports->pending, sizeof(ports->at_start));
	if (core->params->port_choice != 10)
		memcpy(ports->before, ports->pending, sizeof(ports->before));
}

/* The first cycle from `cycle` on in which the port is free. */
static uint64_t first_free(const struct sim_ports *ports, unsigned port, uint64_t cycle)
{
	uint64_t word = cycle / 64;
	uint64_t free = ~ports->reserved[port][word % SIM_WINDOW_WORDS] & UINT64_MAX << cycle % 64;

	while (!free)
		free = ~ports->reserved[port][++word % SIM_WINDOW_WORDS];
	return word * 64 + (unsigned)__builtin_ctzll(free);
}

static bool free_for(const struct sim_ports *ports, unsigned port, uint64_t cycle, unsigned cycles)
{
	for (unsigned i = 0; i < cycles; i++)
		if (is_reserved(ports, port, cycle + i))
			return false;
	return true;
}

static void reserve(struct sim_ports *ports, unsigned port, uint64_t cycle, unsigned cycles)
{
	for (unsigned i = 0; i < cycles; i++)
		ports->reserved[port][(cycle + i) / 64 % SIM_WINDOW_WORDS] |=
			(uint64_t)1 << (cycle + i) % 64;
	if (cycle + cycles > ports->furthest)
		ports->furthest = cycle + cycles;
}

/* ---- choice at rename ------------------------------------------------------------------ */

static bool busier(const uint16_t *pending, unsigned left, unsigned right)
{
	return pending[left] != pending[right] ? pending[left] > pending[right] : left < right;
}

/* The eligible ports, least busy first; among equals the higher number. */
static unsigned sort_ports(const uint16_t *pending, uint32_t set, uint8_t *sorted)
{
	unsigned count = 0;

	for (uint32_t rest = set; rest; rest &= rest - 1) {
		unsigned port = (unsigned)__builtin_ctz(rest), at = count++;

		for (; at && busier(pending, sorted[at - 1], port); at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = (uint8_t)port;
	}
	return count;
}

/* Load, store address and store data ports that come in twos take turns. */
static unsigned next_in_turn(struct sim_ports *ports, uint32_t set)
{
	unsigned lowest = (unsigned)__builtin_ctz(set);
	uint32_t above = set & ~(((uint32_t)2 << ports->last_used[lowest]) - 1);

	if (!ports->last_used[lowest] || !above)
		above = set;
	ports->last_used[lowest] = (uint32_t)__builtin_ctz(above);
	return ports->last_used[lowest];
}

static unsigned choose_8(const struct sim_ports *ports, uint32_t set, uint32_t slot)
{
	uint8_t sorted[TAKT_PORTS_MAX];
	unsigned count = sort_ports(ports->before, set, sorted);

	if (slot % 2 && count > 1 &&
	    ports->before[sorted[1]] < ports->before[sorted[0]] + LEAST_AHEAD)
		return sorted[1];
	return sorted[0];
}

static unsigned use_of_set(struct sim_ports *ports, uint32_t set)
{
	for (unsigned i = 0; i < ports->set_count; i++)
		if (ports->sets_in_cycle[i] == set)
			return ++ports->set_uses[i];
	if (ports->set_count < TAKT_COUNT_OF(ports->sets_in_cycle)) {
		ports->sets_in_cycle[ports->set_count] = set;
		ports->set_uses[ports->set_count++] = 0;
	}
	return 0;
}

static unsigned choose_10(struct sim_ports *ports, uint32_t set, uint32_t slot)
{
	uint8_t sorted[TAKT_PORTS_MAX];
	unsigned count = sort_ports(ports->before, set, sorted), near = 1;
	unsigned use = use_of_set(ports, set);

	while (near < count &&
	       ports->before[sorted[near]] < ports->before[sorted[0]] + LEAST_AHEAD_WIDE)
		near++;
	if (slot == 4)
		return sorted[0];
	if (slot == 3 && !use && near > 1)
		return sorted[1];
	return sorted[use % near];
}

/* Three computing ports, 0, 1 and 5: the published table by slot and least used port. */
static unsigned choose_6(const struct sim_ports *ports, uint32_t set, uint32_t slot)
{
	static const uint8_t by_slot[3][4] = {{0, 5, 1, 0}, {1, 5, 0, 1}, {5, 1, 5, 1}};
	uint8_t sorted[TAKT_PORTS_MAX];
	unsigned count = sort_ports(ports->before, set, sorted);
	unsigned least = sorted[0], most = sorted[count - 1];

	if (count == 1)
		return least;
	if (ports->before[most] >= ports->before[least] + LEAST_AHEAD) {
		for (unsigned i = 1; i < count; i++)
			if (ports->before[sorted[i]] == ports->before[least] && sorted[i] < least)
				least = sorted[i];
		return least;
	}
	if (set == 0x23 && (least == 0 || least == 1 || least == 5))
		return by_slot[least == 5 ? 2 : least][slot % 4];
	return slot % 2 ? most : least;
}

static unsigned choose_port(struct sim_core *core, const struct sim_request *request)
{
	uint32_t set = request->ports;
	uint32_t memory = core->program->memory_ports;

	if (!(set & (set - 1)))
		return (unsigned)__builtin_ctz(set);
	if (!(set & ~memory) && (__builtin_popcount(set) == 2 || core->params->port_choice == 10))
		return next_in_turn(&core->ports, set);
	if (core->params->port_choice == 10)
		return choose_10(&core->ports, set, request->slot);
	if (core->params->port_choice == 6)
		return choose_6(&core->ports, set, request->slot);
	return choose_8(&core->ports, set, request->slot);
}

/* ---- dispatch --------------------------------------------------------------------------- */

/* The first cycle from `ready` on in which port and unit are free. */
static uint64_t first_cycle(const struct sim_ports *ports, unsigned port, uint64_t ready,
			    const struct sim_request *request, unsigned *ret_unit)
{
	for (uint64_t cycle = first_free(ports, port, ready);;
	     cycle = first_free(ports, port, cycle + 1)) {
		if (request->port_cycles > 1 && !free_for(ports, port, cycle, request->port_cycles))
			continue;
		for (uint32_t rest = request->unit_ports; rest; rest &= rest - 1) {
			*ret_unit = (unsigned)__builtin_ctz(rest);
			if (free_for(ports, *ret_unit, cycle, request->unit_cycles))
				return cycle;
		}
		if (!request->unit_ports)
			return cycle;
	}
}

static unsigned choose_at_dispatch(const struct sim_ports *ports, uint64_t ready,
				   const struct sim_request *request, uint64_t *ret_cycle,
				   unsigned *ret_unit)
{
	unsigned best = 0;

	*ret_cycle = UINT64_MAX;
	for (uint32_t rest = request->ports; rest; rest &= rest - 1) {
		unsigned port = (unsigned)__builtin_ctz(rest), unit = 0;
		uint64_t cycle = first_cycle(ports, port, ready, request, &unit);

		if (cycle < *ret_cycle ||
		    (cycle == *ret_cycle && ports->pending[port] < ports->pending[best])) {
			*ret_cycle = cycle;
			*ret_unit = unit;
			best = port;
		}
	}
	return best;
}

static uint64_t unit_only(struct sim_ports *ports, uint64_t ready, const struct sim_request *request)
{
	for (uint64_t cycle = ready; request->unit_ports; cycle++)
		for (uint32_t rest = request->unit_ports; rest; rest &= rest - 1) {
			unsigned unit = (unsigned)__builtin_ctz(rest);

			if (!free_for(ports, unit, cycle, request->unit_cycles))
				continue;
			reserve(ports, unit, cycle, request->unit_cycles);
			return cycle;
		}
	return ready;
}

/*
 * Ready as the scheduler sees it: not before the µop has arrived there; one that becomes
 * ready just then is picked a cycle later.
 */
static uint64_t seen_ready(const struct sim_core *core, uint64_t ready)
{
	uint64_t arrival = core->cycle + (uint64_t)core->params->rename_to_dispatch_cycles;

	if (ready < arrival)
		return arrival;
	return core->params->port_choice && ready <= arrival + 1 ? ready + 1 : ready;
}

uint64_t sim_ports_dispatch(struct sim_core *core, const struct sim_request *request)
{
	struct sim_ports *ports = &core->ports;
	uint64_t ready = seen_ready(core, request->ready), cycle;
	unsigned port, unit = 0;

	core->pick = (struct sim_pick){ready, ready, SIM_PORT_NONE, SIM_PORT_NONE};
	if (ready + request->unit_cycles + request->port_cycles >
	    core->cycle + SIM_WINDOW_CYCLES / 2)
		return ready; /* so far ahead that no one else is there */
	if (!request->ports)
		return core->pick.dispatched = unit_only(ports, ready, request);
	if (core->params->port_choice) {
		port = choose_port(core, request);
		cycle = first_cycle(ports, port, ready, request, &unit);
	} else {
		port = choose_at_dispatch(ports, ready, request, &cycle, &unit);
	}
	reserve(ports, port, cycle, request->port_cycles);
	ports->pending[port] = (uint16_t)(ports->pending[port] + request->port_cycles);
	ports->pending_all += request->port_cycles;
	core->pick.dispatched = cycle;
	core->pick.port = (uint8_t)port;
	if (request->unit_ports) {
		reserve(ports, unit, cycle, request->unit_cycles);
		core->pick.unit = (uint8_t)unit;
	}
	return cycle;
}
