/* SPDX-License-Identifier: MIT */
/* Lists of groups and events that can be counted, as JSON; events/list.c writes them as text. */
#include "report/count.h"
#include "report/record.h"

#define RECORD struct takt_count_listed_event
static const struct takt_field event_fields[] = {
	TAKT_FIELD("alias", alias, NULL, "Its name in the formulas of the group.",
		   .flags = TAKT_OPTIONAL),
	TAKT_FIELD("name", name, NULL, "Its name."),
	TAKT_FIELD("unit", unit, NULL, "Unit of its counts."),
	TAKT_FIELD("description", description, NULL, "What it counts."),
	TAKT_FIELD("encoding", encoding, NULL, "How Linux names it; missing under emulation.",
		   .flags = TAKT_OPTIONAL),
	TAKT_COUNT_ORIGINS_FIELD,
};
#undef RECORD
static const struct takt_record event_record =
	TAKT_RECORD("listed_event", "An event that can be counted.", event_fields);

#define RECORD struct takt_count_metric
static const struct takt_field metric_fields[] = {
	TAKT_FIELD("name", name, NULL, "Its name."),
	TAKT_FIELD("unit", unit, NULL, "Unit of its values."),
	TAKT_FIELD("formula", formula, NULL, "How it is computed from events."),
};
#undef RECORD
static const struct takt_record metric_record =
	TAKT_RECORD("listed_metric", "A figure that a group computes.", metric_fields);

#define RECORD struct takt_count_listed_group
static const struct takt_field group_fields[] = {
	TAKT_FIELD("name", name, NULL, "Its name."),
	TAKT_FIELD("title", title, NULL, "What it is about; missing in the list of all families.",
		   .flags = TAKT_OPTIONAL),
	TAKT_FIELD("description", description, NULL, "What is to be known about its figures.",
		   .flags = TAKT_OPTIONAL),
	TAKT_RECORDS("events", events, event_count, &event_record, "The events that it counts.",
		     .flags = TAKT_ROWS, TAKT_IF(description)),
	TAKT_RECORDS("metrics", metrics, metric_count, &metric_record,
		     "The metrics that it computes.", .flags = TAKT_ROWS, TAKT_IF(description)),
};
#undef RECORD
static const struct takt_record group_record =
	TAKT_RECORD("listed_group", "A group of metrics.", group_fields);

#define RECORD struct takt_count_listed_family
static const struct takt_field family_fields[] = {
	TAKT_FIELD("name", name, NULL, "Its name."),
	TAKT_FIELD("title", title, NULL, "The processors that it is of."),
	TAKT_LIST("cores", cores, core_count, NULL, "Cores that count as it does.",
		  .flags = TAKT_ONE_LINE),
	TAKT_RECORDS("groups", groups, group_count, &group_record, "Its groups."),
	TAKT_RECORDS("events", events, event_count, &event_record, "Its events.",
		     .flags = TAKT_ROWS, TAKT_IF(events)),
};
#undef RECORD
static const struct takt_record family_record =
	TAKT_RECORD("listed_family", "Processors with the same events.", family_fields);

#define RECORD struct takt_count_listing
static const struct takt_field listing_fields[] = {
	TAKT_CONSTANT("format", "takt count list 1", "Format of the list."),
	TAKT_VERSION_FIELD,
	TAKT_RECORDS("families", families, family_count, &family_record,
		     "All families, or the one that was asked for."),
};
#undef RECORD
const struct takt_record takt_count_listing_record =
	TAKT_RECORD("listing", "Groups and events that can be counted.", listing_fields);

void takt_write_count_listing_json(const struct takt_count_listing *listing, struct takt_text *text)
{
	takt_record_write_json(&takt_count_listing_record, listing, text);
}
