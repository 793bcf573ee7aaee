/* SPDX-License-Identifier: MIT */
/* Results of counting for programs, declared: CSV and JSON (docs/formats/results.md, "Counts"). */
#include "report/count.h"
#include "report/record.h"

static const struct takt_count_result *result_of(const struct takt_view *view)
{
	return view->root;
}

const char *takt_count_origin_word(uint32_t bit)
{
	return takt_count_origins(1u << bit);
}

/* ---- CSV: a line for each figure ---- */

struct row {
	const char *region, *group, *name, *unit, *origin;
	uint32_t thread;
	double value, share;
};

static struct takt_value thread_value(const struct takt_view *view, const void *record)
{
	const struct row *row = record;

	(void)view;
	if (row->thread == UINT32_MAX)
		return takt_value_string("all");
	return takt_value_integer(row->thread);
}

#define RECORD struct row
static const struct takt_field row_fields[] = {
	TAKT_FIELD("region", region, NULL, "Empty: the total.", .flags = TAKT_QUOTED),
	TAKT_COMPUTED("thread", TAKT_FIELD_STRING, thread_value, NULL, "Number, or \"all\"."),
	TAKT_FIELD("group", group, NULL, "Group of the metric; empty: an event."),
	TAKT_FIELD("name", name, NULL, "Name of the event or metric.", .flags = TAKT_QUOTED),
	TAKT_FIELD("unit", unit, NULL, "Its unit."),
	TAKT_FIELD("value", value, NULL, "Empty: unknown.", .csv = "%.17g"),
	TAKT_FIELD("origin", origin, NULL, "Where the figure comes from."),
	TAKT_FIELD("share", share, NULL, "Share of the time in which it was counted.",
		   .csv = "%.4g"),
};
#undef RECORD
static const struct takt_record row_record = TAKT_RECORD("row", "A figure.", row_fields);

static void add_csv_part(const struct takt_count_result *result, const struct takt_count_part *part,
			 struct takt_text *text)
{
	struct row row = {.region = part->region, .thread = part->thread, .group = ""};

	for (uint32_t i = 0; i < result->event_count; i++) {
		row.name = result->events[i].name;
		row.unit = result->events[i].unit;
		row.origin = takt_count_origins(result->events[i].origins);
		row.value = part->events[i];
		row.share = part->shares[i];
		takt_record_write_csv(&row_record, &row, 1, sizeof(row), NULL, text);
	}
	row.share = 1;
	for (uint32_t i = 0; i < result->metric_count; i++) {
		row.group = result->metrics[i].group;
		row.name = result->metrics[i].name;
		row.unit = result->metrics[i].unit;
		row.origin = takt_count_origins(result->metrics[i].origins);
		row.value = part->metrics[i];
		takt_record_write_csv(&row_record, &row, 1, sizeof(row), NULL, text);
	}
}

void takt_count_write_csv(const struct takt_count_result *result, struct takt_text *text)
{
	takt_record_write_csv_header(&row_record, text);
	for (uint32_t i = 0; i < result->sum_count; i++)
		add_csv_part(result, &result->sums[i], text);
	for (uint32_t i = 0; i < result->part_count; i++)
		add_csv_part(result, &result->parts[i], text);
}

/* ---- JSON ---- */

#define RECORD struct takt_count_event
static const struct takt_field event_fields[] = {
	TAKT_FIELD("name", name, NULL, "Its name."),
	TAKT_FIELD("unit", unit, NULL, "Unit of its counts."),
	TAKT_FIELD("description", description, NULL, "What it counts."),
	TAKT_COUNT_ORIGINS_FIELD,
};
#undef RECORD
static const struct takt_record event_record =
	TAKT_RECORD("event", "An event that was counted.", event_fields);

#define RECORD struct takt_count_metric
static const struct takt_field metric_fields[] = {
	TAKT_FIELD("group", group, NULL, "Group that it is from."),
	TAKT_FIELD("name", name, NULL, "Its name."),
	TAKT_FIELD("unit", unit, NULL, "Unit of its values."),
	TAKT_FIELD("formula", formula, NULL, "How it is computed from events."),
	TAKT_COUNT_ORIGINS_FIELD,
};
#undef RECORD
static const struct takt_record metric_record =
	TAKT_RECORD("metric", "A figure computed from events.", metric_fields);

static bool is_cpu(const struct takt_view *view, const void *record)
{
	const struct takt_count_part *part = record;

	return part->thread != UINT32_MAX && result_of(view)->per_cpu;
}

static bool is_thread(const struct takt_view *view, const void *record)
{
	const struct takt_count_part *part = record;

	return part->thread != UINT32_MAX && !result_of(view)->per_cpu;
}

static uint32_t event_count(const struct takt_view *view, const void *record)
{
	(void)record;
	return result_of(view)->event_count;
}

static uint32_t metric_count(const struct takt_view *view, const void *record)
{
	(void)record;
	return result_of(view)->metric_count;
}

/* Ratios need nine significant digits; takt_json_number() has only three decimals. */
#define NINE_DIGITS .format = "%.9g", .flags = TAKT_WHOLE

#define RECORD struct takt_count_part
static const struct takt_field part_fields[] = {
	TAKT_FIELD("region", region, NULL, "Its name; missing in the total.",
		   .flags = TAKT_OPTIONAL),
	TAKT_FIELD("entries", entries, NULL, "Number of times the region was entered.",
		   TAKT_IF(region)),
	TAKT_FIELD("cpu", thread, NULL, "Number of the CPU.", .present = is_cpu),
	TAKT_FIELD("thread", thread, NULL, "Number of the thread, in order of creation.",
		   .present = is_thread),
	TAKT_FIELD("milliseconds", seconds, "ms", "Its time; null: no clock was read.",
		   .factor = 1000, .flags = TAKT_NULLABLE),
	TAKT_LIST_OF("events", events, NULL, "Counts, by index of the event; null: not counted.",
		     .count = event_count, NINE_DIGITS),
	TAKT_LIST_OF(
		"shares", shares, NULL,
		"Share of the time in which each event was counted; below 1 its count is scaled "
		"up.",
		.count = event_count, NINE_DIGITS),
	TAKT_LIST_OF("metrics", metrics, NULL, "Values, by index of the metric; null: unknown.",
		     .count = metric_count, NINE_DIGITS),
};
#undef RECORD
static const struct takt_record part_record =
	TAKT_RECORD("part", "Counts of a thread or CPU, or of all.", part_fields);

#define RECORD struct takt_count_result
static const struct takt_field result_fields[] = {
	TAKT_CONSTANT("format", "takt count 1", "Format of the result."),
	TAKT_VERSION_FIELD,
	TAKT_FIELD("backend", backend, NULL, "\"pmu\" or \"emulate\"."),
	TAKT_FIELD("family", family, NULL, "Family of the groups."),
	TAKT_FIELD("core", core, NULL,
		   "The core whose caches are modelled or whose counters are read.",
		   .flags = TAKT_OPTIONAL),
	TAKT_FIELD("core_choice", core_choice, NULL,
		   "By what the core was chosen, if this machine's was asked for.",
		   .flags = TAKT_OPTIONAL),
	TAKT_FIELD("exit_status", exit_status, NULL,
		   "Exit status of the program; -1 if a signal ended it."),
	TAKT_FIELD("signal", signal, NULL, "Signal that ended the program, or 0."),
	TAKT_FIELD("milliseconds", seconds, "ms", "Time that the program ran; null: unknown.",
		   .factor = 1000, .flags = TAKT_NULLABLE),
	TAKT_LIST("notes", notes, note_count, NULL, "What a reader has to know."),
	TAKT_RECORDS("events", events, event_count, &event_record, "The events that were counted.",
		     .flags = TAKT_ROWS),
	TAKT_RECORDS("metrics", metrics, metric_count, &metric_record,
		     "The metrics that were computed.", .flags = TAKT_ROWS),
	TAKT_RECORDS("all", sums, sum_count, &part_record,
		     "Sums over all threads: of the whole run, then of each region.",
		     .flags = TAKT_ROWS),
	TAKT_RECORDS("parts", parts, part_count, &part_record,
		     "Each thread: of the whole run, then of each region.", .flags = TAKT_ROWS),
};
#undef RECORD
static const struct takt_record result_record =
	TAKT_RECORD("count", "Events that a program caused.", result_fields);

const struct takt_schema takt_report_count_schema = {
	.name = "count",
	.title = "takt count --format=json",
	.records = {&result_record, &takt_count_listing_record},
};

void takt_count_write_json(const struct takt_count_result *result, struct takt_text *text)
{
	takt_record_write_json(&result_record, result, text);
}
