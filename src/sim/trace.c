/* SPDX-License-Identifier: MIT */
/* What was recorded of the first iterations, as others read it. */
#include "sim/events.h"

#define CYCLES_MAX (SIM_EVENT_CYCLES - 1) /* that are recorded */
#define LEFT 1024u			  /* more than what is renamed in a cycle */

struct tracing {
	struct sim_core *core;
	struct sim_events *events;
	uint32_t start; /* the core's cycle that is 0 in the trace */
	struct sim_trace *trace;
};

/* Until all is known of the iterations, or the record is full. */
static void run(struct sim_core *core, uint32_t iterations, uint32_t start)
{
	const struct sim_events *events = core->events;

	while (core->iterations_retired < iterations && core->cycle < start + CYCLES_MAX &&
	       events->slot_count + LEFT < SIM_EVENT_SLOTS &&
	       events->uop_count + LEFT < SIM_EVENT_UOPS)
		sim_core_step(core);
}

/* Which µop made the operand that it waited for after it had reached the scheduler. */
static uint32_t late_source(const struct tracing *tracing, const struct sim_event_uop *event)
{
	uint32_t arrival = sim_event_slot(tracing->events, event->slot)->renamed +
			   (uint32_t)tracing->core->params->rename_to_dispatch_cycles;

	return event->source.ready > arrival ? event->source.uop : SIM_TRACE_NONE;
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
		.slot = event->slot,
		.ready = event->seen - tracing->start,
		.dispatched = event->dispatched - tracing->start,
		/* The value of a load may be there before it runs. */
		.done = (event->done > event->dispatched ? event->done : event->dispatched + 1) -
			tracing->start,
		.source = late_source(tracing, event),
		.store = event->store,
	};
}

static void add_slot(struct tracing *tracing, uint32_t number, struct sim_trace_slot *slot)
{
	const struct sim_event_slot *event = sim_event_slot(tracing->events, number);
	uint32_t start = tracing->start;

	*slot = (struct sim_trace_slot){
		.insn = tracing->core->program->insns[event->insn].insn,
		.iteration = event->iteration,
		.first_uop = event->first_uop,
		.uop_count = event->uop_count,
		.queued = event->queued - start,
		.renamed = event->renamed - start,
		.done = event->done - start,
		.retired = event->retired - start,
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

		cycles[c] = (struct sim_trace_cycle){(enum sim_wait)event->stop,
						     (enum sim_wait)event->front_end};
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
	struct sim_core *core = sim_core_new(block, options, &source.source, arena);
	struct tracing tracing = {.core = core, .trace = ret_trace};

	sim_loop_source_init(&source, core->program, options);
	core->events = tracing.events = sim_events_new(core, arena);
	tracing.start = (uint32_t)core->cycle + 1;
	*ret_trace = (struct sim_trace){.iterations = 0};
	run(core, iterations, tracing.start);
	fill(&tracing, iterations, arena);
}
