/* SPDX-License-Identifier: MIT */
/* Writes which known core's timings are nearest to this machine's. */
#include <math.h>

#include "base/columns.h"
#include "identify/identify.h"
#include "report/report.h"

#define TEXT_CORES_MAX 6u /* cores in the text */
#define OFF_SHARE 0.1	  /* timings that are farther off are listed */

static struct takt_value distance_percent(const struct takt_view *view, const void *record)
{
	(void)view;
	return takt_value_number(100 * ((const struct takt_identify_core *)record)->distance);
}

/* Join the core's title and the reason why it is ruled out, if it is. */
static struct takt_value explanation(const struct takt_view *view, const void *record)
{
	const struct takt_identify_core *core = record;

	takt_text_add_string(view->scratch, core->title);
	if (*core->contradiction)
		takt_text_printf(view->scratch, "; ruled out: %s", core->contradiction);
	return takt_value_string(view->scratch->data);
}

#define RECORD struct takt_identify_core
static const struct takt_field core_fields[] = {
	TAKT_FIELD("core", name, NULL, "Name of the core."),
	TAKT_FIELD("title", title, NULL, "Name of the core's processors."),
	TAKT_FIELD("distance", distance, NULL,
		   "Mean logarithm of the ratio of its times and the machine's; null: no times.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("contradiction", contradiction, NULL,
		   "Feature that rules the core out; empty: none."),
	TAKT_TEXT_FIELD("percent", TAKT_FIELD_DOUBLE, distance_percent),
	TAKT_TEXT_FIELD("explanation", TAKT_FIELD_STRING, explanation),
};
#undef RECORD
static const struct takt_record core_record =
	TAKT_RECORD("core", "A core that takt knows.", core_fields);

#define RECORD struct takt_identify_probe
static const struct takt_field probe_fields[] = {
	TAKT_FIELD("name", name, NULL, "Name of the timing.", .flags = TAKT_NO_CSV),
	TAKT_FIELD("timing", name, NULL, "Name of the timing.", .flags = TAKT_NO_JSON),
	TAKT_FIELD("code", text, NULL, "The code.", .flags = TAKT_QUOTED),
	TAKT_FIELD("measured_cycles", measured_cycles, "cycles",
		   "Time of an execution on the machine; null: it could not be measured.",
		   .csv = "%.3f", .flags = TAKT_NULLABLE),
	TAKT_FIELD("nearest_cycles", nearest_cycles, "cycles",
		   "Simulated time on the nearest core; null: unknown.", .csv = "%.3f",
		   .flags = TAKT_NULLABLE),
};
#undef RECORD
static const struct takt_record probe_record =
	TAKT_RECORD("timing", "A timing of the machine.", probe_fields);

#define RECORD struct takt_identification
static const struct takt_field identification_fields[] = {
	TAKT_CONSTANT("schema", "takt-identification-1", "Format of the result."),
	TAKT_FIELD("processor", processor, NULL, "How the processor identifies itself."),
	TAKT_FIELD("seconds", seconds, "s", "Time that the measurements took; 0: simulated."),
	TAKT_FIELD("obstacle", obstacle, NULL, "Reason why there are no timings.",
		   .flags = TAKT_ZERO_NULL | TAKT_OPTIONAL),
	TAKT_RECORDS("cores", cores, core_count, &core_record,
		     "The cores by distance, after them those that are ruled out."),
	TAKT_RECORDS("timings", probes, probe_count, &probe_record, "The timings."),
};
#undef RECORD
static const struct takt_record identification_record = TAKT_RECORD(
	"identification", "Known cores, by the distance of their timings.", identification_fields);

const struct takt_schema takt_report_identify_schema = {
	.name = "identify",
	.title = "takt model identify --format=json",
	.records = {&identification_record},
};

static bool is_off(const struct takt_identify_probe *probe)
{
	return probe->measured_cycles > 0 &&
	       !(fabs(probe->measured_cycles / probe->nearest_cycles - 1) <= OFF_SHARE);
}

/* Write which cores the features allow, where timings could not be taken. */
static void write_features(const struct takt_identification *result, struct takt_text *text)
{
	takt_text_printf(text, "%s\nno timings: %s\n\ncore      by features\n", result->processor,
			 result->obstacle);
	for (uint32_t i = 0; i < result->core_count; i++) {
		const struct takt_identify_core *core = &result->cores[i];

		takt_text_printf(text, "%-8s  %s, %s%s%s\n", core->name,
				 *core->contradiction ? "ruled out"
				 : i		      ? "possible"
						      : "taken",
				 core->title, *core->contradiction ? ": " : "",
				 core->contradiction);
	}
}

/* Write the timings that differ from those of the nearest core; nothing if none does. */
static void write_off(const struct takt_identification *result, const char *nearest,
		      struct takt_text *text)
{
	const struct takt_column columns[] = {
		{"measured", "measured_cycles", 8, .gap = 0, .format = "%.2f"},
		{nearest, "nearest_cycles", 8, .gap = 2, .format = "%.2f"},
		{"timing", "name", -20, .gap = 2},
		{"code", "code", 0, .gap = 2},
	};
	uint32_t written = 0;

	for (uint32_t i = 0; i < result->probe_count; i++) {
		if (!is_off(&result->probes[i]))
			continue;
		if (!written++) {
			takt_text_printf(text,
					 "\nTimings that differ from those of %s by more than "
					 "%.0f %%, in cycles\n\n",
					 nearest, 100 * OFF_SHARE);
			takt_columns_write_head(columns, TAKT_COUNT_OF(columns), text);
		}
		takt_columns_write_row(columns, TAKT_COUNT_OF(columns), &probe_record,
				       &result->probes[i], text);
	}
}

static void write_text(const struct takt_identification *result, struct takt_text *text)
{
	static const struct takt_column columns[] = {
		{"core", "core", -8, .gap = 0},
		{"distance", "percent", 8, .gap = 2, .format = "%.1f %%"},
		{"", "explanation", 0, .gap = 2},
	};
	const char *nearest = result->core_count ? result->cores[0].name : "";
	uint32_t shown = result->core_count < TEXT_CORES_MAX ? result->core_count : TEXT_CORES_MAX;

	if (*result->obstacle) {
		write_features(result, text);
		return;
	}
	takt_text_printf(text, "%s\n%u of %u timings", result->processor, result->measured_count,
			 result->probe_count);
	if (result->seconds > 0)
		takt_text_printf(text, ", measured in %.1f s", result->seconds);
	takt_text_add_string(text, "\n\n");
	takt_columns_write(columns, TAKT_COUNT_OF(columns),
			   TAKT_TABLE_ROWS(&core_record, result->cores, shown), text);
	write_off(result, nearest, text);
}

static void write_csv(const struct takt_identification *result, struct takt_text *text)
{
	takt_record_write_csv_header(&probe_record, text);
	takt_record_write_csv(&probe_record, result->probes, result->probe_count,
			      sizeof(result->probes[0]), NULL, text);
}

void takt_write_identification(const struct takt_identification *result, enum takt_format format,
			       struct takt_text *text)
{
	if (format == TAKT_FORMAT_JSON)
		takt_record_write_json(&identification_record, result, text);
	else if (format == TAKT_FORMAT_CSV)
		write_csv(result, text);
	else
		write_text(result, text);
}
