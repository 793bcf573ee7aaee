/* SPDX-License-Identifier: MIT */
/*
 * Cores with several schedulers. A µop waits in one of them, chosen at rename, and is picked for
 * that one's ports only. The choice is not documented. A rule that agrees with measured blocks:
 * µops of a kind which are renamed in one cycle are spread over the schedulers that can take them,
 * in order, passing over those where clearly more µops wait. Other rules would put µops that become
 * ready together into one scheduler.
 *
 * Some schedulers share a queue in front of them, which µops leave in order, each when an entry is
 * free. Entries are counted for these schedulers together, because measurements show no limit for
 * one of them alone. When an entry will be free is known at rename: older µops have reserved the
 * cycles in which they leave.
 */
#include <stddef.h>

#include "sim/core.h"

static uint32_t waiting_at(const struct sim_ports *ports, uint32_t set)
{
	uint32_t waiting = 0;

	for (; set; set &= set - 1)
		waiting += ports->pending[__builtin_ctz(set)];
	return waiting;
}

/* The same where most sets have one port. */
static inline uint32_t waiting_at_few(const struct sim_ports *ports, uint32_t set)
{
	uint32_t waiting = ports->pending[__builtin_ctz(set)];

	for (set &= set - 1; __builtin_expect(set != 0, 0); set &= set - 1)
		waiting += ports->pending[__builtin_ctz(set)];
	return waiting;
}

/*
 * Return, in its eight bytes, how many µops leave for the ports of the set in each eight cycles
 * from `cycle` on: as far as the cycle's word goes.
 */
static uint64_t left_in_eights(const struct sim_ports *ports, uint32_t set, uint64_t cycle)
{
	const uint64_t *reserved = ports->reserved[cycle / 64 % SIM_WINDOW_WORDS];
	uint64_t sums = 0;

	for (; set; set &= set - 1) {
		uint64_t bits = reserved[__builtin_ctz(set)] >> cycle % 64;

		bits -= bits >> 1 & 0x5555555555555555;
		bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
		sums += (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f;
	}
	return sums;
}

/* Return how many µops leave for the ports of the set in the cycle. */
static uint32_t left_in(const struct sim_ports *ports, uint32_t set, uint64_t cycle)
{
	const uint64_t *reserved = ports->reserved[cycle / 64 % SIM_WINDOW_WORDS];
	uint64_t left = 0;

	for (; set; set &= set - 1)
		left += reserved[__builtin_ctz(set)] >> cycle % 64 & 1;
	return (uint32_t)left;
}

/*
 * Return the cycle by which `count` µops, counted from the present on, have left for the queued
 * ports. At least `count` wait for them. It goes on from where it stopped for the µop before.
 */
static uint64_t cycle_left(struct sim_core *core, uint32_t count)
{
	uint32_t set = core->program->queued_ports;
	struct sim_queue_exit *exit = &core->queue_exit;

	if (exit->cycle < core->cycle)
		*exit = (struct sim_queue_exit){.cycle = core->cycle};
	while (exit->left < count) {
		uint64_t sums = left_in_eights(&core->ports, set, exit->cycle);
		uint64_t end = (exit->cycle / 64 + 1) * 64;

		for (; exit->cycle < end && exit->left + (sums & 0xff) < count; sums >>= 8) {
			exit->left += (uint32_t)(sums & 0xff);
			exit->cycle += 8;
		}
		if (exit->cycle >= end) {
			exit->cycle = end;
			continue;
		}
		while (exit->left < count)
			exit->left += left_in(&core->ports, set, exit->cycle++);
	}
	return exit->cycle;
}

/*
 * Return the first cycle in which the queue lets a µop that is renamed now into a scheduler; 0 if
 * it does at once. No older µop leaves the queue later, since it saw fewer µops before it.
 */
static uint64_t cycle_entered(struct sim_core *core)
{
	const struct sim_program *program = core->program;
	uint32_t waiting;

	if (core->ports.pending_all < program->queued_entries)
		return 0;
	waiting = waiting_at(&core->ports, program->queued_ports);
	if (waiting < program->queued_entries)
		return 0;
	return cycle_left(core, waiting - program->queued_entries + 1);
}

/* Return the uses of this cycle by the kind of µop: those for memory, and others. */
static uint8_t *uses_of(struct sim_core *core, const struct sim_uop *uop)
{
	return core->scheduler_uses[!(uop->ports & ~core->program->memory_ports)];
}

/*
 * Choose one of several schedulers. One with half its entries more waiting than the emptiest has is
 * passed over. Of those used least in this cycle, the first is taken; or the one with the fewest
 * µops waiting, for the µop's ports where schedulers for memory are apart, for any port where
 * schedulers share a queue.
 */
static unsigned find(struct sim_core *core, const struct sim_uop *uop)
{
	const struct takt_scheduler *schedulers = core->program->schedulers;
	const uint8_t *uses = uses_of(core, uop);
	uint32_t waiting[TAKT_SCHEDULERS_MAX], least = UINT32_MAX, fewest = UINT32_MAX;
	bool queued = core->program->queued_ports & uop->ports;
	bool by_waiting = queued || !core->program->schedulers_mixed;
	unsigned found = 0;

	for (unsigned rest = uop->schedulers; rest; rest &= rest - 1) {
		unsigned i = (unsigned)__builtin_ctz(rest);

		waiting[i] = waiting_at_few(&core->ports, schedulers[i].ports & uop->ports);
		least = waiting[i] < least ? waiting[i] : least;
	}
	for (unsigned rest = uop->schedulers; rest; rest &= rest - 1) {
		unsigned i = (unsigned)__builtin_ctz(rest);

		if (waiting[i] >= least + (schedulers[i].entries + 1u) / 2)
			continue;
		if (uses[i] < fewest ||
		    (by_waiting && uses[i] == fewest &&
		     (queued ? waiting_at(&core->ports, schedulers[i].ports) <
				       waiting_at(&core->ports, schedulers[found].ports)
			     : waiting[i] < waiting[found]))) {
			fewest = uses[i];
			found = i;
			if (!fewest && !by_waiting)
				break;
		}
	}
	return found;
}

/* The same; what is found is kept, because the µop is sent there next if there is room. */
static inline unsigned find_kept(struct sim_core *core, const struct sim_uop *uop)
{
	uint32_t pending = core->ports.pending_all;

	if (!(uop->schedulers & (uop->schedulers - 1)))
		return (unsigned)__builtin_ctz(uop->schedulers);
	if (core->found_for != uop || core->found_pending != pending) {
		core->found_for = uop;
		core->found_pending = pending;
		core->found = find(core, uop);
	}
	return core->found;
}

/* An entry serves both parts of an instruction that loads or stores and computes. */
bool sim_scheduler_has_room(struct sim_core *core, const struct sim_uop *uop)
{
	uint32_t memory = core->program->memory_ports, queued = core->program->queued_ports;
	const struct takt_scheduler *scheduler;
	uint32_t waiting, others;
	unsigned found;

	if (!uop->schedulers || core->ports.pending_all < core->program->scheduler_least)
		return true; /* so few µops fit anywhere */
	if (uop->ports & core->program->half_ports[0])
		return true; /* the whole cycle's have room */
	if (uop->ports & queued)
		return core->ports.pending_all < core->program->queued_places ||
		       waiting_at(&core->ports, queued) < core->program->queued_places;
	found = find_kept(core, uop);
	if (core->ports.pending_all < core->room_until[found])
		return true;
	scheduler = &core->program->schedulers[found];
	waiting = waiting_at(&core->ports, scheduler->ports & memory);
	others = waiting_at(&core->ports, scheduler->ports & ~memory);
	waiting = others > waiting ? others : waiting;
	core->room_until[found] = core->ports.pending_all - waiting + scheduler->entries;
	return waiting < scheduler->entries;
}

static uint32_t half_waiting(const struct sim_core *core, unsigned half)
{
	return waiting_at(&core->ports, core->program->half_ports[half]);
}

/* Choose; true if both have room for half of the slots. */
static bool choose_half(struct sim_core *core)
{
	uint32_t slots = (uint32_t)core->params->issue_width / SIM_HALVES;
	uint32_t first = sim_half_next(core);
	uint32_t waiting = half_waiting(core, first), others = half_waiting(core, !first);
	uint32_t most = waiting > others ? waiting : others;

	if (waiting > others && waiting >= (uint32_t)core->params->memory_scheduler_swap_entries)
		first = !first;
	core->half_try = first;
	return most + slots <= core->program->half_entries;
}

/* True if they have room for so many µops in each half, perhaps the other way round. */
static bool take_halves(struct sim_core *core, const uint32_t needs[SIM_HALVES])
{
	uint32_t entries = core->program->half_entries;

	for (unsigned turn = 0; turn < 2; turn++, core->half_try = !core->half_try)
		if (half_waiting(core, core->half_try) + needs[0] <= entries &&
		    half_waiting(core, !core->half_try) + needs[1] <= entries)
			return true;
	return false;
}

bool sim_halves_have_room(struct sim_core *core, uint32_t slots)
{
	uint32_t needs[SIM_HALVES] = {0}, width = (uint32_t)core->params->issue_width;

	if (choose_half(core))
		return true;
	for (uint32_t i = core->queue.head; i != core->queue.tail && slots < width; i++) {
		const struct sim_queue_entry *entry =
			&core->queue.entries[i % SIM_QUEUE_ENTRIES_MAX];
		const struct sim_insn *insn = &core->program->insns[entry->insn];

		if (insn->address_count && !core->params->issue_memory_last && slots &&
		    slots + 1 == width)
			break;
		if (entry->slot == 0)
			needs[2 * slots >= width] += insn->address_count;
		slots += sim_entry_slots(insn, entry->slot);
	}
	return take_halves(core, needs);
}

unsigned sim_half_of(struct sim_core *core, uint32_t slot)
{
	bool second = slot >= (uint32_t)core->params->issue_width / SIM_HALVES;

	if (core->half_cycle != core->cycle) {
		core->half_first = core->half_try;
		core->half_sent = 0;
		core->half_cycle = core->cycle;
	}
	core->half_sent += !second;
	return core->half_first ^ second;
}

bool sim_schedulers_take_group(const struct sim_core *core)
{
	uint32_t width = (uint32_t)core->params->issue_width;

	if (core->ports.pending_all + width <= core->program->scheduler_least)
		return true;
	for (uint32_t i = 0; i < core->program->scheduler_count; i++) {
		const struct takt_scheduler *scheduler = &core->program->schedulers[i];

		if (waiting_at(&core->ports, scheduler->ports) + width > scheduler->entries)
			return false;
	}
	return true;
}

uint32_t sim_scheduler_choose(struct sim_core *core, const struct sim_uop *uop, uint64_t *ready)
{
	uint64_t entered;
	unsigned found;

	if (!uop->schedulers)
		return uop->ports;
	found = find_kept(core, uop);
	core->found_for = NULL; /* the uses change with it */
	uses_of(core, uop)[found]++;
	if (uop->ports & core->program->queued_ports) {
		entered = cycle_entered(core);
		*ready = entered > *ready ? entered : *ready;
	}
	return core->program->schedulers[found].ports & uop->ports;
}
