/* SPDX-License-Identifier: MIT */
/* The record of a timeline, declared: its JSON. */
#include "report/record.h"

static const struct takt_timeline *timeline_of(const struct takt_view *view)
{
	return view->root;
}

/* The name of a port or unit; null if there is none. */
static struct takt_value port_value(const struct takt_view *view, uint8_t port)
{
	return takt_value_string(
		port == TAKT_NO_PORT ? NULL : timeline_of(view)->analysis->port_names[port]);
}

static struct takt_value port_name(const struct takt_view *view, const void *record)
{
	return port_value(view, ((const struct takt_timeline_uop *)record)->port);
}

static struct takt_value unit_name(const struct takt_view *view, const void *record)
{
	return port_value(view, ((const struct takt_timeline_uop *)record)->unit);
}

static struct takt_value index_value(uint32_t index)
{
	return index == TAKT_NO_INDEX ? takt_value_string(NULL) : takt_value_integer(index);
}

static struct takt_value source_index(const struct takt_view *view, const void *record)
{
	(void)view;
	return index_value(((const struct takt_timeline_uop *)record)->source);
}

static struct takt_value store_index(const struct takt_view *view, const void *record)
{
	(void)view;
	return index_value(((const struct takt_timeline_uop *)record)->store);
}

#define RECORD struct takt_timeline_uop
static const struct takt_field uop_fields[] = {
	TAKT_FIELD("slot", slot, NULL, "Index of its issue slot."),
	TAKT_FIELD("kind", kind, NULL,
		   "\"compute\", \"load\", \"store address\", \"store data\" or \"merge\"."),
	TAKT_COMPUTED("port", TAKT_FIELD_STRING, port_name, NULL, "Its port; null: none.",
		      .flags = TAKT_NULLABLE),
	TAKT_COMPUTED("unit", TAKT_FIELD_STRING, unit_name, NULL,
		      "The unit that it occupies, such as a divider; null: none.",
		      .flags = TAKT_NULLABLE),
	TAKT_FIELD("ready", ready, NULL,
		   "Cycle in which its operands are ready and it is in the scheduler."),
	TAKT_FIELD("dispatched", dispatched, NULL, "Cycle in which it goes to its port."),
	TAKT_FIELD("done", done, NULL, "Cycle in which its result is there."),
	TAKT_COMPUTED("source", TAKT_FIELD_UINT32, source_index, NULL,
		      "Index of the µop whose value it waited for; null: none.",
		      .flags = TAKT_NULLABLE),
	TAKT_FIELD("location", location, NULL,
		   "Location of that value: a register, flag or \"memory\"; may be empty."),
	TAKT_COMPUTED("store", TAKT_FIELD_UINT32, store_index, NULL,
		      "Of a load: index of the store's µop whose value it waits for; null: none.",
		      .flags = TAKT_NULLABLE),
};
#undef RECORD
static const struct takt_record uop_record = TAKT_RECORD("uop", "A µop on its way.", uop_fields);

static const struct takt_timeline_fetch *fetch_of(const struct takt_view *view, const void *record)
{
	const struct takt_timeline *timeline = timeline_of(view);

	return &timeline->fetches[(const struct takt_timeline_slot *)record - timeline->slots];
}

static struct takt_value fetch_source(const struct takt_view *view, const void *record)
{
	return takt_value_string(fetch_of(view, record)->source);
}

static struct takt_value fetched(const struct takt_view *view, const void *record)
{
	return takt_value_integer(fetch_of(view, record)->fetched);
}

static struct takt_value predecoded(const struct takt_view *view, const void *record)
{
	return takt_value_integer(fetch_of(view, record)->predecoded);
}

#define RECORD struct takt_timeline_slot
static const struct takt_field slot_fields[] = {
	TAKT_FIELD("instruction", insn, NULL, "Index of its instruction."),
	TAKT_FIELD("iteration", iteration, NULL, "Its iteration, from 0."),
	TAKT_FIELD("first_uop", first_uop, NULL, "Index of its first µop."),
	TAKT_FIELD("uop_count", uop_count, NULL, "Number of its µops."),
	TAKT_COMPUTED("delivered_by", TAKT_FIELD_STRING, fetch_source, NULL,
		      "Its way into the queue: \"decoders\", \"op cache\", \"loop buffer\" or "
		      "\"microcode\"."),
	TAKT_COMPUTED("fetched", TAKT_FIELD_UINT32, fetched, NULL,
		      "Cycle in which the predecoder takes the instruction's first byte; as queued "
		      "unless it is decoded."),
	TAKT_COMPUTED("predecoded", TAKT_FIELD_UINT32, predecoded, NULL,
		      "Cycle in which the instruction is predecoded and waits for the decoders; as "
		      "queued unless it is decoded."),
	TAKT_FIELD("queued", queued, NULL,
		   "Cycle in which it is decoded, or read from where it was kept, and queued."),
	TAKT_FIELD("renamed", renamed, NULL, "Cycle in which it is renamed and issued."),
	TAKT_FIELD("done", done, NULL, "Cycle in which all its µops are done."),
	TAKT_FIELD("retired", retired, NULL, "Cycle in which it retires."),
	TAKT_FIELD("inserted", inserted, NULL,
		   "True if rename inserted it before the instruction."),
};
#undef RECORD
static const struct takt_record slot_record =
	TAKT_RECORD("slot", "An issue slot on its way.", slot_fields);

#define RECORD struct takt_timeline_cycle
static const struct takt_field cycle_fields[] = {
	TAKT_FIELD("stop", stop, NULL, "Why rename accepted no more µops."),
	TAKT_FIELD("front_end", front_end, NULL, "Why the front end delivered no more µops."),
};
#undef RECORD
static const struct takt_record cycle_record = TAKT_RECORD("cycle", "A cycle.", cycle_fields);

static struct takt_value region_name(const struct takt_view *view, const void *record)
{
	(void)view;
	return takt_value_string(((const struct takt_timeline *)record)->analysis->region_name);
}

#define RECORD struct takt_timeline
static const struct takt_field timeline_fields[] = {
	TAKT_COMPUTED("region", TAKT_FIELD_STRING, region_name, NULL, "Name of the region."),
	TAKT_FIELD("iterations", iterations, NULL,
		   "Complete iterations; fewer than asked for if they are too long."),
	TAKT_FIELD("is_part", is_part, NULL,
		   "True if the instructions are part of a program's run."),
	TAKT_RECORDS("slots", slots, slot_count, &slot_record, "Issue slots, in program order.",
		     .flags = TAKT_ROWS),
	TAKT_RECORDS("uops", uops, uop_count, &uop_record, "µops, in program order.",
		     .flags = TAKT_ROWS),
	TAKT_RECORDS("cycles", cycles, cycle_count, &cycle_record, "Cycles, from 0 on.",
		     .flags = TAKT_ROWS),
};
#undef RECORD
const struct takt_record takt_timeline_record =
	TAKT_RECORD("timeline", "The simulated pipeline, cycle by cycle, in the first iterations.",
		    timeline_fields);

void takt_write_timeline_json(const struct takt_timeline *timeline, struct takt_text *text)
{
	takt_record_write_json(&takt_timeline_record, timeline, text);
}

const struct takt_schema takt_report_timeline_schema = {
	.name = "timeline",
	.title = "takt analyze --timeline-format=json",
	.records = {&takt_timeline_record},
};
