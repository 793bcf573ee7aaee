/* SPDX-License-Identifier: MIT */
/*
 * Finds destinations that are waited for although no part of them is needed, and those of which a
 * part is kept, so that cores either wait for them or keep the parts separate.
 */
#include <math.h>

#include "characterize/variants/variants.h"

/*
 * Cycles by which instances on one register must be slower to be examined, and cycles that count as
 * waiting.
 */
#define SUSPICIOUS_CYCLES 0.2
#define WAITS_CYCLES 0.5

/* SSE instructions that read of their destination only the part that they keep. */
static const char *const keepers[] = {"cvt", "sqrt", "rsqrt", "rcp", "round", "mov"};

static bool is_keeper(const struct probe_form *form)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(keepers); i++)
		if (takt_string_starts(takt_probe_base_mnemonic(form), keepers[i]))
			return true;
	return false;
}

/*
 * Return the form with 32-bit registers in place of narrower ones, of all operands or the first
 * only; or NULL.
 */
static const struct probe_form *wide_form(const struct probe_lab *lab,
					  const struct probe_form *form, bool first_only)
{
	struct takt_form unpacked = takt_form_unpack(form->sample.form);

	for (unsigned n = 0; n < (first_only ? 1 : TAKT_FORM_OPERANDS_MAX); n++)
		if (unpacked.kinds[n] == TAKT_KIND_R8 || unpacked.kinds[n] == TAKT_KIND_R16)
			unpacked.kinds[n] = TAKT_KIND_R32;
	return takt_probe_form_of(&lab->forms, takt_form_pack(&unpacked));
}

static bool reads_first(const struct probe_form *form)
{
	const struct takt_access *access = takt_probe_access(form, 0);

	return access && access->flags & TAKT_READ;
}

/* True if the destination is read only for the part of it that is kept. */
static bool merges(const struct probe_lab *lab, const struct probe_form *form,
		   const struct takt_access *access)
{
	uint8_t kind = takt_form_unpack(form->sample.form).kinds[0];

	if (!(access->flags & TAKT_MERGE))
		return false;
	if (kind == TAKT_KIND_XMM)
		return !takt_probe_uses_avx(form) && is_keeper(form);
	if (kind != TAKT_KIND_R8 && kind != TAKT_KIND_R16)
		return false;
	for (unsigned first_only = 0; first_only < 2; first_only++) {
		const struct probe_form *wide = wide_form(lab, form, first_only);

		if (wide)
			return !reads_first(wide);
	}
	return form->insn.condition >= 0; /* setcc has no wider form */
}

void takt_probe_false_waits(struct probe_lab *lab, const struct probe_form *form,
			    const struct probe_known *known, struct probe_variants *variants)
{
	const struct takt_access *access = takt_probe_access(form, 0);
	const struct takt_pair_latency *waits = takt_probe_known_latency(known, "1", "1");
	struct probe_latency latency;
	struct takt_choice choice;
	const struct probe_question question = {.choice = &choice,
						.is_false = true,
						.fillers = takt_probe_fillers(known->chained),
						.title = "latency of a false dependence"};

	if (!access || !(access->flags & TAKT_WRITE) || takt_probe_is_fixed(form, access))
		return;
	if (waits && merges(lab, form, access))
		takt_probe_variant_add(variants, PROBE_MERGE, "1", waits->most, NAN);
	if (access->flags & TAKT_READ || known->chained < known->throughput + SUSPICIOUS_CYCLES)
		return;
	takt_probe_instance(form, 0, &choice);
	if (takt_probe_pair(lab, form, &question, &latency) && latency.cycles >= WAITS_CYCLES &&
	    !latency.is_upper_bound)
		takt_probe_variant_add(variants, PROBE_FALSE, "1", latency.cycles, NAN);
}
