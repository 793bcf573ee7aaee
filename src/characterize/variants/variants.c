/* SPDX-License-Identifier: MIT */
/* Finds the variants of a form; also functions that the files of variants share. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "characterize/variants/variants.h"

/* Figures that differ by less than this fraction, or these cycles, are equal. */
#define SAME_PART 0.05
#define SAME_CYCLES 0.03

static const char *const texts[][3] = {
#define X(name, word, title, other) {word, title, other},
	PROBE_VARIANT_LIST(X)
#undef X
};

const char *takt_probe_variant_word(enum probe_variant_kind kind)
{
	return texts[kind][0];
}

const char *takt_probe_variant_title(enum probe_variant_kind kind)
{
	return texts[kind][1];
}

const char *takt_probe_variant_other(enum probe_variant_kind kind)
{
	return texts[kind][2];
}

enum probe_variant_kind takt_probe_variant_kind(const char *word)
{
	unsigned kind = 0;

	while (kind < PROBE_VARIANT_COUNT && strcmp(texts[kind][0], word) != 0)
		kind++;
	return (enum probe_variant_kind)kind;
}

void takt_probe_variant_add(struct probe_variants *variants, enum probe_variant_kind kind,
			    const char *detail, double figure, double other)
{
	struct probe_variant *variant = &variants->list[variants->count];

	if (variants->count == PROBE_VARIANTS_MAX)
		return;
	*variant = (struct probe_variant){.kind = kind, .figure = figure, .other = other};
	snprintf(variant->detail, sizeof(variant->detail), "%s", detail);
	variants->count++;
}

bool takt_probe_cycles_differ(double left, double right)
{
	return fabs(left - right) > fmax(SAME_CYCLES, SAME_PART * fmax(left, right));
}

const struct takt_pair_latency *takt_probe_known_latency(const struct probe_known *known,
							 const char *source,
							 const char *destination)
{
	for (size_t i = 0; i < known->latency_count; i++)
		if (strcmp(known->latencies[i].source, source) == 0 &&
		    strcmp(known->latencies[i].destination, destination) == 0)
			return &known->latencies[i];
	return NULL;
}

unsigned takt_probe_count_registers(const struct probe_form *form, unsigned flags, unsigned without)
{
	unsigned count = 0;

	for (unsigned slot = 0; slot <= TAKT_SLOT_5; slot++) {
		const struct takt_access *access = takt_probe_access(form, slot);

		count += access && (access->flags & flags) == flags && !(access->flags & without);
	}
	return count;
}

const char *takt_probe_base_mnemonic(const struct probe_form *form)
{
	const char *text =
		takt_mnemonic_text(&takt_isa_x86, takt_form_unpack(form->sample.form).mnemonic);

	return text + (*text == 'v');
}

/* Longer chains take long and are measured too coarsely to be compared. */
#define CHAINED_CYCLES_MAX 150

void takt_probe_variants(struct probe_lab *lab, const struct probe_form *form,
			 const struct probe_known *known, struct probe_variants *ret_variants)
{
	ret_variants->count = 0;
	if (takt_probe_is_aarch64(form)) /* their experiments are code of x86-64 */
		return;
	if (known->chained > CHAINED_CYCLES_MAX || form->insn.insn_class == TAKT_CLASS_STRING)
		return;
	takt_probe_same_registers(lab, form, known, ret_variants);
	takt_probe_moves(lab, form, known, ret_variants);
	takt_probe_divisions(lab, form, ret_variants);
	takt_probe_high8(lab, form, known, ret_variants);
	takt_probe_bypass(lab, form, known, ret_variants);
	takt_probe_false_waits(lab, form, known, ret_variants);
	takt_probe_fused_jumps(lab, form, ret_variants);
	takt_probe_decoders(lab, form, ret_variants);
	takt_probe_uppers(lab, form, ret_variants);
}
