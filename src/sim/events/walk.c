/* SPDX-License-Identifier: MIT */
/*
 * The chain of last-arriving events, as in Fields, Rubin, Bodík (ISCA 2001): each event is where it
 * is in time because of one that came before. Of several that came at the same time, any explains
 * it.
 */
#include "sim/events/walk.h"

struct walker {
	const struct sim_core *core;
	struct sim_events *events;
	struct sim_step *step; /* the current step */
};

static struct sim_event_slot *slot_of(const struct walker *walker, uint32_t number)
{
	return sim_event_slot(walker->events, number);
}

static const struct sim_event_cycle *cycle_at(const struct walker *walker, uint32_t cycle)
{
	return &walker->events->cycles[cycle % SIM_EVENT_CYCLES];
}

/* ---- nodes ------------------------------------------------------------------------------ */

/* Each of these functions begins the next step; false at the end of what was recorded. */

static bool go(struct walker *walker, enum sim_node_kind kind, uint32_t number, uint32_t slot,
	       uint32_t time)
{
	if (!sim_event_has_slot(walker->events, slot) ||
	    walker->core->cycle - time >= SIM_EVENT_CYCLES || time > walker->step->time)
		return false;
	walker->step[1] = (struct sim_step){.kind = (uint8_t)kind,
					    .port = SIM_PORT_NONE,
					    .number = number,
					    .slot = slot,
					    .time = time};
	return true;
}

static bool go_queued(struct walker *walker, uint32_t slot)
{
	return go(walker, SIM_NODE_QUEUED, slot, slot, slot_of(walker, slot)->queued);
}

static bool go_renamed(struct walker *walker, uint32_t slot)
{
	return go(walker, SIM_NODE_RENAMED, slot, slot, slot_of(walker, slot)->renamed);
}

static bool go_retired(struct walker *walker, uint32_t slot)
{
	return go(walker, SIM_NODE_RETIRED, slot, slot, slot_of(walker, slot)->retired);
}

static bool go_dispatched(struct walker *walker, uint32_t uop)
{
	const struct sim_event_uop *event = sim_event_uop(walker->events, uop);

	return sim_event_has_uop(walker->events, uop) &&
	       go(walker, SIM_NODE_DISPATCHED, uop, event->slot, event->dispatched);
}

/* Set the cause of the current wait, and the slots responsible. */
static void blame(struct walker *walker, enum sim_stall cause, uint32_t first, uint32_t last)
{
	walker->step->cause = (uint8_t)cause;
	walker->step->first = first;
	walker->step->last = last;
}

/* ---- values ----------------------------------------------------------------------------- */

static bool is_load(const struct sim_event_uop *uop)
{
	return uop->kind == SIM_UOP_LOAD;
}

/* Go to what made the value of µop `uop`. */
static bool go_maker(struct walker *walker, uint32_t uop)
{
	const struct sim_event_uop *event = sim_event_uop(walker->events, uop);

	if (!sim_event_has_uop(walker->events, uop))
		return false;
	if (event->dispatched >
	    walker->step->time) { /* a load whose value was ready before it ran */
		blame(walker, SIM_STALL_LATENCY, event->slot, event->slot);
		return go_renamed(walker, event->slot);
	}
	if (sim_event_has_uop(walker->events, event->behind)) {
		blame(walker, SIM_STALL_FORWARD_FAIL, event->slot, event->slot);
		return go_retired(walker, sim_event_uop(walker->events, event->behind)->slot);
	}
	if (is_load(event) && sim_event_has_uop(walker->events, event->store)) {
		blame(walker, event->fails ? SIM_STALL_FORWARD_FAIL : SIM_STALL_FORWARD,
		      event->slot, event->slot);
		return go_dispatched(walker, event->store);
	}
	blame(walker,
	      event->inserted  ? SIM_STALL_MERGE
	      : is_load(event) ? SIM_STALL_LOAD
			       : SIM_STALL_LATENCY,
	      event->slot, event->slot);
	return go_dispatched(walker, uop);
}

/* ---- dispatch --------------------------------------------------------------------------- */

/* Return which resource of `waiting` the µop held in `cycle`: port, unit, bank, or nothing. */
static enum sim_stall held_by(const struct sim_event_uop *uop, const struct sim_event_uop *waiting,
			      uint32_t cycle)
{
	uint32_t since = cycle - uop->dispatched;

	if (uop->dispatched > cycle)
		return SIM_STALL_NONE;
	if (uop->unit == waiting->unit && uop->unit != SIM_PORT_NONE && since < uop->unit_cycles)
		return SIM_STALL_UNIT;
	if (uop->port == waiting->port && uop->port != SIM_PORT_NONE && since < uop->port_cycles)
		return SIM_STALL_PORT;
	return uop->banks & waiting->banks && !since ? SIM_STALL_BANK : SIM_STALL_NONE;
}

/* Go to the youngest older µop that held, in the cycle before, what this one needed. */
static bool go_holder(struct walker *walker, const struct sim_event_uop *event)
{
	uint32_t most = (uint32_t)walker->core->params->rob_entries;

	for (uint32_t uop = walker->step->number;
	     uop-- > 0 && sim_event_has_uop(walker->events, uop);) {
		const struct sim_event_uop *other = sim_event_uop(walker->events, uop);
		enum sim_stall held = held_by(other, event, event->dispatched - 1);

		if (event->slot - other->slot > most)
			return false;
		if (held == SIM_STALL_NONE)
			continue;
		blame(walker, held, other->slot, other->slot);
		if (held == SIM_STALL_PORT)
			walker->step->port = event->port;
		else if (held == SIM_STALL_UNIT)
			walker->step->port = event->unit;
		return go_dispatched(walker, uop);
	}
	return false;
}

/* Go to the youngest older µop whose entry in a scheduler this one, in their queue, took over. */
static bool go_entry(struct walker *walker, const struct sim_event_uop *event)
{
	uint32_t ports = walker->core->program->queued_ports;
	uint32_t most = (uint32_t)walker->core->params->rob_entries;

	if (event->port == SIM_PORT_NONE || !(ports >> event->port & 1))
		return false;
	for (uint32_t uop = walker->step->number;
	     uop-- > 0 && sim_event_has_uop(walker->events, uop);) {
		const struct sim_event_uop *other = sim_event_uop(walker->events, uop);

		if (event->slot - other->slot > most)
			return false;
		if (other->port == SIM_PORT_NONE || !(ports >> other->port & 1) ||
		    other->dispatched + 1 != event->dispatched)
			continue;
		blame(walker, SIM_STALL_SCHEDULER, other->slot, other->slot);
		return go_dispatched(walker, uop);
	}
	return false;
}

/*
 * True if the slot waited in rename until a store was written. A queue at one of several possible
 * ports then comes from a lack of other work, and says nothing about the port.
 */
static bool is_held_by_stores(const struct walker *walker, const struct sim_event_uop *event)
{
	uint32_t renamed = slot_of(walker, event->slot)->renamed;

	return event->port_chosen && cycle_at(walker, renamed - 1)->stop == SIM_STALL_STORE_QUEUE;
}

static bool before_dispatched(struct walker *walker)
{
	const struct sim_event_uop *event = sim_event_uop(walker->events, walker->step->number);
	uint32_t arrival = slot_of(walker, event->slot)->renamed +
			   (uint32_t)walker->core->params->rename_to_dispatch_cycles;

	if (event->dispatched > event->seen && !is_held_by_stores(walker, event) &&
	    (go_holder(walker, event) || go_entry(walker, event)))
		return true;
	if (event->source.uop != SIM_EVENT_NONE && event->source.ready >= arrival)
		return go_maker(walker, event->source.uop);
	blame(walker, SIM_STALL_LATENCY, event->slot, event->slot);
	return go_renamed(walker, event->slot);
}

/* ---- retirement and stores --------------------------------------------------------------- */

static bool before_done(struct walker *walker, uint32_t slot)
{
	const struct sim_event_slot *event = slot_of(walker, slot);

	for (uint32_t i = 0; i < event->uop_count; i++) {
		uint32_t uop = event->first_uop + i;

		if (sim_event_uop(walker->events, uop)->done == event->done)
			return go_maker(walker, uop);
	}
	blame(walker, SIM_STALL_LATENCY, slot, slot);
	return go_renamed(walker, slot);
}

/* Return the first slot of those that retired with this one. */
static uint32_t first_retired_with(const struct walker *walker, uint32_t slot)
{
	uint32_t cycle = slot_of(walker, slot)->retired;

	while (slot > 0 && sim_event_has_slot(walker->events, slot - 1) &&
	       slot_of(walker, slot - 1)->retired == cycle)
		slot--;
	return slot;
}

static bool before_retired(struct walker *walker)
{
	uint32_t slot = walker->step->slot, first = first_retired_with(walker, slot);

	for (uint32_t late = slot + 1; late-- > first;)
		if (slot_of(walker, late)->done == slot_of(walker, late)->retired)
			return before_done(walker, late);
	if (!first)
		return false;
	blame(walker, SIM_STALL_RETIRE, first_retired_with(walker, first - 1), first - 1);
	return go_retired(walker, first - 1);
}

/* Return the slot of a store by number. */
static uint32_t slot_of_store(const struct walker *walker, uint32_t store)
{
	uint32_t end = walker->events->slot_count, index;
	uint32_t first = end > SIM_EVENT_SLOTS ? end - SIM_EVENT_SLOTS : 0;

	TAKT_BISECT(index, end - first, slot_of(walker, first + index)->stores <= store);
	return first + index;
}

static bool go_committed(struct walker *walker, uint32_t store)
{
	return walker->events->commit_count - store <= SIM_EVENT_SLOTS &&
	       go(walker, SIM_NODE_COMMITTED, store, slot_of_store(walker, store),
		  walker->events->committed[store % SIM_EVENT_SLOTS]);
}

/* Return the newest store that was written before `cycle`; NONE if that is not known. */
static uint32_t committed_before(const struct walker *walker, uint32_t store, uint32_t cycle)
{
	while (store-- > 0 && walker->events->commit_count - store <= SIM_EVENT_SLOTS)
		if (walker->events->committed[store % SIM_EVENT_SLOTS] < cycle)
			return store;
	return SIM_EVENT_NONE;
}

static bool before_committed(struct walker *walker)
{
	uint32_t slot = walker->step->slot;
	uint32_t older = committed_before(walker, walker->step->number, walker->step->time);

	blame(walker, SIM_STALL_COMMIT, slot, slot);
	if (slot_of(walker, slot)->retired + 1 >= walker->step->time)
		return go_retired(walker, slot);
	return older != SIM_EVENT_NONE && go_committed(walker, older);
}

/* ---- rename -------------------------------------------------------------------------------- */

static uint32_t first_renamed_with(const struct walker *walker, uint32_t slot)
{
	uint32_t cycle = slot_of(walker, slot)->renamed;

	while (slot > 0 && sim_event_has_slot(walker->events, slot - 1) &&
	       slot_of(walker, slot - 1)->renamed == cycle)
		slot--;
	return slot;
}

static bool has_loads(const struct walker *walker, uint32_t slot)
{
	const struct sim_event_slot *event = slot_of(walker, slot);

	for (uint32_t i = 0; i < event->uop_count; i++)
		if (is_load(sim_event_uop(walker->events, event->first_uop + i)))
			return true;
	return false;
}

/*
 * Go to the retirement that freed an entry: of the newest slot before `first` that could have held
 * it.
 */
static bool go_freed(struct walker *walker, enum sim_stall cause, uint32_t first)
{
	for (uint32_t slot = first; slot-- > 0 && sim_event_has_slot(walker->events, slot);) {
		uint32_t retired = slot_of(walker, slot)->retired;

		if (!retired || retired >= walker->step->time ||
		    (cause == SIM_STALL_LOAD_QUEUE && !has_loads(walker, slot)))
			continue;
		blame(walker, cause, slot, slot);
		return go_retired(walker, slot);
	}
	return false;
}

/* Go to the last µop that left the scheduler, which gave it room again. */
static bool go_left_scheduler(struct walker *walker, uint32_t first)
{
	uint32_t newest = slot_of(walker, first)->first_uop, best = SIM_EVENT_NONE, latest = 0;

	for (uint32_t uop = newest; uop-- > 0 && sim_event_has_uop(walker->events, uop);) {
		const struct sim_event_uop *event = sim_event_uop(walker->events, uop);

		if (first - event->slot > (uint32_t)walker->core->params->rob_entries)
			break;
		if (event->port == SIM_PORT_NONE || event->dispatched >= walker->step->time ||
		    event->dispatched <= latest)
			continue;
		latest = event->dispatched;
		best = uop;
	}
	if (best == SIM_EVENT_NONE)
		return false;
	blame(walker, SIM_STALL_SCHEDULER, sim_event_uop(walker->events, best)->slot,
	      sim_event_uop(walker->events, best)->slot);
	return go_dispatched(walker, best);
}

/* Go to the dispatch of the µop before it in program order. */
static bool go_in_order(struct walker *walker, uint32_t first)
{
	uint32_t uop = slot_of(walker, first)->first_uop;

	blame(walker, SIM_STALL_LATENCY, first, first);
	return uop && go_dispatched(walker, uop - 1);
}

static uint32_t last_queued_with(const struct walker *walker, uint32_t slot)
{
	uint32_t cycle = slot_of(walker, slot)->queued;

	while (sim_event_has_slot(walker->events, slot + 1) &&
	       slot_of(walker, slot + 1)->queued == cycle)
		slot++;
	return slot;
}

static bool go_written(struct walker *walker)
{
	uint32_t store = committed_before(walker, walker->events->commit_count, walker->step->time);
	uint32_t slot;

	if (store == SIM_EVENT_NONE)
		return false;
	slot = slot_of_store(walker, store);
	blame(walker, SIM_STALL_STORE_QUEUE, slot, slot);
	return go_committed(walker, store);
}

static bool before_renamed(struct walker *walker)
{
	uint32_t first = first_renamed_with(walker, walker->step->slot);
	enum sim_stall stop = (enum sim_stall)cycle_at(walker, walker->step->time - 1)->stop;

	if (!first)
		return false;
	if (stop == SIM_STALL_ROB || stop == SIM_STALL_LOAD_QUEUE || stop == SIM_STALL_SERIALIZE)
		return go_freed(walker, stop, first);
	if (stop == SIM_STALL_SCHEDULER && walker->core->program->in_order)
		return go_in_order(walker, first);
	if (stop == SIM_STALL_SCHEDULER)
		return go_left_scheduler(walker, first);
	if (stop == SIM_STALL_STORE_QUEUE)
		return go_written(walker);
	if (stop == SIM_STALL_NONE) {
		uint32_t queued = slot_of(walker, first)->queued;

		blame(walker, (enum sim_stall)cycle_at(walker, queued)->front_end, first,
		      last_queued_with(walker, first));
		return go_queued(walker, first);
	}
	if (stop == SIM_STALL_MERGE)
		blame(walker, stop, first, first);
	else
		blame(walker, stop, first_renamed_with(walker, first - 1), first - 1);
	return go_renamed(walker, first - 1);
}

/* ---- the front end -------------------------------------------------------------------------- */

/* Return the newest slot renamed up to `cycle`. */
static uint32_t renamed_until(const struct walker *walker, uint32_t slot, uint32_t cycle)
{
	while (slot > 0 && sim_event_has_slot(walker->events, slot - 1) &&
	       slot_of(walker, slot)->renamed > cycle)
		slot--;
	return slot;
}

/* Go back cycle by cycle, since each may have its own cause. */
static bool before_queued(struct walker *walker)
{
	uint32_t first = walker->step->slot, time = walker->step->time;
	enum sim_stall cause = (enum sim_stall)cycle_at(walker, time - 1)->front_end;

	while (first > 0 && sim_event_has_slot(walker->events, first - 1) &&
	       slot_of(walker, first - 1)->queued == slot_of(walker, first)->queued)
		first--;
	if (!first || !sim_event_has_slot(walker->events, first - 1))
		return false;
	if (cause == SIM_STALL_RENAME) {
		blame(walker, cause, first - 1, first - 1);
		return go_renamed(walker, renamed_until(walker, first - 1, time));
	}
	blame(walker, cause, first, last_queued_with(walker, first));
	if (time - 1 > slot_of(walker, first - 1)->queued)
		return go(walker, SIM_NODE_QUEUED, first, first, time - 1);
	return go_queued(walker, first - 1);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool before(struct walker *walker)
{
	switch ((enum sim_node_kind)walker->step->kind) {
	case SIM_NODE_QUEUED:
		return before_queued(walker);
	case SIM_NODE_RENAMED:
		return before_renamed(walker);
	case SIM_NODE_DISPATCHED:
		return before_dispatched(walker);
	case SIM_NODE_RETIRED:
		return before_retired(walker);
	case SIM_NODE_COMMITTED:
		break;
	}
	return before_committed(walker);
}

uint32_t sim_walk(const struct sim_core *core, struct sim_step *steps, uint32_t most)
{
	struct walker walker = {.core = core, .events = core->events, .step = steps};
	uint32_t last = core->events->retired_count - 1, count = 1;

	if (!core->events->retired_count || most < 2)
		return 0;
	*steps = (struct sim_step){.kind = SIM_NODE_RETIRED,
				   .number = last,
				   .slot = last,
				   .time = slot_of(&walker, last)->retired,
				   .port = SIM_PORT_NONE};
	while (count < most && before(&walker)) {
		walker.step++;
		count++;
	}
	return count;
}
