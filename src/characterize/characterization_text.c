/* SPDX-License-Identifier: MIT */
/* The measured costs of an instruction, as text and JSON. */
#include <inttypes.h>
#include <math.h>

#include "characterize/characterize.h"

#define UNCERTAIN_CYCLES 0.05 /* bounds further apart than this are shown as a range */

static void write_latency(const struct takt_pair_latency *latency, struct takt_text *text)
{
	if (latency->most - latency->least > UNCERTAIN_CYCLES)
		takt_text_printf(text, "  %6.2f to %.2f  from %s to %s\n", latency->least,
				 latency->most, latency->source, latency->destination);
	else
		takt_text_printf(text, "  %6.2f  from %s to %s\n", latency->most, latency->source,
				 latency->destination);
}

static void write_variant(const struct takt_variant *variant, struct takt_text *text)
{
	takt_text_printf(text, "  %6.2f  %s", variant->figure, variant->title);
	if (*variant->detail)
		takt_text_printf(text, ", %s", variant->detail);
	if (!isnan(variant->other))
		takt_text_printf(text, "; %s %.2f", variant->other_title, variant->other);
	takt_text_add_string(text, "\n");
}

static void write_variants(const struct takt_characterization *result, struct takt_text *text)
{
	if (!result->variant_count)
		return;
	takt_text_add_string(text, "\nvariants:\n\n");
	for (size_t i = 0; i < result->variant_count; i++)
		write_variant(&result->variants[i], text);
}

static void write_json_variants(const struct takt_characterization *result, struct takt_json *json)
{
	takt_json_open_array(json, "variants");
	for (size_t i = 0; i < result->variant_count; i++) {
		const struct takt_variant *variant = &result->variants[i];

		takt_json_open_row(json);
		takt_json_string(json, "kind", variant->kind);
		takt_json_string(json, "detail", variant->detail);
		takt_json_number(json, "figure", variant->figure);
		takt_json_number(json, "other", variant->other);
		takt_json_close_row(json);
	}
	takt_json_close_array(json);
}

void takt_write_characterization_text(const struct takt_characterization *result,
				      struct takt_text *text)
{
	if (*result->experiments)
		takt_text_printf(text, "experiments, cycles per execution of the code:\n\n%s\n",
				 result->experiments);
	takt_text_printf(text, "%s on %s, cycles:\n\n", result->form, result->machine);
	takt_text_printf(text, "  %6.2f  throughput\n", result->throughput_cycles);
	takt_text_printf(text, "  %6.2f  in a chain with itself\n", result->chain_cycles);
	if (!isnan(result->ports_cycles))
		takt_text_printf(text, "  %6.2f  on ports: %s%s%s\n", result->ports_cycles,
				 *result->ports ? result->ports : "none",
				 result->ports_certain ? "" : "; uncertain: ", result->ports_doubt);
	takt_text_add_string(text, "\nlatency:\n\n");
	for (size_t i = 0; i < result->latency_count; i++)
		write_latency(&result->latencies[i], text);
	if (!result->latency_count)
		takt_text_add_string(text, "  no chain could be built\n");
	write_variants(result, text);
	takt_text_add_string(text, "\n");
	takt_text_count(text, result->experiment_count, "experiment\n", "experiments\n");
}

void takt_write_characterization_json(const struct takt_characterization *result,
				      struct takt_text *text)
{
	struct takt_json json;

	takt_json_init(&json, text);
	takt_json_open_object(&json, NULL);
	takt_json_string(&json, "form", result->form);
	takt_json_string(&json, "machine", result->machine);
	takt_json_number(&json, "throughput_cycles", result->throughput_cycles);
	takt_json_number(&json, "chain_cycles", result->chain_cycles);
	takt_json_number(&json, "uops", result->uops);
	takt_json_string(&json, "ports", result->ports);
	takt_json_number(&json, "ports_cycles", result->ports_cycles);
	takt_json_bool(&json, "ports_certain", result->ports_certain);
	takt_json_string(&json, "ports_doubt", result->ports_doubt);
	takt_json_open_array(&json, "latencies");
	for (size_t i = 0; i < result->latency_count; i++) {
		const struct takt_pair_latency *latency = &result->latencies[i];

		takt_json_open_row(&json);
		takt_json_string(&json, "source", latency->source);
		takt_json_string(&json, "destination", latency->destination);
		takt_json_number(&json, "least", latency->least);
		takt_json_number(&json, "most", latency->most);
		takt_json_close_row(&json);
	}
	takt_json_close_array(&json);
	write_json_variants(result, &json);
	takt_json_integer(&json, "experiments", (int64_t)result->experiment_count);
	takt_json_close_object(&json);
}
