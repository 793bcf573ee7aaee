/* SPDX-License-Identifier: MIT */
/* Finds what a core's model says of idioms and eliminated moves, to compare variants with. */
#include <string.h>

#include "characterize/variants/variants.h"

/* True if different registers wait for each other and equal ones do not. */
static bool is_independent(const struct takt_timing *plain, const struct takt_timing *same,
			   const struct probe_form *form)
{
	bool waits = false;

	for (uint8_t source = 0; source <= TAKT_SLOT_5; source++) {
		const struct takt_access *read = takt_probe_access(form, source);

		for (uint8_t slot = 0; read && read->flags & TAKT_READ && slot <= TAKT_SLOT_5;
		     slot++) {
			const struct takt_access *write = takt_probe_access(form, slot);

			if (!write || !(write->flags & TAKT_WRITE))
				continue;
			if (takt_timing_latency(same, source, slot))
				return false;
			waits |= takt_timing_latency(plain, source, slot) > 0;
		}
	}
	return waits;
}

enum probe_idiom takt_probe_model_idiom(const struct takt_model *model,
					const struct probe_form *form)
{
	struct takt_timing_storage plain_storage, same_storage;
	struct takt_insn same = form->insn;
	struct takt_timing plain, timing;
	struct takt_choice choice;

	if (takt_probe_memory(form) || takt_probe_count_registers(form, TAKT_READ, 0) < 2 ||
	    !takt_probe_same_instance(form, 0, &choice))
		return PROBE_IDIOM_NONE;
	same.flags |= TAKT_INSN_SAME;
	takt_model_timing(model, &form->insn, &plain_storage, &plain);
	takt_model_timing(model, &same, &same_storage, &timing);
	if (timing.flags & TAKT_TIMING_ZERO)
		return PROBE_IDIOM_ZERO;
	return timing.flags & TAKT_TIMING_BREAKS || is_independent(&plain, &timing, form)
		       ? PROBE_IDIOM_BREAKS
		       : PROBE_IDIOM_NONE;
}

bool takt_probe_model_eliminates(const struct takt_model *model, const struct probe_form *form)
{
	const struct takt_core_params *params = takt_model_params(model);
	struct takt_timing_storage storage;
	struct takt_timing timing;

	if (!takt_probe_is_move(form))
		return false;
	takt_model_timing(model, &form->insn, &storage, &timing);
	if (!(timing.flags & TAKT_TIMING_ELIM))
		return takt_timing_latency(&timing, TAKT_SLOT_1 + 1, TAKT_SLOT_1) == 0;
	return (form->insn.flags & TAKT_INSN_VECTOR ? params->move_elimination_vector_slots
						    : params->move_elimination_int_slots) != 0;
}

enum probe_idiom takt_probe_variant_idiom(enum probe_variant_kind kind, const char *detail)
{
	if (kind == PROBE_ZERO_IDIOM)
		return PROBE_IDIOM_ZERO;
	if (kind != PROBE_ONES_IDIOM && kind != PROBE_BREAKS)
		return PROBE_IDIOM_NONE;
	if (*detail)
		return strcmp(detail, PROBE_EXECUTED) == 0 ? PROBE_IDIOM_BREAKS
							   : PROBE_IDIOM_UNSURE;
	return kind == PROBE_ONES_IDIOM ? PROBE_IDIOM_ZERO : PROBE_IDIOM_BREAKS;
}

bool takt_probe_idioms_agree(enum probe_idiom left, enum probe_idiom right)
{
	if (left == PROBE_IDIOM_UNSURE)
		return right != PROBE_IDIOM_NONE;
	if (right == PROBE_IDIOM_UNSURE)
		return left != PROBE_IDIOM_NONE;
	return left == right;
}
