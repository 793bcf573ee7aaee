/* SPDX-License-Identifier: MIT */
/*
 * Measures forms with ah, bh, ch, dh: latencies, as ranges, and throughput beside that of the low
 * bytes.
 */
#include <math.h>

#include "characterize/variants/variants.h"

/* Return the form with al … dl instead; NULL if the machine lacks it. */
static const struct probe_form *low_form(const struct probe_lab *lab, const struct probe_form *form)
{
	struct takt_form unpacked = takt_form_unpack(form->sample.form);

	for (unsigned n = 0; n < TAKT_FORM_OPERANDS_MAX; n++)
		if (unpacked.kinds[n] == TAKT_KIND_R8H)
			unpacked.kinds[n] = TAKT_KIND_R8;
	return takt_probe_form_of(&lab->forms, takt_form_pack(&unpacked));
}

/* Measure an instance of `form` with the operands of `of`, but al … dl for ah … dh. */
static double run(struct probe_lab *lab, const struct probe_form *form, const struct probe_form *of)
{
	unsigned count = takt_probe_instances_max(of);
	struct probe_code code = {.size_bytes = 0};
	struct probe_outcome outcome;

	for (unsigned i = 0; i < count; i++) {
		struct takt_choice choice;

		takt_probe_instance(of, i, &choice);
		for (unsigned n = 0; n < TAKT_FORM_OPERANDS_MAX && form != of; n++)
			if (takt_location_is_high8(choice.registers[n]))
				choice.registers[n] = (uint8_t)(choice.registers[n] -
								TAKT_LOC_HIGH8 + TAKT_LOC_GPR);
		takt_probe_code_add(&code, form, &choice);
	}
	return takt_probe_run(lab, &code,
			      form == of ? "throughput, ah … dh" : "throughput, al … dl", &outcome)
		       ? outcome.cycles / count
		       : NAN;
}

static void add_throughput(struct probe_lab *lab, const struct probe_form *form,
			   struct probe_variants *variants)
{
	const struct probe_form *low = low_form(lab, form);
	double high_cycles, low_cycles;

	if (!low)
		return;
	high_cycles = run(lab, form, form);
	low_cycles = run(lab, low, form);
	if (takt_probe_cycles_differ(high_cycles, low_cycles))
		takt_probe_variant_add(variants, PROBE_HIGH8_THROUGHPUT, "", high_cycles,
				       low_cycles);
}

static bool is_high8(const struct takt_choice *choice, uint8_t slot)
{
	return slot <= TAKT_SLOT_5 && takt_location_is_high8(choice->registers[slot]);
}

static void add_latency(struct probe_lab *lab, const struct probe_form *form,
			const struct probe_question *question, struct probe_variants *variants)
{
	struct probe_latency latency;
	struct takt_text detail = {0};

	if (!is_high8(question->choice, question->source) &&
	    !is_high8(question->choice, question->destination))
		return;
	if (!takt_probe_pair(lab, form, question, &latency))
		return;
	takt_slot_write(&takt_isa_x86, question->source, &detail);
	takt_text_add_string(&detail, ">");
	takt_slot_write(&takt_isa_x86, question->destination, &detail);
	takt_probe_variant_add(variants, PROBE_HIGH8_LATENCY, takt_text_data(&detail),
			       latency.cycles, latency.least);
	takt_text_release(&detail);
}

void takt_probe_high8(struct probe_lab *lab, const struct probe_form *form,
		      const struct probe_known *known, struct probe_variants *variants)
{
	static const uint8_t ends[] = {0, 1, TAKT_SLOT_FLAGS};
	struct takt_choice choice;

	if (!takt_probe_has_kind(form, TAKT_KIND_R8H, TAKT_KIND_R8H))
		return;
	takt_probe_instance(form, 0, &choice);
	for (size_t i = 0; i < TAKT_COUNT_OF(ends) * TAKT_COUNT_OF(ends); i++) {
		const struct probe_question question = {
			.choice = &choice,
			.source = ends[i / TAKT_COUNT_OF(ends)],
			.destination = ends[i % TAKT_COUNT_OF(ends)],
			.fillers = takt_probe_fillers(known->chained),
			.title = "latency, ah … dh"};

		add_latency(lab, form, &question, variants);
	}
	add_throughput(lab, form, variants);
}
