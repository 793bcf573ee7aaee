/* SPDX-License-Identifier: MIT */
/*
 * A timeline as trace events, for the viewers ui.perfetto.dev and chrome://tracing. Ports are
 * threads whose slices are µops; issue slots are asynchronous events, since they overlap; arrows
 * lead from the µop that produces a value to the one that waited for it.
 */
#include "report/report.h"

enum process { PORTS = 1, PIPELINE, SLOTS };

enum { STOP_THREAD, FRONT_END_THREAD };

struct writer {
	const struct takt_timeline *timeline;
	struct takt_json json;
};

static void open_event(struct writer *writer, const char *phase, const char *name,
		       enum process process, uint32_t thread, uint32_t cycle)
{
	struct takt_json *json = &writer->json;

	takt_json_open_object(json, NULL);
	takt_json_compact(json, true);
	takt_json_string(json, "ph", phase);
	takt_json_string(json, "name", name);
	takt_json_integer(json, "pid", process);
	takt_json_integer(json, "tid", thread);
	takt_json_integer(json, "ts", cycle);
}

static void close_event(struct writer *writer)
{
	takt_json_close_object(&writer->json);
	takt_json_compact(&writer->json, false);
}

/* Set the place of a process or thread; viewers sort by name otherwise. */
static void write_order(struct writer *writer, const char *what, enum process process,
			uint32_t thread, uint32_t index)
{
	open_event(writer, "M", what, process, thread, 0);
	takt_json_open_object(&writer->json, "args");
	takt_json_integer(&writer->json, "sort_index", index);
	takt_json_close_object(&writer->json);
	close_event(writer);
}

static void write_name(struct writer *writer, const char *what, enum process process,
		       uint32_t thread, const char *name)
{
	open_event(writer, "M", what, process, thread, 0);
	takt_json_open_object(&writer->json, "args");
	takt_json_string(&writer->json, "name", name);
	takt_json_close_object(&writer->json);
	close_event(writer);
}

static void write_process_name(struct writer *writer, enum process process, const char *name)
{
	write_name(writer, "process_name", process, 0, name);
	write_order(writer, "process_sort_index", process, 0, process);
}

static void write_thread_name(struct writer *writer, enum process process, uint32_t thread,
			      const char *name)
{
	write_name(writer, "thread_name", process, thread, name);
	write_order(writer, "thread_sort_index", process, thread, thread);
}

static const char *insn_text(const struct writer *writer, const struct takt_timeline_slot *slot)
{
	return slot->inserted ? "merge" : writer->timeline->analysis->insns[slot->insn].text;
}

static void write_place(struct writer *writer, const struct takt_timeline_slot *slot)
{
	takt_json_integer(&writer->json, "iteration", slot->iteration);
	takt_json_integer(&writer->json, "instruction", slot->insn);
}

/* ---- ports ------------------------------------------------------------------------------ */

static void write_uop(struct writer *writer, const struct takt_timeline_uop *uop)
{
	const struct takt_timeline_slot *slot = &writer->timeline->slots[uop->slot];

	open_event(writer, "X", insn_text(writer, slot), PORTS, uop->port, uop->dispatched);
	takt_json_integer(&writer->json, "dur", 1);
	takt_json_open_object(&writer->json, "args");
	write_place(writer, slot);
	takt_json_string(&writer->json, "kind", uop->kind);
	takt_json_integer(&writer->json, "ready", uop->ready);
	takt_json_integer(&writer->json, "done", uop->done);
	if (*uop->location)
		takt_json_string(&writer->json, "waited for", uop->location);
	takt_json_close_object(&writer->json);
	close_event(writer);
}

static void write_arrow_end(struct writer *writer, const char *phase, uint32_t id,
			    const char *location, const struct takt_timeline_uop *uop)
{
	open_event(writer, phase, location, PORTS, uop->port, uop->dispatched);
	takt_json_string(&writer->json, "cat", "value");
	takt_json_integer(&writer->json, "id", id);
	if (*phase == 'f')
		takt_json_string(&writer->json, "bp", "e");
	close_event(writer);
}

static void write_arrow(struct writer *writer, uint32_t u, uint32_t from, const char *location)
{
	const struct takt_timeline *timeline = writer->timeline;

	if (from >= timeline->uop_count || timeline->uops[from].port == TAKT_NO_PORT ||
	    timeline->uops[u].port == TAKT_NO_PORT)
		return;
	write_arrow_end(writer, "s", u, location, &timeline->uops[from]);
	write_arrow_end(writer, "f", u, location, &timeline->uops[u]);
}

static void write_ports(struct writer *writer)
{
	const struct takt_timeline *timeline = writer->timeline;
	const struct takt_analysis *analysis = timeline->analysis;

	write_process_name(writer, PORTS, "ports");
	for (uint32_t port = 0; port < analysis->port_count; port++)
		if (!analysis->port_pseudo[port])
			write_thread_name(writer, PORTS, port, analysis->port_names[port]);
	for (uint32_t u = 0; u < timeline->uop_count; u++)
		if (timeline->uops[u].port < analysis->port_count)
			write_uop(writer, &timeline->uops[u]);
	for (uint32_t u = 0; u < timeline->uop_count; u++) {
		const struct takt_timeline_uop *uop = &timeline->uops[u];

		if (uop->store != TAKT_NO_INDEX)
			write_arrow(writer, u, uop->store, "memory");
		else
			write_arrow(writer, u, uop->source, uop->location);
	}
}

/* ---- the pipeline by cycle ---------------------------------------------------------------- */

static const char *reason(const struct takt_timeline_cycle *cycle, uint32_t thread)
{
	return thread == STOP_THREAD ? cycle->stop : cycle->front_end;
}

/* Write consecutive cycles with one reason as one slice. Equal reasons are the same pointer. */
static void write_reasons(struct writer *writer, uint32_t thread)
{
	const struct takt_timeline *timeline = writer->timeline;

	for (uint32_t c = 0, end; c < timeline->cycle_count; c = end) {
		const char *why = reason(&timeline->cycles[c], thread);

		for (end = c + 1; end < timeline->cycle_count; end++)
			if (reason(&timeline->cycles[end], thread) != why)
				break;
		open_event(writer, "X", why, PIPELINE, thread, c);
		takt_json_integer(&writer->json, "dur", end - c);
		close_event(writer);
	}
}

static void write_pipeline(struct writer *writer)
{
	write_process_name(writer, PIPELINE, "limits");
	write_thread_name(writer, PIPELINE, STOP_THREAD, "rename stops at");
	write_thread_name(writer, PIPELINE, FRONT_END_THREAD, "front end");
	write_reasons(writer, STOP_THREAD);
	write_reasons(writer, FRONT_END_THREAD);
}

/* ---- issue slots -------------------------------------------------------------------------- */

static void write_edge(struct writer *writer, const char *phase, uint32_t s, const char *name,
		       uint32_t cycle)
{
	open_event(writer, phase, name, SLOTS, 0, cycle);
	takt_json_string(&writer->json, "cat", "slot");
	takt_json_integer(&writer->json, "id", s);
	if (*phase == 'b') {
		takt_json_open_object(&writer->json, "args");
		write_place(writer, &writer->timeline->slots[s]);
		takt_json_close_object(&writer->json);
	}
	close_event(writer);
}

static void write_stage(struct writer *writer, uint32_t s, const char *name, uint32_t begin,
			uint32_t end)
{
	if (end <= begin)
		return;
	write_edge(writer, "b", s, name, begin);
	write_edge(writer, "e", s, name, end);
}

static void write_slots(struct writer *writer)
{
	const struct takt_timeline *timeline = writer->timeline;

	write_process_name(writer, SLOTS, "issue slots");
	for (uint32_t s = 0; s < timeline->slot_count; s++) {
		const struct takt_timeline_slot *slot = &timeline->slots[s];
		const char *name = insn_text(writer, slot);

		const struct takt_timeline_fetch *fetch = &timeline->fetches[s];

		write_edge(writer, "b", s, name, fetch->fetched);
		write_stage(writer, s, "fetch and predecode", fetch->fetched, fetch->predecoded);
		write_stage(writer, s, "decode", fetch->predecoded, slot->queued);
		write_stage(writer, s, "queue", slot->queued, slot->renamed);
		write_stage(writer, s, "scheduler and execution", slot->renamed, slot->done);
		write_stage(writer, s, "done", slot->done, slot->retired + 1);
		write_edge(writer, "e", s, name, slot->retired + 1);
	}
}

void takt_write_timeline_perfetto(const struct takt_timeline *timeline, struct takt_text *text)
{
	struct writer writer = {.timeline = timeline};
	struct takt_json *json = &writer.json;

	takt_json_init(json, text);
	takt_json_open_object(json, NULL);
	takt_json_string(json, "displayTimeUnit", "ns");
	takt_json_open_object(json, "otherData");
	takt_json_string(json, "core", timeline->analysis->arch);
	if (timeline->analysis->arch_choice)
		takt_json_string(json, "core_choice", timeline->analysis->arch_choice);
	if (timeline->analysis->arch_doubt)
		takt_json_string(json, "core_doubt", timeline->analysis->arch_doubt);
	takt_json_string(json, "region", timeline->analysis->region_name);
	takt_json_string(json, "unit", "1 us is a cycle");
	takt_json_close_object(json);
	takt_json_open_array(json, "traceEvents");
	write_ports(&writer);
	write_pipeline(&writer);
	write_slots(&writer);
	takt_json_close_array(json);
	takt_json_close_object(json);
}
