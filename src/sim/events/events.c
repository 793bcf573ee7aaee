/* SPDX-License-Identifier: MIT */
/* The recorder: follows values from µop to µop and keeps what happened in rings. */
#include "sim/events/events.h"
#include "sim/stream/stream_source.h"

enum { STORE_ADDRESS, STORE_DATA };

static const struct sim_origin nowhere = {.uop = SIM_EVENT_NONE};

static void begin_insn(struct sim_events *events)
{
	for (unsigned g = 0; g < SIM_GROUPS_MAX; g++)
		events->group_uops[g] = SIM_EVENT_NONE;
	for (unsigned m = 0; m < TAKT_MEMORIES_MAX; m++)
		events->values[SIM_PART_LOADED + m] = nowhere;
}

struct sim_events *sim_events_new(const struct sim_core *core, struct takt_arena *arena)
{
	struct sim_events *events = TAKT_NEW(arena, struct sim_events);
	size_t stores = core->replay ? (size_t)core->replay->store_mask + 1
				     : (size_t)core->store_ring * core->program->store_count + 1;

	events->slot_count = core->rob_tail;
	events->retired_count = core->rob_head;
	events->commit_count = core->stores_committed;
	events->queue_tail = core->queue.tail;
	for (unsigned part = 0; part < SIM_PART_COUNT; part++)
		events->values[part] = nowhere;
	events->failed = SIM_EVENT_NONE;
	begin_insn(events);
	for (unsigned k = 0; k < TAKT_COUNT_OF(events->stores); k++) {
		events->stores[k] = TAKT_NEW_ARRAY(arena, stores, uint32_t);
		for (size_t s = 0; s < stores; s++)
			events->stores[k][s] = SIM_EVENT_NONE;
	}
	return events;
}

static uint32_t time_of(const struct sim_core *core, uint64_t cycle)
{
	uint64_t start = core->events->start;

	return cycle > start ? (uint32_t)(cycle - start) : 0;
}

static const struct sim_queue_entry *entry_at_hand(const struct sim_core *core)
{
	return &core->queue.entries[core->queue.head % SIM_QUEUE_ENTRIES_MAX];
}

/* ---- where operands come from ------------------------------------------------------------ */

static struct sim_origin later_of(struct sim_origin left, struct sim_origin right)
{
	return right.ready > left.ready ? right : left;
}

/* Return the group's operand that came last; SIM_GROUP_ALL: the last of all computing groups. */
static struct sim_origin group_origin(const struct sim_core *core, unsigned group)
{
	const struct sim_insn *insn = core->context.insn;
	const struct sim_source *sources = core->program->sources + insn->sources;
	struct sim_origin last = nowhere;

	for (unsigned s = 0; s < insn->source_count; s++) {
		struct sim_origin origin = core->events->values[sources[s].part];

		if (sources[s].group != group &&
		    (group != SIM_GROUP_ALL || sources[s].group >= SIM_GROUP_ADDRESS))
			continue;
		origin.ready += sources[s].extra_cycles;
		origin.part = sources[s].part;
		last = later_of(last, origin);
	}
	return last;
}

/* Return the last operand of group 0's µop, including those that other groups' µops make. */
static struct sim_origin leading_origin(const struct sim_core *core)
{
	const struct sim_context *context = &core->context;
	struct sim_origin last = group_origin(core, 0);

	for (unsigned g = 1; g < context->insn->group_count; g++)
		if (context->insn->lead_cycles[g] != SIM_NO_LATENCY)
			last = later_of(
				last,
				(struct sim_origin){.uop = core->events->group_uops[g],
						    .ready = time_of(core, context->dispatched[g]) +
							     context->insn->lead_cycles[g]});
	return last;
}

static struct sim_origin result_origin(const struct sim_core *core, const struct sim_result *result)
{
	const struct sim_context *context = &core->context;
	struct sim_origin last = nowhere;

	for (unsigned g = 0; g < context->insn->group_count; g++) {
		struct sim_origin origin = {.uop = core->events->group_uops[g]};

		if (result->latency_cycles[g] == SIM_NO_LATENCY)
			continue;
		if (origin.uop == SIM_EVENT_NONE)
			origin = group_origin(core, g);
		origin.ready = time_of(core, context->dispatched[g]) + result->latency_cycles[g];
		last = later_of(last, origin);
	}
	return last;
}

static struct sim_origin stored_origin(const struct sim_core *core, uint8_t memory)
{
	const struct sim_insn *insn = core->context.insn;
	const struct sim_result *results = core->program->results + insn->results;

	for (unsigned r = 0; r < insn->result_count; r++)
		if (results[r].part == SIM_PART_STORED + memory)
			return result_origin(core, &results[r]);
	return nowhere;
}

static struct sim_origin uop_origin(const struct sim_core *core, const struct sim_uop *uop)
{
	switch ((enum sim_uop_kind)uop->kind) {
	case SIM_UOP_COMPUTE:
		return uop->group ? group_origin(core, uop->group) : leading_origin(core);
	case SIM_UOP_STORE_DATA:
		return stored_origin(core, uop->memory);
	case SIM_UOP_LOAD:
	case SIM_UOP_STORE_ADDRESS:
		break;
	}
	return group_origin(core, SIM_GROUP_ADDRESS + uop->memory);
}

/* ---- memory -------------------------------------------------------------------------------- */

static const struct sim_dynamic *dynamic_at_hand(const struct sim_core *core)
{
	return sim_dynamic(core->replay, core->context.iteration);
}

static size_t store_place(const struct sim_core *core, uint32_t index, uint32_t iteration)
{
	if (core->replay)
		return (dynamic_at_hand(core)->first_store + index) & core->replay->store_mask;
	return (size_t)index * core->store_ring + iteration % core->store_ring;
}

/* Find the store that the fact of a trace's load names, unless it is in the cache by now. */
static void find_traced_store(const struct sim_core *core, const struct sim_fact *fact,
			      struct sim_event_uop *load)
{
	const struct sim_store *store =
		fact->flags & SIM_FACT_STORED ? sim_replay_store(core, fact->store) : NULL;
	bool by_data;

	if (!store)
		return;
	by_data = store->value_ready > store->address_ready;
	load->store = core->events->stores[by_data ? STORE_DATA : STORE_ADDRESS]
					  [fact->store & core->replay->store_mask];
	load->fails = fact->flags & SIM_FACT_FAILS;
}

/* Find the store that the load waited for, if its value came later than the cache would give it. */
static void find_store(const struct sim_core *core, const struct sim_uop *uop,
		       const struct sim_memory *memory, struct sim_event_uop *load)
{
	const struct sim_memory_edge *edge = core->program->edges + memory->first_edge;
	uint64_t latest = 0;

	if (load->done <= load->dispatched + memory->load_cycles + memory->address_cycles)
		return;
	if (core->replay) {
		find_traced_store(core, &dynamic_at_hand(core)->facts[uop->memory], load);
		return;
	}
	for (uint32_t e = 0; e < memory->edge_count; e++, edge++) {
		const struct sim_store *store;
		size_t place;
		bool by_data;
		uint64_t ready;

		if (edge->iterations > core->context.iteration)
			continue;
		place = store_place(core, edge->store_index,
				    core->context.iteration - edge->iterations);
		store = &core->stores[place];
		by_data = store->value_ready > store->address_ready;
		ready = by_data ? store->value_ready : store->address_ready;
		if (ready < latest)
			continue;
		latest = ready;
		load->store = core->events->stores[by_data ? STORE_DATA : STORE_ADDRESS][place];
		load->fails = edge->fails;
	}
}

/*
 * Find the origin of a load's value if memory renaming gives it the stored register; else return
 * false.
 */
static bool find_renamed(const struct sim_core *core, const struct sim_memory *memory,
			 struct sim_origin *ret_origin)
{
	const struct sim_memory_edge *edge = core->program->edges + memory->first_edge;
	uint32_t store;

	if (memory->edge_count != 1 || !edge->renamed || edge->iterations > core->context.iteration)
		return false;
	store = core->events->stores[STORE_DATA][store_place(
		core, edge->store_index, core->context.iteration - edge->iterations)];
	*ret_origin = sim_event_has_uop(core->events, store)
			      ? sim_event_uop(core->events, store)->source
			      : nowhere;
	return true;
}

/* Note that this µop makes a value, or a part of a store. */
static void note_maker(struct sim_core *core, const struct sim_uop *uop, uint32_t number)
{
	struct sim_events *events = core->events;
	const struct sim_memory *memory;
	struct sim_origin *loaded;
	bool data = uop->kind == SIM_UOP_STORE_DATA;

	if (uop->kind == SIM_UOP_COMPUTE) {
		if (uop->group != SIM_GROUP_ALL)
			events->group_uops[uop->group] = number;
		return;
	}
	memory = &core->program->memories[core->context.insn->memories + uop->memory];
	if (uop->kind == SIM_UOP_LOAD) {
		struct sim_event_uop *load = sim_event_uop(events, number);
		struct sim_origin origin = {.uop = number};

		load->banks = core->params->loads_per_bank ? memory->banks : 0;
		if (!find_renamed(core, memory, &origin))
			find_store(core, uop, memory, load);
		if (core->failed_behind)
			load->behind = events->failed;
		if (load->fails)
			events->failed = number;
		origin.ready = load->done;
		loaded = &events->values[SIM_PART_LOADED + uop->memory];
		*loaded = later_of(*loaded, origin);
		return;
	}
	events->stores[data ? STORE_DATA : STORE_ADDRESS]
		      [store_place(core, memory->store_index, core->context.iteration)] = number;
}

/* ---- what the stages call ------------------------------------------------------------------ */

/* Add a µop and return its number; `uop` is NULL for one that rename inserts. */
static uint32_t add_uop(struct sim_core *core, const struct sim_uop *uop, struct sim_origin source,
			uint64_t done)
{
	struct sim_events *events = core->events;
	uint32_t number = events->uop_count++;

	*sim_event_uop(events, number) = (struct sim_event_uop){
		.kind = uop ? uop->kind : SIM_UOP_COMPUTE,
		.inserted = !uop,
		.port_cycles = uop ? uop->port_cycles : 1,
		.unit_cycles = uop ? uop->unit_cycles : 0,
		.slot = events->slot_count,
		.source = source,
		.seen = time_of(core, core->pick.ready),
		.dispatched = time_of(core, core->pick.dispatched),
		.done = time_of(core, done),
		.store = SIM_EVENT_NONE,
		.behind = SIM_EVENT_NONE,
		.port = core->pick.port,
		.port_chosen = uop && uop->ports & (uop->ports - 1),
		.unit = core->pick.unit,
	};
	return number;
}

static void add_slot(struct sim_core *core, uint64_t done, uint16_t slot, bool inserted)
{
	const struct sim_queue_entry *entry = entry_at_hand(core);
	struct sim_events *events = core->events;

	*sim_event_slot(events, events->slot_count++) = (struct sim_event_slot){
		.insn = entry->insn,
		.iteration = entry->iteration,
		.slot = slot,
		.uop_count = (uint16_t)(events->uop_count - events->first_uop),
		.first_uop = events->first_uop,
		.queued = events->queued[core->queue.head % SIM_QUEUE_ENTRIES_MAX],
		.renamed = time_of(core, core->cycle),
		.done = time_of(core, done),
		.stores = core->stores_renamed,
		.inserted = inserted,
	};
	if (events->fetch_times)
		sim_event_slot(events, events->slot_count - 1)->fetch =
			*sim_fetch_times_of(events->fetch_times, core->queue.head);
	events->first_uop = events->uop_count;
}

void sim_events_uop(struct sim_core *core, const struct sim_uop *uop, uint64_t done)
{
	note_maker(core, uop, add_uop(core, uop, uop_origin(core, uop), done));
}

void sim_events_slot(struct sim_core *core, uint64_t done)
{
	const struct sim_context *context = &core->context;

	add_slot(core, done, (uint16_t)(context->next_slot - 1), false);
	if (context->next_slot == context->insn->issue_slots)
		begin_insn(core->events);
}

void sim_events_write(struct sim_core *core)
{
	const struct sim_context *context = &core->context;
	const struct sim_insn *insn = context->insn;
	const struct sim_result *results = core->program->results + insn->results;
	uint32_t moved = insn->flags & SIM_INSN_MOVE && !context->eliminated ? 1 : 0;
	struct sim_origin origins[TAKT_ACCESSES_MAX * TAKT_PARTS_MAX];

	for (unsigned r = 0; r < insn->result_count; r++) {
		origins[r] = result_origin(core, &results[r]);
		origins[r].ready += moved;
	}
	for (unsigned r = 0; r < insn->result_count; r++)
		if (results[r].part < TAKT_PART_COUNT)
			core->events->values[results[r].part] = origins[r];
}

void sim_events_insert(struct sim_core *core, uint8_t part, uint8_t other)
{
	struct sim_events *events = core->events;
	struct sim_origin source = later_of(events->values[part], events->values[other]);
	uint64_t done = core->values[part].ready;
	struct sim_origin made = {.ready = time_of(core, done)};

	source.part = part;
	made.uop = add_uop(core, NULL, source, done);
	add_slot(core, done, 0, true);
	events->values[part] = events->values[other] = made;
}

void sim_events_cycle(struct sim_core *core)
{
	struct sim_events *events = core->events;
	struct sim_event_cycle *cycle =
		&events->cycles[time_of(core, core->cycle) % SIM_EVENT_CYCLES];
	bool pushed = events->queue_tail != core->queue.tail;

	*cycle = (struct sim_event_cycle){
		.stop = (uint8_t)core->stop,
		.front_end = (uint8_t)sim_front_end_stall(core->front_end, &core->queue, pushed),
	};
	if (events->fetch_times)
		sim_fetch_times_note(events->fetch_times, core->front_end, &core->queue,
				     time_of(core, core->cycle));
	while (events->queue_tail != core->queue.tail)
		events->queued[events->queue_tail++ % SIM_QUEUE_ENTRIES_MAX] =
			time_of(core, core->cycle);
	while (events->retired_count != core->rob_head)
		sim_event_slot(events, events->retired_count++)->retired =
			time_of(core, core->cycle);
	while (events->commit_count != core->stores_committed)
		events->committed[events->commit_count++ % SIM_EVENT_SLOTS] =
			time_of(core, core->cycle);
}
