/* SPDX-License-Identifier: MIT */
/* The measured costs of an instruction, as text and JSON. */
#include <math.h>

#include "base/record.h"
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
		takt_text_printf(text, "  none: %s\n", result->no_latency_reason);
	write_variants(result, text);
	takt_text_add_string(text, "\n");
	takt_text_count(text, result->experiment_count, "experiment\n", "experiments\n");
}

/* ---- JSON ---- */

#define RECORD struct takt_pair_latency
static const struct takt_field latency_fields[] = {
	TAKT_FIELD("source", source, NULL, "Operand that is read."),
	TAKT_FIELD("destination", destination, NULL, "Operand that is written."),
	TAKT_FIELD("least", least, "cycles", "Lower bound.", .flags = TAKT_NULLABLE),
	TAKT_FIELD("most", most, "cycles", "Upper bound.", .flags = TAKT_NULLABLE),
};
#undef RECORD
const struct takt_record takt_pair_latency_record =
	TAKT_RECORD("latency", "Latency of an operand pair.", latency_fields);

#define RECORD struct takt_variant
static const struct takt_field variant_fields[] = {
	TAKT_FIELD("kind", kind, NULL, "What is varied."),
	TAKT_FIELD("detail", detail, NULL, "Details; may be empty."),
	TAKT_FIELD("figure", figure, NULL, "Its figure, in cycles or as a fraction.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("other", other, NULL, "The figure without it; null: none.",
		   .flags = TAKT_NULLABLE),
};
#undef RECORD
const struct takt_record takt_variant_record =
	TAKT_RECORD("variant", "A special case of the instruction.", variant_fields);

#define RECORD struct takt_lab_experiment
static const struct takt_field run_fields[] = {
	TAKT_FIELD("title", title, NULL, "Its purpose."),
	TAKT_FIELD("cycles", cycles, "cycles", "Time of an execution of the code; null: none.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("reason", reason, NULL, "Why it has no figure; empty if it has."),
	TAKT_FIELD("x", x, NULL,
		   "Size that experiments of one purpose differ in: instances in the code of a "
		   "throughput, known cycles of the other links of a latency's chain; null: none.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("instructions", instructions, NULL, "Instructions in the code."),
	TAKT_FIELD("code", code, NULL, "The code; repeated instructions have a count."),
};
#undef RECORD
static const struct takt_record run_record =
	TAKT_RECORD("run", "An experiment on the form.", run_fields);

#define RECORD struct takt_characterization
static const struct takt_field fields[] = {
	TAKT_FIELD("form", form, NULL, "Instruction form."),
	TAKT_FIELD("machine", machine, NULL, "The machine or core."),
	TAKT_FIELD("throughput_cycles", throughput_cycles, "cycles", "Reciprocal throughput.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("chain_cycles", chain_cycles, "cycles", "Cycles in a chain with itself.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("uops", uops, NULL, "µops; null: unknown.", .flags = TAKT_NULLABLE),
	TAKT_FIELD("ports", ports, NULL, "Ports of the µops; may be empty."),
	TAKT_FIELD("ports_cycles", ports_cycles, "cycles", "Bound of the ports.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("ports_certain", ports_certain, NULL,
		   "True if the experiments leave one explanation."),
	TAKT_FIELD("ports_doubt", ports_doubt, NULL, "Why not; may be empty."),
	TAKT_RECORDS("latencies", latencies, latency_count, &takt_pair_latency_record,
		     "Latencies of operand pairs.", .flags = TAKT_ROWS),
	TAKT_FIELD("no_latency_reason", no_latency_reason, NULL,
		   "Why there are no latencies; empty if there are."),
	TAKT_RECORDS("variants", variants, variant_count, &takt_variant_record, "Special cases.",
		     .flags = TAKT_ROWS),
	TAKT_FIELD("experiments", experiment_count, NULL, "Number of experiments."),
	TAKT_RECORDS("runs", runs, run_count, &run_record,
		     "The experiments on this form, if '--explain' was given.", .flags = TAKT_ROWS),
};
#undef RECORD
static const struct takt_record record =
	TAKT_RECORD("characterization", "Measured costs of an instruction.", fields);

const struct takt_schema takt_characterize_schema = {
	.name = "characterize",
	.title = "takt characterize --format=json",
	.records = {&record, &takt_probe_survey_record},
};

void takt_write_characterization_json(const struct takt_characterization *result,
				      struct takt_text *text)
{
	takt_record_write_json(&record, result, text);
}
