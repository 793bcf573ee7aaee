/* SPDX-License-Identifier: MIT */
/* Turns the record of the first iterations, or of a part of a stream, into a trace for others. */
#include "sim/stream/stream.h"

#define CYCLES_MAX (SIM_EVENT_CYCLES - 1) /* most cycles that are recorded */
#define LEFT 1024u			  /* more slots or µops than are renamed in a cycle */

struct tracing {
	struct sim_core *core;
	struct sim_events *events;
	uint32_t start;				   /* the recorder's time that is 0 in the trace */
	uint32_t first_slot, first_uop, uop_count; /* first numbers, and the most µops that there
						    * can be */
	const struct sim_recording *recording;	   /* of a stream, or NULL */
	struct sim_trace *trace;
};

/* Return a time of the trace; 0 for what began before it does. */
static uint32_t since_start(const struct tracing *tracing, uint32_t time)
{
	return time > tracing->start ? time - tracing->start : 0;
}

/* Return the index of a µop, if it is in the trace. */
static uint32_t uop_index(const struct tracing *tracing, uint32_t number)
{
	return number != SIM_EVENT_NONE && number - tracing->first_uop < tracing->uop_count
		       ? number - tracing->first_uop
		       : SIM_TRACE_NONE;
}

/* Run until the iterations are complete or the record is full. */
static void run(struct sim_core *core, uint32_t iterations, uint32_t start)
{
	const struct sim_events *events = core->events;

	while (core->iterations_retired < iterations && core->cycle < start + CYCLES_MAX &&
	       events->slot_count + LEFT < SIM_EVENT_SLOTS &&
	       events->uop_count + LEFT < SIM_EVENT_UOPS)
		sim_core_step(core);
}

/* Return the µop that made the operand which came after this µop had reached the scheduler. */
static uint32_t late_source(const struct tracing *tracing, const struct sim_event_uop *event)
{
	uint32_t arrival = sim_event_slot(tracing->events, event->slot)->renamed +
			   (uint32_t)tracing->core->params->rename_to_dispatch_cycles;

	return event->source.ready > arrival ? uop_index(tracing, event->source.uop)
					     : SIM_TRACE_NONE;
}

static void add_uop(struct tracing *tracing, uint32_t number, struct sim_trace_uop *uop)
{
	const struct sim_event_uop *event = sim_event_uop(tracing->events, number);
	uint8_t part = event->source.part;

	*uop = (struct sim_trace_uop){
		.kind = (enum sim_uop_kind)event->kind,
		.port = event->port,
		.unit = event->unit,
		.location = part < TAKT_PART_COUNT ? takt_part_location(part) : 0,
		.slot = event->slot - tracing->first_slot,
		.ready = since_start(tracing, event->seen),
		.dispatched = since_start(tracing, event->dispatched),
		/* The value of a load may be ready before it runs. */
		.done = since_start(tracing, event->done > event->dispatched
						     ? event->done
						     : event->dispatched + 1),
		.source = late_source(tracing, event),
		.store = uop_index(tracing, event->store),
	};
}

static void add_slot(struct tracing *tracing, uint32_t number, struct sim_trace_slot *slot)
{
	const struct sim_event_slot *event = sim_event_slot(tracing->events, number);
	const struct sim_recording *recording = tracing->recording;

	*slot = (struct sim_trace_slot){
		.insn = recording ? recording->item_insns[event->iteration - recording->first_item]
				  : tracing->core->program->insns[event->insn].insn,
		.iteration = recording ? 0 : event->iteration,
		.first_uop = event->first_uop - tracing->first_uop,
		.uop_count = event->uop_count,
		.source = event->fetch.source,
		.fetched = since_start(tracing, event->fetch.fetched),
		.predecoded = since_start(tracing, event->fetch.predecoded),
		.queued = since_start(tracing, event->queued),
		.renamed = since_start(tracing, event->renamed),
		.done = since_start(tracing, event->done),
		.retired = since_start(tracing, event->retired),
		.inserted = event->inserted,
	};
}

static void fill_cycles(struct tracing *tracing, struct takt_arena *arena)
{
	struct sim_trace *trace = tracing->trace;
	struct sim_trace_cycle *cycles;

	if (trace->slot_count)
		trace->cycle_count = trace->slots[trace->slot_count - 1].retired + 1;
	trace->cycles = cycles = TAKT_NEW_ARRAY(arena, trace->cycle_count, struct sim_trace_cycle);
	for (uint32_t c = 0; c < trace->cycle_count; c++) {
		const struct sim_event_cycle *event =
			&tracing->events->cycles[(tracing->start + c) % SIM_EVENT_CYCLES];

		cycles[c] = (struct sim_trace_cycle){(enum sim_stall)event->stop,
						     (enum sim_stall)event->front_end};
	}
}

static void fill(struct tracing *tracing, uint32_t iterations, struct takt_arena *arena)
{
	const struct sim_events *events = tracing->events;
	struct sim_trace *trace = tracing->trace;
	struct sim_trace_slot *slots =
		TAKT_NEW_ARRAY(arena, events->slot_count, struct sim_trace_slot);
	struct sim_trace_uop *uops = TAKT_NEW_ARRAY(arena, events->uop_count, struct sim_trace_uop);

	trace->iterations = tracing->core->iterations_retired < iterations
				    ? tracing->core->iterations_retired
				    : iterations;
	for (; trace->slot_count < events->slot_count; trace->slot_count++) {
		struct sim_trace_slot *slot = &slots[trace->slot_count];

		add_slot(tracing, trace->slot_count, slot);
		if (slot->iteration >= trace->iterations)
			break;
		trace->uop_count = slot->first_uop + slot->uop_count;
	}
	for (uint32_t u = 0; u < trace->uop_count; u++)
		add_uop(tracing, u, &uops[u]);
	trace->slots = slots;
	trace->uops = uops;
	fill_cycles(tracing, arena);
}

void takt_simulate_trace(const struct sim_block *block, const struct sim_options *options,
			 uint32_t iterations, struct takt_arena *arena, struct sim_trace *ret_trace)
{
	struct sim_loop_source source;
	struct sim_core *core = sim_core_new(sim_program_new(block, options, arena), options,
					     &source.source, arena);
	struct tracing tracing = {.core = core, .trace = ret_trace};

	sim_loop_source_init(&source, core->program, options);
	core->events = tracing.events = sim_events_new(core, arena);
	core->events->fetch_times = sim_fetch_times_new(core->front_end, &core->queue, arena);
	tracing.uop_count = SIM_EVENT_UOPS;
	tracing.start = (uint32_t)core->cycle + 1;
	*ret_trace = (struct sim_trace){.iterations = 0};
	run(core, iterations, tracing.start);
	fill(&tracing, iterations, arena);
}

/* ---- of a stream ---- */

static bool is_recorded(const struct sim_recording *recording, uint32_t number)
{
	const struct sim_event_slot *slot = sim_event_slot(recording->events, number);

	return slot->iteration - recording->first_item < recording->item_count && slot->retired;
}

/* Find the slots [first, end) of the part; the last ones may not have retired. */
static void find_slots(const struct sim_recording *recording, uint32_t *ret_first,
		       uint32_t *ret_end)
{
	uint32_t end = recording->events->slot_count, at = recording->begun_slot - LEFT;

	while (at != end && !is_recorded(recording, at))
		at++;
	*ret_first = at;
	while (at != end && is_recorded(recording, at))
		at++;
	*ret_end = at;
}

void takt_sim_stream_window(struct sim_stream *stream, struct takt_arena *arena,
			    struct sim_trace *ret_trace, const struct sim_window_insn **ret_insns,
			    uint32_t *ret_insn_count)
{
	const struct sim_recording *recording = stream->recording;
	struct tracing tracing = {.core = stream->core, .recording = recording, .trace = ret_trace};
	struct sim_trace_slot *slots;
	struct sim_trace_uop *uops;
	uint32_t end;

	*ret_trace = (struct sim_trace){.iterations = 0};
	*ret_insn_count = 0;
	if (!recording || !recording->begun_cycle)
		return;
	tracing.events = recording->events;
	find_slots(recording, &tracing.first_slot, &end);
	if (tracing.first_slot == end)
		return;
	tracing.first_uop = sim_event_slot(tracing.events, tracing.first_slot)->first_uop;
	tracing.start = sim_event_slot(tracing.events, tracing.first_slot)->queued;
	tracing.uop_count = sim_event_slot(tracing.events, end - 1)->first_uop +
			    sim_event_slot(tracing.events, end - 1)->uop_count - tracing.first_uop;
	slots = TAKT_NEW_ARRAY(arena, end - tracing.first_slot, struct sim_trace_slot);
	uops = TAKT_NEW_ARRAY(arena, tracing.uop_count, struct sim_trace_uop);
	for (uint32_t s = 0; s < end - tracing.first_slot; s++)
		add_slot(&tracing, tracing.first_slot + s, &slots[s]);
	for (uint32_t u = 0; u < tracing.uop_count; u++)
		add_uop(&tracing, tracing.first_uop + u, &uops[u]);
	ret_trace->iterations = 1;
	ret_trace->slots = slots;
	ret_trace->slot_count = end - tracing.first_slot;
	ret_trace->uops = uops;
	ret_trace->uop_count = tracing.uop_count;
	fill_cycles(&tracing, arena);
	*ret_insns = recording->insns;
	*ret_insn_count = recording->insn_count;
}
