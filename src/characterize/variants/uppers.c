/* SPDX-License-Identifier: MIT */
/*
 * Measures SSE instructions after 256-bit ones: some cores save the upper halves at a cost, others
 * merge into them from then on. The same instructions with vzeroupper in another place show which.
 */
#include <math.h>
#include <string.h>

#include "characterize/variants/variants.h"

/* Enough instances that the rest of the block hardly matters. */
#define INSTANCES 12u
/* Cycles of an instance that may depend on how the block is grouped for decoding. */
#define GROUPS_CYCLES (2.0 / INSTANCES)
/* Register that the 256-bit instruction and the form's first instance write. */
#define WRITTEN (TAKT_LOC_VECTOR + 1)

static bool is_sse(const struct probe_form *form)
{
	return takt_probe_has_kind(form, TAKT_KIND_XMM, TAKT_KIND_XMM) &&
	       !takt_probe_uses_avx(form) && !takt_probe_memory(form) &&
	       !takt_probe_has_kind(form, TAKT_KIND_MM, TAKT_KIND_MM);
}

static void add_start(const struct probe_lab *lab, struct probe_code *code, bool dirty)
{
	const struct takt_choice wide = {.registers = {WRITTEN, WRITTEN, WRITTEN}};
	const struct takt_choice none = {.mask = 0};

	if (dirty)
		takt_probe_add_chosen(lab, code, PROBE_CLEAN_UPPERS, &none);
	takt_probe_add_chosen(lab, code, PROBE_OR_256, &wide);
	if (!dirty)
		takt_probe_add_chosen(lab, code, PROBE_CLEAN_UPPERS, &none);
}

/* Return the cycles of `count` instances of the form and the code before them. */
static double run(struct probe_lab *lab, const struct probe_form *form, unsigned count, bool dirty)
{
	struct probe_code code = {.size_bytes = 0};
	struct probe_outcome outcome;
	struct takt_choice choice;

	add_start(lab, &code, dirty);
	takt_probe_instance(form, 0, &choice);
	for (unsigned i = 0; i < count; i++)
		takt_probe_code_add(&code, form, &choice);
	return takt_probe_run(lab, &code,
			      dirty ? "SSE with dirty upper halves" : "SSE after vzeroupper",
			      &outcome)
		       ? outcome.cycles
		       : NAN;
}

void takt_probe_uppers(struct probe_lab *lab, const struct probe_form *form,
		       struct probe_variants *variants)
{
	double clean, dirty;

	if (!lab->tools[PROBE_CLEAN_UPPERS] || !lab->tools[PROBE_OR_256] || !is_sse(form))
		return;
	clean = run(lab, form, INSTANCES, false) / INSTANCES;
	dirty = run(lab, form, INSTANCES, true) / INSTANCES;
	if (takt_probe_cycles_differ(clean, dirty) && fabs(dirty - clean) > GROUPS_CYCLES)
		takt_probe_variant_add(variants, PROBE_DIRTY_UPPERS, "", dirty, clean);
}

bool takt_probe_transition(struct probe_lab *lab, struct probe_variant *ret_variant)
{
	const struct probe_form *add = lab->tools[PROBE_FLOAT_ADD_SSE];

	if (!add || !lab->tools[PROBE_CLEAN_UPPERS] || !lab->tools[PROBE_OR_256])
		return false;
	if (lab->transition_cycles == PROBE_UNKNOWN)
		lab->transition_cycles = run(lab, add, 1, true) - run(lab, add, 1, false);
	*ret_variant = (struct probe_variant){
		.kind = PROBE_TRANSITION, .figure = lab->transition_cycles, .other = NAN};
	return !isnan(ret_variant->figure);
}
