/* SPDX-License-Identifier: MIT */
/* Writes which known core's timings are nearest to this machine's. */
#include <math.h>

#include "identify/identify.h"
#include "report/report.h"

#define TEXT_CORES_MAX 6u /* cores in the text */
#define OFF_SHARE 0.1	  /* timings that are farther off are listed */

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

static void write_text(const struct takt_identification *result, struct takt_text *text)
{
	const char *nearest = result->core_count ? result->cores[0].name : "";
	uint32_t off = 0;

	if (*result->obstacle) {
		write_features(result, text);
		return;
	}
	takt_text_printf(text, "%s\n%u of %u timings", result->processor, result->measured_count,
			 result->probe_count);
	if (result->seconds > 0)
		takt_text_printf(text, ", measured in %.1f s", result->seconds);
	takt_text_add_string(text, "\n\n");
	takt_text_add_string(text, "core      distance\n");
	for (uint32_t i = 0; i < result->core_count && i < TEXT_CORES_MAX; i++) {
		const struct takt_identify_core *core = &result->cores[i];

		takt_text_printf(text, "%-8s  %6.1f %%  %s", core->name, 100 * core->distance,
				 core->title);
		if (*core->contradiction)
			takt_text_printf(text, "; ruled out: %s", core->contradiction);
		takt_text_add_string(text, "\n");
	}
	for (uint32_t i = 0; i < result->probe_count; i++)
		off += is_off(&result->probes[i]);
	if (!off)
		return;
	takt_text_printf(
		text,
		"\nTimings that differ from those of %s by more than %.0f %%, in cycles\n\n"
		"measured  %8s\n",
		nearest, 100 * OFF_SHARE, nearest);
	for (uint32_t i = 0; i < result->probe_count; i++)
		if (is_off(&result->probes[i]))
			takt_text_printf(text, "%8.2f  %8.2f  %s: %s\n",
					 result->probes[i].measured_cycles,
					 result->probes[i].nearest_cycles, result->probes[i].name,
					 result->probes[i].text);
}

static void write_json(const struct takt_identification *result, struct takt_text *text)
{
	struct takt_json json;

	takt_json_init(&json, text);
	takt_json_open_object(&json, NULL);
	takt_json_string(&json, "schema", "takt-identification-1");
	takt_json_string(&json, "processor", result->processor);
	takt_json_number(&json, "seconds", result->seconds);
	if (*result->obstacle)
		takt_json_string(&json, "obstacle", result->obstacle);
	takt_json_open_array(&json, "cores");
	for (uint32_t i = 0; i < result->core_count; i++) {
		takt_json_open_object(&json, NULL);
		takt_json_string(&json, "core", result->cores[i].name);
		takt_json_string(&json, "title", result->cores[i].title);
		takt_json_number(&json, "distance", result->cores[i].distance);
		takt_json_string(&json, "contradiction", result->cores[i].contradiction);
		takt_json_close_object(&json);
	}
	takt_json_close_array(&json);
	takt_json_open_array(&json, "timings");
	for (uint32_t i = 0; i < result->probe_count; i++) {
		takt_json_open_object(&json, NULL);
		takt_json_string(&json, "name", result->probes[i].name);
		takt_json_string(&json, "code", result->probes[i].text);
		takt_json_number(&json, "measured_cycles", result->probes[i].measured_cycles);
		takt_json_number(&json, "nearest_cycles", result->probes[i].nearest_cycles);
		takt_json_close_object(&json);
	}
	takt_json_close_array(&json);
	takt_json_close_object(&json);
}

static void write_csv(const struct takt_identification *result, struct takt_text *text)
{
	takt_text_add_string(text, "timing,code,measured_cycles,nearest_cycles\n");
	for (uint32_t i = 0; i < result->probe_count; i++)
		takt_text_printf(text, "%s,\"%s\",%.3f,%.3f\n", result->probes[i].name,
				 result->probes[i].text, result->probes[i].measured_cycles,
				 result->probes[i].nearest_cycles);
}

void takt_write_identification(const struct takt_identification *result, enum takt_format format,
			       struct takt_text *text)
{
	if (format == TAKT_FORMAT_JSON)
		write_json(result, text);
	else if (format == TAKT_FORMAT_CSV)
		write_csv(result, text);
	else
		write_text(result, text);
}
