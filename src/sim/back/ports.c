/* SPDX-License-Identifier: MIT */
/*
 * Ports: which one a µop takes and when. A port's future is a ring of bits, one for each cycle. The
 * rules by which ports are chosen at rename are those that uiCA's authors found (ICS 2022, section
 * 4.2.2): by the number of µops that wait at each port, with the position in the issue group
 * breaking the symmetry.
 */
#include <assert.h>
#include <string.h>

#include "sim/back/ports.h"

#define LEAST_AHEAD 3u	    /* rules 8 and 6: this many more µops waiting make a port too busy */
#define LEAST_AHEAD_WIDE 5u /* the same for rules 10 and 12 */

static bool is_reserved(const struct sim_ports *ports, unsigned port, uint64_t cycle)
{
	return ports->reserved[cycle / 64 % SIM_WINDOW_WORDS][port] >> cycle % 64 & 1;
}

/*
 * Advance to the next cycle. Counters see that a µop is gone a cycle after its dispatch. Rules 6
 * and 8 see them as they are when the cycle begins, rules 10 and 12 as they were a cycle earlier.
 */
void sim_ports_advance(struct sim_core *core)
{
	struct sim_ports *ports = &core->ports;
	uint64_t gone = core->cycle - 1;
	unsigned word = gone / 64 % SIM_WINDOW_WORDS;
	const uint64_t *reserved = ports->reserved[word], bit = (uint64_t)1 << gone % 64;
	uint32_t left = 0, leaving = ports->used && ports->any[word] & bit ? ports->used : 0;

	ports->set_count = 0;
	if (core->program->scheduler_count) {
		memset(core->scheduler_uses, 0, sizeof(core->scheduler_uses));
		memset(core->room_until, 0, sizeof(core->room_until));
		core->found_for = NULL;
		core->queue_exit.cycle = 0;
	}
	if (core->params->port_choice >= 10)
		memcpy(ports->before, ports->at_start, sizeof(ports->before));
	for (uint32_t rest = leaving; rest; rest &= rest - 1) {
		unsigned p = (unsigned)__builtin_ctz(rest);

		unsigned leaves = (reserved[p] & bit) != 0; /* no branch: nothing predicts it */
		unsigned pending = ports->pending[p] - leaves;

		ports->pending[p] = (uint16_t)pending;
		left += leaves;
		ports->used &= ~((uint32_t)!pending << p);
	}
	ports->pending_all -= left;
	if (gone % 64 == 63)
		sim_ports_clear(ports, word);
	memcpy(ports->at_start, ports->pending, sizeof(ports->at_start));
	if (core->params->port_choice < 10)
		memcpy(ports->before, ports->pending, sizeof(ports->before));
}

/* Return bits of the cycles in which the port, or a bank of the mask, is taken. */
static uint64_t taken_word(const struct sim_core *core, unsigned port, uint32_t banks,
			   uint64_t word)
{
	const struct sim_ports *ports = &core->ports;
	unsigned index = word % SIM_WINDOW_WORDS;
	uint64_t taken = ports->reserved[index][port];

	for (unsigned rest = banks; rest; rest &= rest - 1)
		taken |= ports->banks[core->params->loads_per_bank > 1][index][__builtin_ctz(rest)];
	return taken;
}

/* Return the first cycle from `cycle` on in which the port and the banks are free. */
static inline uint64_t first_free(const struct sim_core *core, unsigned port, uint32_t banks,
				  uint64_t cycle)
{
	uint64_t word = cycle / 64;
	uint64_t free = ~taken_word(core, port, banks, word) & UINT64_MAX << cycle % 64;

	while (__builtin_expect(!free, 0))
		free = ~taken_word(core, port, banks, ++word);
	return word * 64 + (unsigned)__builtin_ctzll(free);
}

static bool free_for(const struct sim_ports *ports, unsigned port, uint64_t cycle, unsigned cycles)
{
	for (uint64_t end = cycle + cycles; cycle < end; cycle = (cycle / 64 + 1) * 64) {
		uint64_t bits = ports->reserved[cycle / 64 % SIM_WINDOW_WORDS][port] >> cycle % 64;

		if (end - cycle < 64)
			bits &= ((uint64_t)1 << (end - cycle)) - 1;
		if (bits)
			return false;
	}
	return true;
}

/*
 * Reserve the banks for a load: in the first ring, and, if a bank serves two loads a cycle and this
 * is the second, in the second ring, which says that the bank is full.
 */
static void reserve_banks(struct sim_core *core, uint32_t banks, uint64_t cycle)
{
	unsigned index = cycle / 64 % SIM_WINDOW_WORDS;
	uint64_t bit = (uint64_t)1 << cycle % 64;

	for (unsigned rest = banks; rest; rest &= rest - 1) {
		unsigned bank = (unsigned)__builtin_ctz(rest);
		uint64_t *first = &core->ports.banks[0][index][bank];

		if (core->params->loads_per_bank > 1 && (*first & bit || bank == SIM_BANK_SPLIT))
			core->ports.banks[1][index][bank] |= bit;
		*first |= bit;
	}
}

/* Reserve the port for at least one cycle. */
static void reserve(struct sim_ports *ports, unsigned port, uint64_t cycle, unsigned cycles)
{
	uint64_t end = cycle + cycles;

	ports->reserving |= (uint32_t)1 << port;
	do {
		unsigned word = cycle / 64 % SIM_WINDOW_WORDS;
		uint64_t bit = (uint64_t)1 << cycle % 64;

		ports->reserved[word][port] |= bit;
		ports->any[word] |= bit;
	} while (__builtin_expect(++cycle < end, 0));
	if (end > ports->furthest)
		ports->furthest = end;
}

/*
 * Reserve a unit for a number of free cycles, the first of which is `cycle`. The others need not
 * follow each other: where an older operation has reserved some, which waits for its operands, this
 * one begins all the same, as in a core that keeps no unit idle for what may come.
 */
static void reserve_free(struct sim_ports *ports, unsigned unit, uint64_t cycle, unsigned cycles)
{
	for (; cycles; cycle++)
		if (!is_reserved(ports, unit, cycle)) {
			reserve(ports, unit, cycle, 1);
			cycles--;
		}
}

/* ---- choice at rename ------------------------------------------------------------------ */

/* Return a key that orders ports: least busy first; among equals the higher number. */
static uint32_t rank(const uint16_t *pending, unsigned port)
{
	return (uint32_t)pending[port] << 8 | (TAKT_PORTS_MAX - port);
}

static unsigned port_of(uint32_t ranked)
{
	return (TAKT_PORTS_MAX - (ranked & 0xff)) % TAKT_PORTS_MAX;
}

static unsigned freest(const uint16_t *pending, uint32_t set)
{
	uint32_t least = UINT32_MAX;

	for (uint32_t rest = set; rest; rest &= rest - 1) {
		uint32_t ranked = rank(pending, (unsigned)__builtin_ctz(rest));

		least = ranked < least ? ranked : least;
	}
	return port_of(least);
}

/* Find the two least busy ports of a set of at least two. */
static void find_two(const uint16_t *pending, uint32_t set, uint32_t *ret_first,
		     uint32_t *ret_second)
{
	uint32_t first = UINT32_MAX, second = UINT32_MAX;

	for (uint32_t rest = set; rest; rest &= rest - 1) {
		uint32_t ranked = rank(pending, (unsigned)__builtin_ctz(rest));

		uint32_t worse = ranked > first ? ranked : first;

		/* Without branches, which nothing would predict. */
		first = ranked < first ? ranked : first;
		second = worse < second ? worse : second;
	}
	*ret_first = first;
	*ret_second = second;
}

unsigned sim_ports_next_turn(const struct sim_ports *ports, uint32_t set)
{
	uint32_t last = ports->last_used[__builtin_ctz(set)];
	uint32_t above = set & ~(((uint32_t)2 << last) - 1);

	return (unsigned)__builtin_ctz(last && above ? above : set);
}

unsigned sim_ports_in_turn(struct sim_ports *ports, uint32_t set)
{
	unsigned port = sim_ports_next_turn(ports, set);

	return ports->last_used[__builtin_ctz(set)] = port;
}

static unsigned choose_8(const struct sim_ports *ports, uint32_t set, uint32_t slot)
{
	uint32_t first, second;

	if (slot % 2 == 0)
		return freest(ports->before, set);
	find_two(ports->before, set, &first, &second);
	return port_of(second >> 8 < (first >> 8) + LEAST_AHEAD ? second : first);
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

/*
 * Return number `nth`, from 0, of the ports that are nearly as free as the freest, counting round
 * and round.
 */
static unsigned nth_free(const uint16_t *pending, uint32_t set, unsigned nth)
{
	uint32_t first, second, near = 0, count = 0;

	if (!nth)
		return freest(pending, set);
	find_two(pending, set, &first, &second);
	for (uint32_t rest = set; rest; rest &= rest - 1) {
		uint32_t bit = rest & -rest;

		if (pending[__builtin_ctz(rest)] < (first >> 8) + LEAST_AHEAD_WIDE) {
			near |= bit;
			count++;
		}
	}
	assert(count); /* the first at least is near itself */
	for (nth %= count; nth; nth--) {
		near &= ~((uint32_t)1 << port_of(first));
		find_two(pending, near, &first, &second);
	}
	return port_of(first);
}

/*
 * Choose by the published rule for issue groups of one slot more than there are ALUs, the extra
 * slot last.
 */
static unsigned choose_10(struct sim_core *core, uint32_t set, uint32_t slot)
{
	unsigned use = use_of_set(&core->ports, set), last = core->program->alu_count;

	if (slot == last)
		use = 0;
	else if (slot + 1 == last && !use)
		use = 1;
	return nth_free(core->ports.before, set, use);
}

/*
 * Choose by a measured rule: a slot's number is its rank among the ports, the least busy first,
 * less the number of the two slots before it that are of another kind: for other ports, or a
 * branch.
 */
static unsigned choose_12(struct sim_core *core, uint32_t set, bool is_branch, uint32_t slot)
{
	uint64_t *kinds = core->ports.slot_kinds, kind = (uint64_t)is_branch << 32 | set;
	unsigned rank = slot;

	kinds[slot % SIM_SLOTS_SEEN] = kind;
	for (unsigned back = 1; back <= 2 && back <= slot; back++)
		rank -= kinds[(slot - back) % SIM_SLOTS_SEEN] != kind;
	return nth_free(core->ports.before, set, rank);
}

static unsigned lowest_of_equal(const uint16_t *pending, uint32_t set, unsigned port)
{
	for (uint32_t rest = set; rest; rest &= rest - 1)
		if (pending[__builtin_ctz(rest)] == pending[port])
			return (unsigned)__builtin_ctz(rest);
	return port;
}

/*
 * Choose among three computing ports, 0, 1 and 5, by the published table of slot and least used
 * port.
 */
static unsigned choose_6(const struct sim_ports *ports, uint32_t set, uint32_t slot)
{
	static const uint8_t by_slot[3][4] = {{0, 5, 1, 0}, {1, 5, 0, 1}, {5, 1, 0, 5}};
	unsigned least = 0, most = 0;
	uint32_t least_rank = UINT32_MAX, most_rank = 0;

	for (uint32_t rest = set; rest; rest &= rest - 1) {
		unsigned port = (unsigned)__builtin_ctz(rest);
		uint32_t ranked = rank(ports->before, port);

		if (ranked < least_rank) {
			least_rank = ranked;
			least = port;
		}
		if (ranked > most_rank) {
			most_rank = ranked;
			most = port;
		}
	}
	if (ports->before[most] >= ports->before[least] + LEAST_AHEAD)
		return lowest_of_equal(ports->before, set, least);
	if (set == 0x23 && (least == 0 || least == 1 || least == 5))
		return by_slot[least == 5 ? 2 : least][slot % 4];
	return slot % 2 ? most : least;
}

unsigned sim_ports_choose(struct sim_core *core, const struct sim_uop *uop, uint32_t set,
			  uint32_t slot)
{

	switch (core->params->port_choice) {
	case 12:
		return choose_12(core, set, uop->branch, slot);
	case 10:
		return choose_10(core, set, slot);
	case 6:
		return choose_6(&core->ports, set, slot);
	default:
		return choose_8(&core->ports, set, slot);
	}
}

static unsigned choose_port(struct sim_core *core, const struct sim_uop *uop, uint32_t set,
			    uint32_t slot)
{
	uint32_t memory = core->program->memory_ports;
	uint32_t but_one = set & (set - 1), but_two = but_one & (but_one - 1);

	if (!but_one)
		return (unsigned)__builtin_ctz(set);
	if (!(set & ~memory) && (!but_two || core->params->port_choice >= 10))
		return sim_ports_in_turn(&core->ports, set);
	return sim_ports_choose(core, uop, set, slot);
}

/* ---- dispatch --------------------------------------------------------------------------- */

/* Find one unit that is free to begin, or check that all are free if the µop takes all. */
static bool units_free(const struct sim_ports *ports, const struct sim_uop *uop, uint64_t cycle,
		       unsigned *ret_unit)
{
	for (uint32_t rest = uop->unit_ports; rest; rest &= rest - 1) {
		*ret_unit = (unsigned)__builtin_ctz(rest);
		if (free_for(ports, *ret_unit, cycle, uop->unit_all ? uop->unit_cycles : 1) !=
		    uop->unit_all)
			return !uop->unit_all;
	}
	return uop->unit_all || !uop->unit_ports;
}

/* Return the first cycle from `ready` on in which port and unit are free. */
static uint64_t first_cycle_long(const struct sim_core *core, unsigned port, uint64_t ready,
				 const struct sim_uop *uop, unsigned *ret_unit)
{
	const struct sim_ports *ports = &core->ports;

	for (uint64_t cycle = first_free(core, port, uop->banks, ready);;
	     cycle = first_free(core, port, uop->banks, cycle + 1)) {
		if (uop->port_cycles > 1 && !free_for(ports, port, cycle, uop->port_cycles))
			continue;
		if (units_free(ports, uop, cycle, ret_unit))
			return cycle;
	}
}

static inline uint64_t first_cycle(const struct sim_core *core, unsigned port, uint64_t ready,
				   const struct sim_uop *uop, unsigned *ret_unit)
{
	if (uop->unit_ports || uop->port_cycles > 1)
		return first_cycle_long(core, port, ready, uop, ret_unit);
	return first_free(core, port, uop->banks, ready);
}

static unsigned choose_at_dispatch(const struct sim_core *core, uint32_t set, uint64_t ready,
				   const struct sim_uop *uop, uint64_t *ret_cycle,
				   unsigned *ret_unit)
{
	const struct sim_ports *ports = &core->ports;
	unsigned best = 0;

	*ret_cycle = UINT64_MAX;
	for (uint32_t rest = set; rest; rest &= rest - 1) {
		unsigned port = (unsigned)__builtin_ctz(rest), unit = 0;
		uint64_t cycle = first_cycle(core, port, ready, uop, &unit);

		if (cycle < *ret_cycle ||
		    (cycle == *ret_cycle && ports->pending[port] < ports->pending[best])) {
			*ret_cycle = cycle;
			*ret_unit = unit;
			best = port;
		}
	}
	return best;
}

unsigned sim_ports_earliest(const struct sim_core *core, uint32_t set, uint64_t ready)
{
	const struct sim_ports *ports = &core->ports;
	const uint64_t *reserved = ports->reserved[ready / 64 % SIM_WINDOW_WORDS];
	uint64_t begin = UINT64_MAX << ready % 64, least = UINT64_MAX;
	unsigned best = 0;

	/* A key orders ports by their first free cycle, and those that have the same by pending. */
	for (uint32_t rest = set; rest; rest &= rest - 1) {
		unsigned port = (unsigned)__builtin_ctz(rest);
		uint64_t free = ~reserved[port] & begin, cycle, key;

		if (__builtin_expect(free != 0, 1))
			cycle = (unsigned)__builtin_ctzll(free);
		else
			cycle = first_free(core, port, 0, ready) - ready / 64 * 64;
		key = cycle << 16 | ports->pending[port];
		best = key < least ? port : best;
		least = key < least ? key : least;
	}
	return best;
}

static uint64_t unit_only(struct sim_core *core, uint64_t ready, const struct sim_uop *uop)
{
	uint64_t first = UINT64_MAX;
	unsigned best = 0;

	if (!uop->unit_ports)
		return ready;
	for (uint32_t rest = uop->unit_ports; rest; rest &= rest - 1) {
		unsigned unit = (unsigned)__builtin_ctz(rest);
		uint64_t cycle = first_free(core, unit, 0, ready);

		while (cycle < first && !free_for(&core->ports, unit, cycle, uop->unit_cycles))
			cycle = first_free(core, unit, 0, cycle + 1);
		if (cycle < first) {
			first = cycle;
			best = unit;
		}
	}
	reserve(&core->ports, best, first, uop->unit_cycles);
	return first;
}

/*
 * Return when the µop is ready as the scheduler sees it: not before it has arrived there, nor, in
 * order, before an older one is dispatched; one that becomes ready just then is picked a cycle
 * later.
 */
static uint64_t seen_ready(const struct sim_core *core, uint64_t ready)
{
	uint64_t arrival = core->cycle + (uint64_t)core->params->rename_to_dispatch_cycles;

	if (core->program->in_order && ready < core->dispatched_last)
		ready = core->dispatched_last;
	if (ready < core->serialized)
		ready = core->serialized;
	if (ready < arrival)
		return arrival;
	return core->params->port_choice && ready <= arrival + 1 ? ready + 1 : ready;
}

/* Clear words of the rings, up to a word after the cycle. */
__attribute__((noinline)) static void clear_words(struct sim_ports *ports, uint64_t cycle)
{
	for (; ports->words_cleared < SIM_WINDOW_WORDS && ports->words_cleared <= cycle / 64 + 1;
	     ports->words_cleared++)
		sim_ports_clear(ports, ports->words_cleared);
	ports->clear_until = ports->words_cleared < SIM_WINDOW_WORDS
				     ? ((uint64_t)ports->words_cleared - 2) * 64
				     : SIM_NEVER;
}

/* Let the words be clear in which the µop may find its place: none after `furthest` is taken. */
static void clear_ahead(struct sim_ports *ports, const struct sim_uop *uop, uint64_t ready)
{
	uint64_t last = (ports->furthest > ready ? ports->furthest : ready) + uop->unit_cycles +
			uop->port_cycles;

	if (ports->words_cleared < SIM_WINDOW_WORDS && ports->words_cleared < last / 64 + 3)
		clear_words(ports, last + 64);
}

static void count_pending(struct sim_ports *ports, unsigned port, unsigned cycles)
{
	ports->used |= (uint32_t)1 << port;
	ports->pending[port] = (uint16_t)(ports->pending[port] + cycles);
	ports->pending_all += cycles;
}

/* True if the scheduler for half of the slots picks nothing in the cycle. */
static bool half_is_idle(const struct sim_core *core, unsigned half, uint64_t cycle)
{
	const uint64_t *reserved = core->ports.reserved[cycle / 64 % SIM_WINDOW_WORDS];
	uint32_t set = core->program->half_ports[half];
	uint64_t taken = core->ports.lost[cycle / 64 % SIM_WINDOW_WORDS][half];

	for (; set; set &= set - 1)
		taken |= reserved[__builtin_ctz(set)];
	return !(taken >> cycle % 64 & 1);
}

/*
 * True if the scheduler lends its second pick: it has nothing to pick in the cycle, and nothing
 * that it gets later could be picked then, either because it comes too late or because what waits
 * will be gone by then and what comes will, too.
 */
static bool half_lends(const struct sim_core *core, unsigned half, uint64_t cycle)
{
	const struct sim_ports *ports = &core->ports;
	uint64_t arrival = core->cycle + (uint64_t)core->params->rename_to_dispatch_cycles;
	uint32_t waiting = 0;

	for (uint32_t set = core->program->half_ports[half]; set; set &= set - 1)
		waiting += ports->pending[__builtin_ctz(set)];
	return (cycle <= arrival || waiting <= cycle - core->cycle) &&
	       half_is_idle(core, half, cycle);
}

/* Return the port by which the second pick of the cycle goes, or SIM_PORT_NONE. */
static unsigned second_pick(const struct sim_core *core, unsigned half, uint64_t cycle)
{
	uint32_t set = core->program->half_ports[half];

	if (core->ports.lost[cycle / 64 % SIM_WINDOW_WORDS][half] >> cycle % 64 & 1)
		return SIM_PORT_NONE;
	for (set &= set - 1; set; set &= set - 1)
		if (!is_reserved(&core->ports, (unsigned)__builtin_ctz(set), cycle))
			return (unsigned)__builtin_ctz(set);
	return SIM_PORT_NONE;
}

/*
 * Choose port and cycle of a µop for memory where its scheduler picks the two oldest µops. Older
 * µops have reserved what they are picked by. A vector load can be picked first only: if it is
 * the second oldest, it is not picked, and nothing else is picked in its place.
 */
static unsigned choose_in_half(struct sim_core *core, const struct sim_uop *uop, unsigned half,
			       uint64_t ready, uint64_t *ret_cycle, unsigned *ret_unit)
{
	struct sim_ports *ports = &core->ports;
	unsigned first = (unsigned)__builtin_ctz(core->program->half_ports[half]);

	for (uint64_t cycle = ready;; cycle++) {
		unsigned port = first;

		if (is_reserved(ports, first, cycle)) {
			unsigned second = second_pick(core, half, cycle);
			bool lends = half_lends(core, !half, cycle);

			if (second != SIM_PORT_NONE && uop->unit_ports && !lends)
				ports->lost[cycle / 64 % SIM_WINDOW_WORDS][half] |= (uint64_t)1
										    << cycle % 64;
			port = second != SIM_PORT_NONE && !uop->unit_ports ? second
			       : lends ? second_pick(core, !half, cycle)
				       : SIM_PORT_NONE;
		}
		if (port != SIM_PORT_NONE && units_free(ports, uop, cycle, ret_unit)) {
			*ret_cycle = cycle;
			return port;
		}
	}
}

static uint64_t dispatch(struct sim_core *core, const struct sim_uop *uop, uint32_t slot,
			 uint64_t ready)
{
	struct sim_ports *ports = &core->ports;
	uint32_t set = uop->ports;
	unsigned port, unit = 0;
	uint64_t cycle;

	if (!set)
		return core->pick.dispatched = unit_only(core, ready, uop);
	if (uop->schedulers && !(set & core->program->half_ports[0]))
		set = sim_scheduler_choose(core, uop, &ready);
	if (set & core->program->half_ports[0]) {
		port = choose_in_half(core, uop, sim_half_of(core, slot), ready, &cycle, &unit);
	} else if (core->params->port_choice) {
		port = choose_port(core, uop, set, slot);
		cycle = first_cycle(core, port, ready, uop, &unit);
	} else {
		port = choose_at_dispatch(core, set, ready, uop, &cycle, &unit);
	}
	reserve(ports, port, cycle, uop->port_cycles);
	if (uop->banks)
		reserve_banks(core, uop->banks, cycle);
	count_pending(ports, port, uop->port_cycles);
	core->pick.dispatched = cycle;
	core->pick.port = (uint8_t)port;
	if (uop->unit_ports) {
		for (uint32_t units = uop->unit_all ? uop->unit_ports : 0; units;
		     units &= units - 1)
			reserve(ports, (unsigned)__builtin_ctz(units), cycle, uop->unit_cycles);
		if (!uop->unit_all)
			reserve_free(ports, unit, cycle, uop->unit_cycles);
		core->pick.unit = (uint8_t)unit;
	}
	return cycle;
}

uint64_t sim_ports_dispatch(struct sim_core *core, const struct sim_uop *uop, uint32_t slot,
			    uint64_t operands_ready)
{
	uint64_t ready = seen_ready(core, operands_ready);

	core->pick = (struct sim_pick){ready, ready, SIM_PORT_NONE, SIM_PORT_NONE};
	if (ready + uop->unit_cycles + uop->port_cycles > core->cycle + SIM_WINDOW_CYCLES / 2)
		return core->dispatched_last = ready; /* so far ahead that nothing competes */
	clear_ahead(&core->ports, uop, ready);
	return core->dispatched_last = dispatch(core, uop, slot, ready);
}

void sim_ports_waste(struct sim_core *core, const struct sim_uop *uop, uint64_t early,
		     uint64_t ready)
{
	unsigned port;

	if (ready >= core->cycle + SIM_WINDOW_CYCLES / 2)
		return;
	clear_ahead(&core->ports, uop, ready);
	port = sim_ports_earliest(core, uop->ports, early);
	if (first_free(core, port, 0, early) < ready)
		sim_ports_take(&core->ports, port, early);
}

void sim_ports_end_late(struct sim_core *core, const struct sim_uop *uop, uint64_t cycle)
{
	unsigned last;

	if (!core->program->branch_ports || cycle >= core->cycle + SIM_WINDOW_CYCLES / 2)
		return;
	last = 31 - (unsigned)__builtin_clz(core->program->branch_ports);
	clear_ahead(&core->ports, uop, cycle);
	if (!is_reserved(&core->ports, last, cycle))
		sim_ports_take(&core->ports, last, cycle);
}

/*
 * Loads are picked in order: if one unit is taken in the cycle before all of them are, no younger
 * load gets the others there.
 */
static void close_cycle_before(struct sim_core *core, uint32_t units, uint64_t cycle)
{
	struct sim_ports *ports = &core->ports;
	bool taken = false;

	if (!cycle || cycle - 1 <= core->cycle)
		return;
	for (uint32_t rest = units; rest; rest &= rest - 1)
		taken |= is_reserved(ports, (unsigned)__builtin_ctz(rest), cycle - 1);
	for (uint32_t rest = taken ? units : 0; rest; rest &= rest - 1)
		reserve(ports, (unsigned)__builtin_ctz(rest), cycle - 1, 1);
}

uint64_t sim_ports_dispatch_twice(struct sim_core *core, const struct sim_uop *uop, uint32_t slot,
				  uint64_t operands_ready)
{
	struct sim_uop wide = *uop;
	uint64_t dispatched;

	if (!uop->unit_ports || core->params->split_load_apart) {
		dispatched = sim_ports_dispatch(core, uop, slot, operands_ready);
		sim_ports_dispatch(core, uop, slot, dispatched + 1);
		return dispatched;
	}
	wide.unit_all = true;
	dispatched = sim_ports_dispatch(core, &wide, slot, operands_ready);
	if (core->pick.port != SIM_PORT_NONE)
		close_cycle_before(core, uop->unit_ports, dispatched);
	return dispatched;
}
