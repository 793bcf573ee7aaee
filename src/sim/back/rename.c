/* SPDX-License-Identifier: MIT */
/*
 * Rename: takes laminated µops off the queue as long as their issue slots fit in the cycle and the
 * buffers that follow have room, and determines when each µop executes. Zero idioms and eliminated
 * moves end here; the stack engine and registers renamed in parts add µops of their own.
 */
#include <string.h>

#include "sim/back/load_waits.h"
#include "sim/back/operands.h"
#include "sim/back/ports.h"
#include "sim/back/stores.h"
#include "sim/events/events.h"

struct cycle {
	uint32_t width, slots; /* issue slots of the core, and those taken so far */
	int32_t branches;      /* taken branches */
	bool closed;
	bool has_room; /* the buffers have room for all that is renamed in the cycle */
	/* With no more than this there is room for another cycle's slots. */
	uint32_t rob_most, pending_most;
	uint64_t furthest_most;
};

static uint64_t arrival(const struct sim_core *core)
{
	return core->cycle + (uint64_t)core->params->rename_to_dispatch_cycles;
}

static void add_rob_slot(struct sim_core *core, uint64_t done)
{
	core->rob[core->rob_tail++ % SIM_ROB_MAX] = (struct sim_rob_slot){
		.done = done,
		.late = done > core->done_last ? SIM_LOSS_INTEGER : SIM_LOSS_RETIRING};
	if (done > core->done_last)
		core->done_last = done;
}

static const struct sim_source *sources_of(const struct sim_core *core, const struct sim_uop *uop)
{
	return core->program->sources + core->context.insn->sources + uop->first_source;
}

static bool base_from_load(const struct sim_core *core, const struct sim_uop *uop)
{
	return uop->source_count && core->values[sources_of(core, uop)->part].from_load;
}

/* ---- stores ---------------------------------------------------------------------------------- */

static const struct sim_dynamic *dynamic_of(const struct sim_core *core)
{
	return sim_dynamic(core->replay, core->context.iteration);
}

/* Return what the current µop executes, if that is what keeps it from being done. */
static enum sim_loss executes(const struct sim_core *core, const struct sim_uop *uop)
{
	return uop->kind == SIM_UOP_LOAD ? core->load_loss
					 : (enum sim_loss)core->context.insn->latency_loss;
}

/*
 * Note why the slot is done later than `front`, when all before it is done: of the µop that adds
 * the most, that is a port if it waits longer for that than it executes.
 */
static void note_late(const struct sim_core *core, const struct sim_uop *uop, uint64_t front,
		      uint64_t done, uint64_t *most, struct sim_rob_slot *rob)
{
	uint64_t ready = core->pick.ready > front ? core->pick.ready : front;
	uint64_t ports = core->pick.dispatched > ready ? core->pick.dispatched - ready : 0;

	if (done - front <= *most)
		return;
	*most = done - front;
	rob->late = (uint8_t)(2 * ports > *most ? SIM_LOSS_PORTS : executes(core, uop));
}

/* Finish an instruction of a trace with its last slot. */
static void end_traced(struct sim_core *core, struct sim_rob_slot *rob)
{
	const struct sim_dynamic *dynamic = dynamic_of(core);

	rob->ends_iteration = true;
	rob->done += dynamic->extra_cycles;
	if (dynamic->extra_cycles && rob->done > core->done_last)
		rob->late = SIM_LOSS_MICROCODE;
	if (dynamic->flags & SIM_DYNAMIC_MISSED)
		sim_replay_resolve(core, rob->done);
}

/* ---- µops that access memory ----------------------------------------------------------------- */

ALWAYS_INLINE uint64_t run_load(struct sim_core *core, const struct sim_uop *uop, uint32_t slot,
				bool traced)
{
	const struct sim_insn *insn = core->context.insn;
	const struct sim_memory *memory = &core->program->memories[insn->memories + uop->memory];
	const struct takt_core_params *params = core->params;
	const struct sim_fact *fact = traced ? &dynamic_of(core)->facts[uop->memory] : NULL;
	const bool split = fact ? fact->flags & SIM_FACT_SPLIT : memory->split_load;
	struct sim_value *value = &core->values[SIM_PART_LOADED + uop->memory];
	uint64_t sources = sources_ready(core, sources_of(core, uop), uop->source_count, traced);
	uint64_t dispatch, ready;
	const bool bypasses = fact && params->store_bypass_flush_cycles;
	struct sim_uop changed;
	bool waited;

	if (bypasses)
		sources = sim_bypass_wait(core, uop->memory, sources);
	waited = params->load_port_entries > 0 && sim_load_wait(core, uop, memory, fact, &sources);
	uop = sim_load_uop(core, uop, fact, split, &changed);
	if (split && params->split_load_accesses > 1)
		dispatch = sim_ports_dispatch_twice(core, uop, slot, sources);
	else
		dispatch = sim_ports_dispatch_quick(core, uop, slot, sources);
	if (bypasses)
		dispatch = sim_bypass_read(core, uop->memory, fact, dispatch);
	if (params->store_forward_accesses > 1)
		dispatch = sim_load_again(core, uop, slot, memory, fact, dispatch);
	ready = dispatch + memory->load_cycles + memory->address_cycles;
	if (fact && fact->prefetches)
		sim_replay_prefetch(core, dispatch, fact);
	if (split)
		ready += (uint64_t)(uop->unit_ports && params->split_load_vector_cycles
					    ? params->split_load_vector_cycles
					    : params->split_load_cycles);
	if (memory->fast && base_from_load(core, uop))
		ready -= (uint64_t)(params->load_latency_int - params->load_latency_fast);
	core->failed_behind = false;
	ready = fact ? sim_traced_load_ready(core, memory, fact, ready)
		     : sim_load_ready(core, memory, ready);
	if (waited && core->load_loss == SIM_LOSS_LOAD)
		core->load_loss = SIM_LOSS_FORWARD;
	if (bypasses && core->replay->bypass.delayed && core->load_loss == SIM_LOSS_LOAD)
		core->load_loss = SIM_LOSS_FORWARD_FAIL;
	/* If one operand has several loads (gathers), the last one counts. */
	if (ready > value->ready)
		value->ready = ready;
	/* With memory renaming the value is ready before the load has run. */
	return ready > dispatch ? ready : dispatch + 1;
}

ALWAYS_INLINE uint64_t run_compute(struct sim_core *core, const struct sim_uop *uop, uint32_t slot,
				   bool traced)
{
	struct sim_context *context = &core->context;
	const struct sim_insn *insn = context->insn;
	const struct sim_source *sources = sources_of(core, uop);
	uint64_t ready = insn->flags & SIM_INSN_FORWARDS
				 ? forwarded_sources(core, sources, uop->source_count, traced)
				 : sources_ready(core, sources, uop->source_count, traced);
	uint64_t dispatch;

	if (uop->group == 0)
		for (unsigned g = 1; g < insn->group_count; g++) {
			uint64_t at = context->dispatched[g] + insn->lead_cycles[g];

			if (insn->lead_cycles[g] != SIM_NO_LATENCY && at > ready)
				ready = at;
		}
	if (wakes_early(core, uop)) {
		uint64_t awake = sources_awake(core, sources, uop->source_count);

		if (awake < ready)
			sim_ports_waste(core, uop, awake, ready);
	}
	dispatch = sim_ports_dispatch_quick(core, uop, slot, ready);
	if (uop->group == SIM_GROUP_ALL)
		return dispatch + 1;
	context->waited = cycles_waited(core, uop);
	context->dispatched[uop->group] = dispatch;
	if (ends_late(core, uop))
		sim_ports_end_late(core, uop, dispatch + insn->done_cycles[uop->group] - 1);
	return dispatch + insn->done_cycles[uop->group];
}

static uint64_t result_ready(const struct sim_core *core, const struct sim_result *result)
{
	const struct sim_context *context = &core->context;
	unsigned count = context->insn->group_count;
	uint64_t ready = 0;

	if (count == 1 && result->latency_cycles[0] != SIM_NO_LATENCY)
		return context->dispatched[0] + result->latency_cycles[0];
	for (unsigned g = 0; g < count; g++) {
		uint64_t at = context->dispatched[g] + result->latency_cycles[g];

		if (result->latency_cycles[g] != SIM_NO_LATENCY && at > ready)
			ready = at;
	}
	return ready;
}

/*
 * Find when groups without a µop (zero idioms, eliminated moves, plain loads) are ready: as soon as
 * their sources are.
 */
ALWAYS_INLINE void find_free_groups(struct sim_core *core, bool traced)
{
	const struct sim_insn *insn = core->context.insn;
	const struct sim_source *sources = core->program->sources + insn->sources;

	for (unsigned g = 0, begin = 0; g < insn->group_count; begin = insn->group_ends[g++])
		if (insn->free_groups >> g & 1)
			core->context.dispatched[g] = sources_ready(
				core, sources + begin, insn->group_ends[g] - begin, traced);
}

static uint64_t stored_ready(const struct sim_core *core, const struct sim_insn *insn,
			     uint8_t memory)
{
	const struct sim_result *results = core->program->results + insn->results;

	for (unsigned r = 0; r < insn->result_count; r++)
		if (results[r].part == SIM_PART_STORED + memory)
			return result_ready(core, &results[r]);
	return 0;
}

static uint64_t run_store(struct sim_core *core, const struct sim_uop *uop, uint32_t slot,
			  bool traced)
{
	const struct sim_insn *insn = core->context.insn;
	const struct sim_memory *memory = &core->program->memories[insn->memories + uop->memory];
	struct sim_store *store =
		traced ? sim_traced_store_at(core, memory->store_index)
		       : sim_store_at(core, memory->store_index, core->context.iteration);
	bool address = uop->kind == SIM_UOP_STORE_ADDRESS;
	uint64_t ready, done;

	if (!address && insn->free_groups)
		find_free_groups(core, traced);
	ready = address ? sources_ready(core, sources_of(core, uop), uop->source_count, traced)
			: stored_ready(core, insn, uop->memory);
	done = sim_ports_dispatch_quick(core, uop, slot, ready) + 1;
	if (address) {
		store->address_ready = done + memory->non_temporal_cycles;
		if (traced)
			sim_bypass_store(core, done);
		if (traced && dynamic_of(core)->facts[uop->memory].prefetches)
			sim_replay_prefetch(core, done, &dynamic_of(core)->facts[uop->memory]);
	} else {
		store->source_ready =
			(ready > core->cycle ? ready : core->cycle) + memory->renamed_cycles;
		store->value_ready = done + memory->non_temporal_cycles;
	}
	return done;
}

ALWAYS_INLINE uint64_t run_uop(struct sim_core *core, const struct sim_uop *uop, uint32_t slot,
			       bool traced)
{
	switch ((enum sim_uop_kind)uop->kind) {
	case SIM_UOP_LOAD:
		return run_load(core, uop, slot, traced);
	case SIM_UOP_COMPUTE:
		return run_compute(core, uop, slot, traced);
	case SIM_UOP_STORE_ADDRESS:
	case SIM_UOP_STORE_DATA:
		break;
	}
	return run_store(core, uop, slot, traced);
}

/* Run a µop that rename inserts: one cycle on an ALU. */
static uint64_t run_inserted(struct sim_core *core, uint32_t slot, uint64_t ready)
{
	const struct sim_uop uop = {.ports = core->program->alu_ports,
				    .port_cycles = 1,
				    .schedulers = core->program->alu_schedulers};
	uint64_t done = sim_ports_dispatch(core, &uop, slot, ready) + 1;

	add_rob_slot(core, done);
	return done;
}

/* ---- instructions --------------------------------------------------------------------------- */

static inline void begin(struct sim_core *core, const struct sim_insn *insn, uint32_t iteration,
			 bool plain)
{
	struct sim_context *context = &core->context;

	context->insn = insn;
	context->iteration = iteration;
	context->next_slot = context->next_uop = 0;
	context->dispatched[0] = 0;
	context->eliminated = false;
	context->waited = 0;
	if (!plain) {
		memset(context->dispatched, 0, sizeof(context->dispatched));
		context->eliminated = insn->flags & SIM_INSN_MOVE && sim_move_try(core, insn);
	}
	for (unsigned m = 0; m < insn->memory_count; m++)
		core->values[SIM_PART_LOADED + m].ready = 0;
}

/* Note whether the instruction leaves an offset to rsp with the stack engine. */
static inline void note_rsp(struct sim_core *core, const struct sim_insn *insn)
{
	if (insn->flags & (SIM_INSN_RSP_IMPLICIT | SIM_INSN_RSP_EXPLICIT | SIM_INSN_RSP_SET) &&
	    core->params->stack_engine)
		core->rsp_shifted = insn->flags & SIM_INSN_RSP_IMPLICIT;
}

ALWAYS_INLINE void write_results(struct sim_core *core, bool traced)
{
	const struct sim_context *context = &core->context;
	const struct sim_insn *insn = context->insn;
	const struct sim_result *results = core->program->results + insn->results;
	unsigned copied = sim_move_copied(core);
	bool moves_loaded;
	uint64_t moved = insn->flags & SIM_INSN_MOVE && !context->eliminated ? 1 : 0;
	struct sim_value made = {.far = far_kind_written(core)};
	uint64_t later = moved + earlier_cycles(core, insn->forwards);

	if (insn->free_groups && !moved)
		find_free_groups(core, traced);
	if (core->events)
		sim_events_write(core);
	moves_loaded = copied != SIM_PART_COUNT && insn->flags & SIM_INSN_WIDE_MOVE &&
		       core->values[copied].from_load;
	for (unsigned r = 0; r < insn->result_count; r++) {
		if (results[r].part >= TAKT_PART_COUNT)
			continue;
		made.ready = result_ready(core, &results[r]) + later;
		made.from_load = results[r].from_load || moves_loaded;
		made.waited = waited_by(core, &results[r]);
		made.dirty = takt_location_is_high8(results[r].part) &&
			     insn->flags & SIM_INSN_HIGH8_WRITE;
		set_value(core, results[r].part, made);
	}
	if (copied != SIM_PART_COUNT && insn->result_count)
		sim_move_share(core, insn->flags & SIM_INSN_VECTOR_MOVE, (uint8_t)copied,
			       results[0].part);
	note_rsp(core, insn);
}

/* The same for a plain instruction, without events. */
ALWAYS_INLINE void write_plain_results(struct sim_core *core, const struct sim_insn *insn,
				       bool traced)
{
	const struct sim_result *result = core->program->results + insn->results;
	const struct sim_result *end = result + insn->result_count;
	uint64_t dispatched;

	note_rsp(core, insn);
	if (insn->free_groups)
		find_free_groups(core, traced);
	dispatched = core->context.dispatched[0];
	for (; result < end; result++)
		if (result->part < TAKT_PART_COUNT)
			set_value(
				core, result->part,
				(struct sim_value){.ready = dispatched + result->latency_cycles[0],
						   .from_load = result->from_load,
						   .waited = waited_by(core, result)});
}

/* Run the issue slot of a move that could not be eliminated. */
static uint64_t run_move(struct sim_core *core, uint32_t slot, bool traced)
{
	const uint32_t ports = core->context.insn->idle_ports;
	const struct sim_uop uop = {.ports = ports,
				    .port_cycles = 1,
				    .schedulers = sim_schedulers_of(core->program, ports)};

	find_free_groups(core, traced);
	core->context.dispatched[0] =
		sim_ports_dispatch(core, &uop, slot, core->context.dispatched[0]);
	if (core->events)
		sim_events_uop(core, &uop, core->context.dispatched[0] + 1);
	return core->context.dispatched[0] + 1;
}

ALWAYS_INLINE void count_memory(struct sim_core *core, struct sim_rob_slot *rob,
				const struct sim_uop *uop, bool traced)
{
	if (uop->kind == SIM_UOP_LOAD) {
		rob->loads++;
		core->loads_in_flight++;
	} else if (uop->kind == SIM_UOP_STORE_ADDRESS) {
		const struct sim_memory *memory =
			&core->program->memories[core->context.insn->memories + uop->memory];
		uint32_t number = core->stores_renamed++, store = number % SIM_ROB_MAX;

		rob->stores++;
		core->stores_in_flight++;
		core->narrow[store] = memory->bytes <= 2;
		core->split[store] = memory->split_store;
		core->same_piece[store] = memory->same_piece;
		core->other_line[store] = memory->other_line;
		if (traced)
			sim_note_traced_store(core, &dynamic_of(core)->facts[uop->memory], store);
		else
			sim_note_store(core, memory, number);
	}
}

/*
 * Delay a serializing instruction: as measured, copies of it follow each other in the cycles that
 * its row gives, and what comes after begins when it has ended.
 */
static void serialize(struct sim_core *core, struct sim_rob_slot *rob)
{
	uint64_t least = core->cycle + core->context.insn->serial_cycles;

	if (rob->done + 1 < least)
		rob->done = least - 1;
	if (core->context.next_slot + 1 == core->context.insn->issue_slots)
		core->serialized = rob->done + 1;
}

/*
 * Rename one issue slot: the next µop and those that share its slot. `plain`: the slot is all of a
 * plain instruction, and there are no events; a constant where this is called.
 */
ALWAYS_INLINE void run_slot(struct sim_core *core, uint32_t slot, bool plain, bool traced)
{
	struct sim_context *context = &core->context;
	const struct sim_insn *insn = context->insn;
	const struct sim_uop *uops = core->program->uops + insn->uops;
	struct sim_rob_slot *rob = &core->rob[core->rob_tail % SIM_ROB_MAX];
	bool last = plain || context->next_slot + 1 == insn->issue_slots;
	uint64_t dispatched_before = core->dispatched_last, most = 0;
	uint64_t front = core->done_last > core->cycle ? core->done_last : core->cycle;
	uint64_t latest = core->cycle + 1;

	*rob = (struct sim_rob_slot){.done = latest};
	core->heavy_slots += !plain && insn->issue_slots > 1;
	core->ports.slot_kinds[slot % SIM_SLOTS_SEEN] = insn->idle_ports;
	if (!plain && insn->flags & SIM_INSN_MOVE && !context->eliminated && !insn->uop_count &&
	    last)
		latest = run_move(core, slot, traced);
	for (unsigned taken = 0; context->next_uop < insn->uop_count; taken++) {
		const struct sim_uop *uop = &uops[context->next_uop];
		uint64_t done;

		if (taken && !uop->joins && !last)
			break;
		done = run_uop(core, uop, slot, traced);
		if (!plain && core->events)
			sim_events_uop(core, uop, done);
		latest = done > latest ? done : latest;
		if (traced && done > front)
			note_late(core, uop, front, done, &most, rob);
		front = done > front ? done : front;
		count_memory(core, rob, uop, traced);
		context->next_uop++;
	}
	rob->done = latest;
	if (!plain && insn->flags & SIM_INSN_SERIALIZING)
		serialize(core, rob);
	if (traced && rob->done > front)
		rob->late = insn->latency_loss;
	if (core->program->in_order)
		core->slots_early =
			core->dispatched_last > dispatched_before ? 1 : core->slots_early + 1;
	context->next_slot++;
	if (last) {
		if (plain)
			write_plain_results(core, insn, traced);
		else
			write_results(core, traced);
		rob->ends_iteration = insn == core->last_insn;
		if (traced)
			end_traced(core, rob);
		core->iterations_renamed += rob->ends_iteration;
	}
	sim_note_done(core, insn, rob->done);
	if (!plain && core->events)
		sim_events_slot(core, rob->done);
	core->rob_tail++;
}

/* ---- the cycle ------------------------------------------------------------------------------- */

/* Return how many slots must fit in the cycle so that the entry, which carries `slots`, is renamed.
 */
static unsigned together(const struct sim_core *core, const struct sim_insn *insn, unsigned slot,
			 unsigned slots)
{
	unsigned width = (unsigned)core->params->issue_width;

	if (slot || !core->params->issue_unsplit)
		return slots;
	return insn->issue_slots < width ? insn->issue_slots : width;
}

/*
 * True if the stack engine's offset must be added to rsp first: the instruction uses rsp otherwise
 * than push and pop do.
 */
static bool needs_rsp_sync(const struct sim_core *core, const struct sim_insn *insn)
{
	return core->rsp_shifted && insn->flags & SIM_INSN_RSP_EXPLICIT;
}

static void sync_rsp(struct sim_core *core, struct cycle *cycle)
{
	struct sim_value *value = &core->values[TAKT_LOC_RSP];

	value->ready = run_inserted(core, cycle->slots++, value->ready);
	value->waited = 0;
	if (core->events)
		sim_events_insert(core, TAKT_LOC_RSP, TAKT_LOC_RSP);
	core->rsp_shifted = false;
}

/* Return a byte renamed apart that a wide read must be merged with; 0: none. */
static uint8_t find_merge(const struct sim_core *core, const struct sim_insn *insn)
{
	const struct sim_source *sources = core->program->sources + insn->sources;

	if (!core->dirty_count || !insn->merges)
		return 0;
	for (unsigned s = 0; s < insn->source_count; s++)
		if (sources[s].merges && core->values[sources[s].part].dirty)
			return sources[s].part;
	return 0;
}

/* Insert a µop that merges a high byte into its register; it issues alone in its cycle. */
static void merge(struct sim_core *core, struct cycle *cycle, uint8_t high)
{
	struct sim_value *low = &core->values[high - TAKT_LOC_HIGH8 + TAKT_LOC_GPR];
	uint64_t ready = core->values[high].ready;

	cycle->closed = true;
	if (cycle->slots)
		return;
	cycle->slots = cycle->width;
	low->ready = run_inserted(core, 0, ready > low->ready ? ready : low->ready);
	low->waited = 0;
	core->values[high].ready = low->ready;
	core->values[high].waited = 0;
	core->dirty_count -= core->values[high].dirty;
	core->values[high].dirty = false;
	if (core->events)
		sim_events_insert(core, (uint8_t)(high - TAKT_LOC_HIGH8 + TAKT_LOC_GPR), high);
}

/* Note why rename stops; always false. */
static bool stop(struct sim_core *core, enum sim_stall why)
{
	core->stop = why;
	return false;
}

/* True if there are free entries for a whole cycle's slots; an empty buffer takes any. */
static bool has_places(const struct sim_core *core, uint32_t taken, int32_t entries)
{
	return !taken || taken + (uint32_t)core->params->issue_width <= (uint32_t)entries;
}

/* Find how much leaves room for certain, so that has_room need not be asked. */
static void find_room(const struct sim_core *core, struct cycle *cycle)
{
	uint32_t width = cycle->width, entries = (uint32_t)core->params->scheduler_entries;

	if (core->params->issue_whole_groups && entries > core->program->scheduler_least)
		entries = core->program->scheduler_least;
	if (core->program->in_order || entries < width ||
	    (uint32_t)core->params->rob_entries < width)
		return;
	cycle->rob_most = (uint32_t)core->params->rob_entries - width;
	cycle->pending_most = entries - width;
	cycle->furthest_most = core->cycle + SIM_RESERVED_CYCLES;
}

static bool has_room(struct sim_core *core)
{
	if (!has_places(core, core->rob_tail - core->rob_head, core->params->rob_entries))
		return stop(core, SIM_STALL_ROB);
	if (core->ports.furthest > core->cycle + SIM_RESERVED_CYCLES)
		return stop(core, SIM_STALL_SCHEDULER);
	if (core->program->in_order)
		return core->dispatched_last <= arrival(core) || stop(core, SIM_STALL_SCHEDULER);
	if (!has_places(core, core->ports.pending_all, core->params->scheduler_entries))
		return stop(core, SIM_STALL_SCHEDULER);
	if (core->params->issue_whole_groups && !sim_schedulers_take_group(core))
		return stop(core, SIM_STALL_SCHEDULER);
	return true;
}

static bool schedulers_have_room(struct sim_core *core, const struct sim_insn *insn)
{
	const struct sim_uop *uops = core->program->uops + insn->uops;

	for (unsigned i = 0; i < insn->uop_count; i++)
		if (!sim_scheduler_has_room(core, &uops[i]))
			return false;
	return true;
}

static inline bool has_room_for_certain(const struct sim_core *core, const struct cycle *cycle)
{
	return core->rob_tail - core->rob_head <= cycle->rob_most &&
	       core->ports.pending_all <= cycle->pending_most &&
	       core->ports.furthest <= cycle->furthest_most;
}

static bool may_begin(struct sim_core *core, const struct sim_insn *insn)
{
	const struct takt_core_params *params = core->params;

	if (core->program->scheduler_count && !params->issue_whole_groups &&
	    core->ports.pending_all >= core->program->scheduler_least &&
	    !schedulers_have_room(core, insn))
		return stop(core, SIM_STALL_SCHEDULER);
	if (insn->flags & SIM_INSN_SERIALIZING && core->rob_head != core->rob_tail)
		return stop(core, SIM_STALL_SERIALIZE);
	if (!insn->memory_count)
		return true;
	if (!sim_load_ports_have_room(core, insn))
		return stop(core, SIM_STALL_SCHEDULER);
	if (core->loads_in_flight + insn->memory_count > (uint32_t)params->load_queue_entries)
		return stop(core, SIM_STALL_LOAD_QUEUE);
	if (core->stores_in_flight + insn->memory_count > (uint32_t)params->store_queue_entries)
		return stop(core, SIM_STALL_STORE_QUEUE);
	return true;
}

/* True if the instruction sends an address to memory, and may not in the only slot that is left. */
static inline bool comes_too_late(const struct sim_core *core, const struct cycle *cycle,
				  const struct sim_insn *insn)
{
	return insn->address_count && !core->params->issue_memory_last && cycle->slots &&
	       cycle->slots + 1 == cycle->width;
}

/*
 * True if the entry ends an iteration with a taken branch: branches within a block count as not
 * taken. Where more than one target a cycle is predicted, different branches are no limit.
 */
ALWAYS_INLINE bool ends_iteration(const struct sim_core *core, const struct sim_queue_entry *entry,
				  bool traced)
{
	if (traced)
		return entry->slot == 0 && core->params->branch_targets <= 2 &&
		       sim_dynamic(core->replay, entry->iteration)->flags & SIM_DYNAMIC_TAKEN;
	return core->loop && entry->slot == 0 && sim_program_leaves(core->program, entry->insn) &&
	       core->program->insns[entry->insn].flags & SIM_INSN_BRANCH;
}

/* Count a taken branch; true if it is one too many for the cycle. */
ALWAYS_INLINE bool takes_branch(const struct sim_core *core, struct cycle *cycle,
				const struct sim_queue_entry *entry, bool traced)
{
	return ends_iteration(core, entry, traced) && core->params->taken_branches &&
	       cycle->branches++ >= core->params->taken_branches;
}

/* The same for one of a plain instruction: true if the entry was renamed. */
ALWAYS_INLINE bool rename_plain(struct sim_core *core, struct cycle *cycle,
				const struct sim_queue_entry *entry, const struct sim_insn *insn,
				bool traced)
{
	if ((insn->memory_count || core->program->scheduler_count) && !may_begin(core, insn))
		return false;
	if (comes_too_late(core, cycle, insn))
		return stop(core, SIM_STALL_RENAME);
	if ((traced || insn->flags & SIM_INSN_BRANCH) && takes_branch(core, cycle, entry, traced))
		return stop(core, SIM_STALL_BRANCH);
	begin(core, insn, entry->iteration, true);
	run_slot(core, cycle->slots++, true, traced);
	return true;
}

/* The same for a move of a register that takes one slot. */
ALWAYS_INLINE bool rename_move(struct sim_core *core, struct cycle *cycle,
			       const struct sim_queue_entry *entry, const struct sim_insn *insn,
			       bool traced)
{
	struct sim_context *context = &core->context;
	struct sim_rob_slot *rob = &core->rob[core->rob_tail % SIM_ROB_MAX];
	uint64_t front = core->done_last > core->cycle ? core->done_last : core->cycle;
	uint64_t done = core->cycle + 1;
	uint32_t slot;

	if (traced && core->program->scheduler_count && !may_begin(core, insn))
		return false;
	if (traced && takes_branch(core, cycle, entry, true))
		return stop(core, SIM_STALL_BRANCH);
	slot = cycle->slots++;
	context->insn = insn;
	context->iteration = entry->iteration;
	context->next_slot = 1;
	context->next_uop = 0;
	context->dispatched[0] = 0;
	context->waited = 0;
	context->eliminated = sim_move_try(core, insn);
	core->ports.slot_kinds[slot % SIM_SLOTS_SEEN] = insn->idle_ports;
	if (!context->eliminated)
		done = run_move(core, slot, traced);
	write_results(core, traced);
	*rob = (struct sim_rob_slot){.done = done > core->cycle + 1 ? done : core->cycle + 1,
				     .ends_iteration = insn == core->last_insn};
	if (traced) {
		rob->late = rob->done > front ? insn->latency_loss : SIM_LOSS_RETIRING;
		end_traced(core, rob);
	}
	core->iterations_renamed += rob->ends_iteration;
	sim_note_done(core, insn, rob->done);
	core->rob_tail++;
	return true;
}

/* True if the entry was renamed. */
ALWAYS_INLINE bool rename_entry(struct sim_core *core, struct cycle *cycle,
				const struct sim_queue_entry *entry, bool traced)
{
	const struct sim_insn *insn = &core->program->insns[entry->insn];
	unsigned slots;

	bool special =
		core->events || (core->dirty_count && insn->merges) || needs_rsp_sync(core, insn);

	if (insn->plain && !special)
		return rename_plain(core, cycle, entry, insn, traced);
	if (insn->copies && !special && !core->program->in_order)
		return rename_move(core, cycle, entry, insn, traced);
	slots = sim_entry_slots(insn, entry->slot);
	if (entry->slot == 0) {
		uint8_t high = find_merge(core, insn);

		if (!may_begin(core, insn))
			return false;
		if (comes_too_late(core, cycle, insn))
			return stop(core, SIM_STALL_RENAME);
		if (high) {
			merge(core, cycle, high);
			return stop(core, SIM_STALL_MERGE);
		}
		if (needs_rsp_sync(core, insn)) {
			if (cycle->slots == cycle->width)
				return stop(core, SIM_STALL_RENAME);
			sync_rsp(core, cycle);
		}
	}
	if (cycle->slots && cycle->slots + together(core, insn, entry->slot, slots) > cycle->width)
		return stop(core, SIM_STALL_RENAME);
	if (takes_branch(core, cycle, entry, traced))
		return stop(core, SIM_STALL_BRANCH);
	if (entry->slot == 0)
		begin(core, insn, entry->iteration, false);
	for (; slots; slots--)
		run_slot(core, cycle->slots++, false, traced);
	return true;
}

ALWAYS_INLINE void rename_entries(struct sim_core *core, struct cycle *cycle, bool traced)
{
	if (core->program->half_ports[0] && !sim_halves_have_room(core, cycle->slots)) {
		core->stop = SIM_STALL_SCHEDULER;
		return;
	}
	find_room(core, cycle);
	while (core->queue.head != core->queue.tail && cycle->slots < cycle->width &&
	       !cycle->closed &&
	       (cycle->has_room || has_room_for_certain(core, cycle) || has_room(core))) {
		const struct sim_queue_entry *entry =
			&core->queue.entries[core->queue.head % SIM_QUEUE_ENTRIES_MAX];

		cycle->has_room = core->params->issue_whole_groups;
		if (!rename_entry(core, cycle, entry, traced))
			return;
		core->queue.head++;
		if (entry->break_after) {
			core->stop = SIM_STALL_LOOP_BUFFER;
			return;
		}
	}
	if (cycle->slots >= cycle->width)
		core->stop = SIM_STALL_RENAME;
}

void sim_rename(struct sim_core *core)
{
	struct cycle cycle = {.width = (uint32_t)core->params->issue_width,
			      .slots = core->slots_owed};

	/* In order: what has waited to be dispatched fills this cycle only. */
	if (core->program->in_order && core->dispatched_last == arrival(core))
		cycle.slots = core->slots_early;
	core->stop = SIM_STALL_NONE;
	core->heavy_slots = 0;
	core->stale_horizon =
		core->replay && core->cycle > SIM_STALE_CYCLES ? core->cycle - SIM_STALE_CYCLES : 0;
	if (core->replay)
		rename_entries(core, &cycle, true);
	else
		rename_entries(core, &cycle, false);
	/* An entry of more slots than the core is wide takes the rest from the next cycle. */
	core->slots_owed = cycle.slots > cycle.width ? cycle.slots - cycle.width : 0;
}
