/* SPDX-License-Identifier: MIT */
/* Charges cycles in which nothing retires to a loss, and finds how long nothing changes. */
#include "sim/stream/stream_source.h"
#include "sim/stream/stream.h"

/*
 * True if the oldest instruction, or the next to come, is the first on the correct path after a
 * misprediction, or came together with it.
 */
static bool is_after_miss(const struct sim_core *core, const struct sim_rob_slot *head)
{
	uint32_t oldest = core->iterations_retired;

	return (sim_dynamic(core->replay, oldest)->flags & SIM_DYNAMIC_AFTER_MISS) ||
	       (head && head->arrived == core->replay->restarted);
}

static const struct sim_rob_slot *head_of(const struct sim_core *core)
{
	return core->rob_head == core->rob_tail ? NULL : &core->rob[core->rob_head % SIM_ROB_MAX];
}

static bool has_arrived(const struct sim_core *core, const struct sim_rob_slot *slot)
{
	return (int32_t)((uint32_t)core->cycle - slot->arrived) >= 0;
}

/*
 * Return what the last cycle was spent on. If the oldest instruction is on its way to the
 * schedulers, or has not come, that is the front end's loss or a misprediction's, unless it was
 * held up by stores that wait for the cache.
 */
enum sim_loss sim_loss_of(const struct sim_core *core)
{
	const struct sim_rob_slot *head = head_of(core);

	if (head && has_arrived(core, head))
		return (enum sim_loss)head->late;
	if (!head && core->stop == SIM_STALL_STORE_QUEUE)
		return SIM_LOSS_MEMORY;
	return is_after_miss(core, head) ? SIM_LOSS_BRANCH : SIM_LOSS_FRONT_END;
}

/* ---- the next event ------------------------------------------------------------------------- */

static uint64_t sooner(uint64_t left, uint64_t right)
{
	return left < right ? left : right;
}

/* Return when rename's reason to stop may be gone, except by retirement or writes of stores. */
static uint64_t next_rename(const struct sim_core *core)
{
	uint64_t dispatch;

	if (core->stop != SIM_STALL_SCHEDULER)
		return SIM_NEVER;
	if (core->program->in_order)
		return core->dispatched_last - (uint64_t)core->params->rename_to_dispatch_cycles;
	if (core->ports.furthest > core->cycle + SIM_RESERVED_CYCLES)
		return core->ports.furthest - SIM_RESERVED_CYCLES;
	dispatch = sim_ports_next(core);
	return dispatch == SIM_NEVER ? dispatch : dispatch + 1; /* it has left a cycle later */
}

static uint64_t next_commit(const struct sim_core *core)
{
	uint32_t store = core->stores_committed % SIM_ROB_MAX;
	uint64_t next = core->replay->commit_cycles[store];

	if (!core->stores_retired)
		return SIM_NEVER;
	if (core->other_line[store] && core->line_change > next)
		next = core->line_change;
	if (core->replay->writes_from > next)
		next = core->replay->writes_from;
	return next;
}

static uint64_t next_fetch(const struct sim_core *core)
{
	const struct sim_replay *replay = core->replay;

	if (sim_front_end_has_next(core->front_end) || replay->open == SIM_NEVER)
		return SIM_NEVER;
	if (replay->next == replay->tail) /* the next item is not known yet, or there is none */
		return replay->open > core->cycle ? replay->open : SIM_NEVER;
	return sim_replay_open(replay);
}

static bool may_repeat(enum sim_stall stop)
{
	return stop == SIM_STALL_NONE || stop == SIM_STALL_ROB || stop == SIM_STALL_LOAD_QUEUE ||
	       stop == SIM_STALL_STORE_QUEUE || stop == SIM_STALL_SERIALIZE ||
	       stop == SIM_STALL_SCHEDULER;
}

/* Called after a cycle in which nothing was renamed, retired or written to the cache. */
uint64_t sim_idle_cycles(const struct sim_core *core)
{
	const struct sim_rob_slot *head = head_of(core);
	uint64_t next = SIM_NEVER, left;

	if (!may_repeat(core->stop) || core->slots_owed ||
	    !sim_front_end_is_idle(core->front_end, &core->queue))
		return 0;
	if (core->stop == SIM_STALL_NONE && core->queue.head != core->queue.tail)
		return 0; /* it came in this very cycle */
	next = sooner(next_rename(core), next_commit(core));
	next = sooner(next, next_fetch(core));
	if (head) {
		next = sooner(next, head->done);
		if (!has_arrived(core, head)) {
			left = (uint32_t)(head->arrived - (uint32_t)core->cycle);
			next = sooner(next, core->cycle + left);
		}
	}
	return next == SIM_NEVER || next <= core->cycle + 1 ? 0 : next - core->cycle - 1;
}
