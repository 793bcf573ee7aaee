/* SPDX-License-Identifier: MIT */
/* Results of counting for programs: CSV and JSON (docs/formats.md, "Counts"). */
#include <math.h>

#include "report/count.h"

/* ---- CSV: a line for each figure ---- */

static void add_quoted(struct takt_text *text, const char *string)
{
	takt_text_add_string(text, "\"");
	for (; *string; string++)
		takt_text_add(text, *string == '"' ? "\"\"" : string, *string == '"' ? 2 : 1);
	takt_text_add_string(text, "\"");
}

static void add_csv_row(const struct takt_count_part *part, const char *group, const char *name,
			const char *unit, uint32_t origins, double value, double share,
			struct takt_text *text)
{
	if (part->region)
		add_quoted(text, part->region);
	if (part->thread == UINT32_MAX)
		takt_text_add_string(text, ",all,");
	else
		takt_text_printf(text, ",%u,", part->thread);
	takt_text_printf(text, "%s,", group);
	add_quoted(text, name);
	takt_text_printf(text, ",%s,", unit);
	if (isfinite(value))
		takt_text_printf(text, "%.17g", value);
	takt_text_printf(text, ",%s,%.4g\n", takt_count_origins(origins), share);
}

static void add_csv_part(const struct takt_count_result *result, const struct takt_count_part *part,
			 struct takt_text *text)
{
	for (uint32_t i = 0; i < result->event_count; i++)
		add_csv_row(part, "", result->events[i].name, result->events[i].unit,
			    result->events[i].origins, part->events[i], part->shares[i], text);
	for (uint32_t i = 0; i < result->metric_count; i++)
		add_csv_row(part, result->metrics[i].group, result->metrics[i].name,
			    result->metrics[i].unit, result->metrics[i].origins, part->metrics[i],
			    1, text);
}

void takt_count_write_csv(const struct takt_count_result *result, struct takt_text *text)
{
	takt_text_add_string(text, "region,thread,group,name,unit,value,origin,share\n");
	for (uint32_t i = 0; i < result->sum_count; i++)
		add_csv_part(result, &result->sums[i], text);
	for (uint32_t i = 0; i < result->part_count; i++)
		add_csv_part(result, &result->parts[i], text);
}

/* ---- JSON ---- */

static void add_origins(struct takt_json *json, uint32_t origins)
{
	takt_json_open_array(json, "origins");
	for (uint32_t bit = TAKT_COUNTED; bit <= TAKT_TIMED; bit <<= 1)
		if (origins & bit)
			takt_json_string(json, NULL, takt_count_origins(bit));
	takt_json_close_array(json);
}

/* Ratios need nine significant digits; takt_json_number() has only three decimals. */
static void add_values(struct takt_json *json, const char *key, const double *values,
		       uint32_t count)
{
	takt_json_open_array(json, key);
	for (uint32_t i = 0; i < count; i++) {
		takt_text_add_string(json->text, i ? ", " : "");
		if (isfinite(values[i]))
			takt_text_printf(json->text,
					 values[i] == floor(values[i]) && fabs(values[i]) < 9e15
						 ? "%.0f"
						 : "%.9g",
					 values[i]);
		else
			takt_text_add_string(json->text, "null");
	}
	takt_json_close_array(json);
}

static void add_part(const struct takt_count_result *result, const struct takt_count_part *part,
		     struct takt_json *json)
{
	takt_json_open_row(json);
	if (part->region) {
		takt_json_string(json, "region", part->region);
		takt_json_integer(json, "entries", (int64_t)part->entries);
	}
	if (part->thread != UINT32_MAX)
		takt_json_integer(json, result->per_cpu ? "cpu" : "thread", part->thread);
	takt_json_number(json, "milliseconds", 1000 * part->seconds);
	add_values(json, "events", part->events, result->event_count);
	add_values(json, "shares", part->shares, result->event_count);
	add_values(json, "metrics", part->metrics, result->metric_count);
	takt_json_close_row(json);
}

static void add_parts(const struct takt_count_result *result, const char *key,
		      const struct takt_count_part *parts, uint32_t count, struct takt_json *json)
{
	takt_json_open_array(json, key);
	for (uint32_t i = 0; i < count; i++)
		add_part(result, &parts[i], json);
	takt_json_close_array(json);
}

static void add_descriptions(const struct takt_count_result *result, struct takt_json *json)
{
	takt_json_open_array(json, "events");
	for (uint32_t i = 0; i < result->event_count; i++) {
		takt_json_open_row(json);
		takt_json_string(json, "name", result->events[i].name);
		takt_json_string(json, "unit", result->events[i].unit);
		takt_json_string(json, "description", result->events[i].description);
		add_origins(json, result->events[i].origins);
		takt_json_close_row(json);
	}
	takt_json_close_array(json);
	takt_json_open_array(json, "metrics");
	for (uint32_t i = 0; i < result->metric_count; i++) {
		takt_json_open_row(json);
		takt_json_string(json, "group", result->metrics[i].group);
		takt_json_string(json, "name", result->metrics[i].name);
		takt_json_string(json, "unit", result->metrics[i].unit);
		takt_json_string(json, "formula", result->metrics[i].formula);
		add_origins(json, result->metrics[i].origins);
		takt_json_close_row(json);
	}
	takt_json_close_array(json);
}

void takt_count_write_json(const struct takt_count_result *result, struct takt_text *text)
{
	struct takt_json json;

	takt_json_init(&json, text);
	takt_json_open_object(&json, NULL);
	takt_json_string(&json, "format", "takt count 1");
	takt_json_string(&json, "version", TAKT_VERSION);
	takt_json_string(&json, "backend", result->backend);
	takt_json_string(&json, "family", result->family);
	if (result->core)
		takt_json_string(&json, "core", result->core);
	takt_json_integer(&json, "exit_status", result->exit_status);
	takt_json_integer(&json, "signal", result->signal);
	takt_json_number(&json, "milliseconds", 1000 * result->seconds);
	takt_json_open_array(&json, "notes");
	for (uint32_t i = 0; i < result->note_count; i++)
		takt_json_string(&json, NULL, result->notes[i]);
	takt_json_close_array(&json);
	add_descriptions(result, &json);
	add_parts(result, "all", result->sums, result->sum_count, &json);
	add_parts(result, "parts", result->parts, result->part_count, &json);
	takt_json_close_object(&json);
}
