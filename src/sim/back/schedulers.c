/* SPDX-License-Identifier: MIT */
/*
 * Cores with several schedulers. A µop waits in one of them, chosen at rename, and is picked for
 * that one's ports only. The choice is not documented. A rule that agrees with measured blocks:
 * µops of a kind which are renamed in one cycle are spread over the schedulers that can take them,
 * in order, passing over those where clearly more µops wait. Other rules would put µops that become
 * ready together into one scheduler.
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

/* Return the uses of this cycle by the kind of µop: those for memory, and others. */
static uint8_t *uses_of(struct sim_core *core, const struct sim_uop *uop)
{
	return core->scheduler_uses[!(uop->ports & ~core->program->memory_ports)];
}

/*
 * Choose one of several schedulers. One with half its entries more waiting than the emptiest has is
 * passed over. Of those used least in this cycle, the first is taken, or, where schedulers for
 * memory are apart, the one with the fewest µops waiting.
 */
static unsigned find(struct sim_core *core, const struct sim_uop *uop)
{
	const struct takt_scheduler *schedulers = core->program->schedulers;
	const uint8_t *uses = uses_of(core, uop);
	uint32_t waiting[TAKT_SCHEDULERS_MAX], least = UINT32_MAX, fewest = UINT32_MAX;
	bool by_waiting = !core->program->schedulers_mixed;
	unsigned found = 0;

	if (!(uop->schedulers & (uop->schedulers - 1)))
		return (unsigned)__builtin_ctz(uop->schedulers);
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
		    (by_waiting && uses[i] == fewest && waiting[i] < waiting[found])) {
			fewest = uses[i];
			found = i;
			if (!fewest && !by_waiting)
				break;
		}
	}
	return found;
}

/* The same; what is found is kept, because the µop is sent there next if there is room. */
static unsigned find_kept(struct sim_core *core, const struct sim_uop *uop)
{
	uint32_t pending = core->ports.pending_all;

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
	uint32_t memory = core->program->memory_ports;
	const struct takt_scheduler *scheduler;

	if (!uop->schedulers || core->ports.pending_all < core->program->scheduler_least)
		return true; /* so few µops fit anywhere */
	scheduler = &core->program->schedulers[find_kept(core, uop)];
	return waiting_at(&core->ports, scheduler->ports & memory) < scheduler->entries &&
	       waiting_at(&core->ports, scheduler->ports & ~memory) < scheduler->entries;
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

uint32_t sim_scheduler_choose(struct sim_core *core, const struct sim_uop *uop)
{
	unsigned found;

	if (!uop->schedulers)
		return uop->ports;
	found = find_kept(core, uop);
	core->found_for = NULL; /* the uses change with it */
	uses_of(core, uop)[found]++;
	return core->program->schedulers[found].ports & uop->ports;
}
