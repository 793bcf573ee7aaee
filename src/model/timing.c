/* SPDX-License-Identifier: MIT */
/*
 * Looks up timings: the form itself, then less specific forms in the order of
 * docs/formats/forms.md, then composition, then the class's default.
 */
#include <string.h>

#include "model/timing.h"

/* ---- one form ------------------------------------------------------------------ */

/* Combinations of qualifiers (SAME 1, INDEXED 2, IMM0 4, SHORT 8), most specific first. */
static const uint8_t combination_order[] = {15, 14, 13, 11, 7, 12, 10, 9, 6, 5, 3, 8, 4, 2, 1};

static const struct takt_image_timing *
qualified_row(const struct takt_model *model, takt_form_key form, uint16_t existing, unsigned held)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(combination_order); i++) {
		unsigned combination = combination_order[i];
		const struct takt_image_timing *timing;

		if ((combination & held) != combination || !(existing >> combination & 1))
			continue;
		timing =
			takt_model_row(model, form | (uint64_t)combination << TAKT_QUALIFIER_SHIFT);
		if (timing)
			return timing;
	}
	return NULL;
}

const struct takt_image_timing *takt_model_row(const struct takt_model *model, takt_form_key form)
{
	uint32_t slot = takt_image_find(&model->image, form);

	if (slot == TAKT_NO_SLOT)
		return NULL;
	return takt_image_timing_at(&model->image, model->column[slot]);
}

/* Find the form's row with the most specific combination of the qualifiers that hold. */
static const struct takt_image_timing *form_row(const struct takt_model *model, takt_form_key form,
						unsigned held)
{
	const struct takt_image_timing *timing = NULL;
	uint32_t slot = takt_image_find(&model->image, form);
	uint16_t existing;

	if (slot == TAKT_NO_SLOT)
		return NULL;
	existing = model->image.variants[slot];
	if (held && existing)
		timing = qualified_row(model, form, existing, held);
	return timing ? timing : takt_image_timing_at(&model->image, model->column[slot]);
}

/* ---- less specific forms --------------------------------------------------------- */

enum step {
	STEP_EVEX,
	STEP_ROUNDING,
	STEP_ZEROING,
	STEP_MASK,
	STEP_BROADCAST,	       /* full memory operand, as wide as the widest register */
	STEP_BROADCAST_HALF,   /* half as wide (widening conversions) */
	STEP_BROADCAST_DOUBLE, /* twice as wide (narrowing conversions) */
	STEP_FIXED,
	STEP_SHORT_IMMEDIATE,
	STEP_LONG_IMMEDIATE,
	STEP_HIGH_BYTE, /* the original immediates again, then both sizes once more */
	STEP_HIGH_BYTE_SHORT,
	STEP_HIGH_BYTE_LONG,
	STEP_COUNT
};

static bool drop_flag(struct takt_form *form, unsigned flags)
{
	bool had = form->flags & flags;

	form->flags &= (uint16_t)~flags;
	return had;
}

bool takt_kind_is_broadcast(unsigned kind)
{
	return kind >= TAKT_KIND_M16B && kind <= TAKT_KIND_M64B;
}

/* Replace a broadcast operand by vector memory 2^shift times as wide as the widest register. */
static bool widen_broadcast(const struct takt_form *from, int shift, struct takt_form *form)
{
	static const uint8_t memories[] = {TAKT_KIND_M64, TAKT_KIND_M128, TAKT_KIND_M256,
					   TAKT_KIND_M512};
	int width = 0;
	bool changed = false;

	for (unsigned i = 0; i < TAKT_FORM_OPERANDS_MAX; i++)
		if (from->kinds[i] >= TAKT_KIND_XMM && from->kinds[i] <= TAKT_KIND_ZMM &&
		    from->kinds[i] - TAKT_KIND_XMM + 1 > width)
			width = from->kinds[i] - TAKT_KIND_XMM + 1;
	width += shift;
	if (width < 0 || width >= (int)TAKT_COUNT_OF(memories))
		return false;
	for (unsigned i = 0; i < TAKT_FORM_OPERANDS_MAX; i++) {
		if (!takt_kind_is_broadcast(from->kinds[i]))
			continue;
		form->kinds[i] = memories[width];
		changed = true;
	}
	return changed;
}

/* Replace registers that the encoding fixes by their class. */
static bool free_fixed(struct takt_form *form)
{
	static const uint8_t classes[TAKT_KIND_X86_COUNT] = {
		[TAKT_KIND_AL] = TAKT_KIND_R8,	 [TAKT_KIND_AX] = TAKT_KIND_R16,
		[TAKT_KIND_EAX] = TAKT_KIND_R32, [TAKT_KIND_RAX] = TAKT_KIND_R64,
		[TAKT_KIND_CL] = TAKT_KIND_R8,	 [TAKT_KIND_DX] = TAKT_KIND_R16,
		[TAKT_KIND_ST0] = TAKT_KIND_ST,	 [TAKT_KIND_XMM0] = TAKT_KIND_XMM,
	};
	bool changed = false;

	for (unsigned i = 0; i < TAKT_FORM_OPERANDS_MAX; i++) {
		unsigned kind = form->kinds[i];

		if (kind >= TAKT_KIND_X86_COUNT || !classes[kind])
			continue;
		form->kinds[i] = classes[kind];
		changed = true;
	}
	return changed;
}

static bool resize_immediates(struct takt_form *form, uint8_t size)
{
	bool changed = false;

	for (unsigned i = 0; i < TAKT_FORM_OPERANDS_MAX; i++) {
		unsigned kind = form->kinds[i];

		if (kind < TAKT_KIND_ONE || kind > TAKT_KIND_I64 || kind == size)
			continue;
		form->kinds[i] = size;
		changed = true;
	}
	return changed;
}

/* Replace high bytes by low ones, and restore the original immediates. */
static bool lower_high_bytes(const struct takt_form *from, struct takt_form *form)
{
	bool changed = false;

	for (unsigned i = 0; i < TAKT_FORM_OPERANDS_MAX; i++) {
		if (form->kinds[i] == TAKT_KIND_R8H) {
			form->kinds[i] = TAKT_KIND_R8;
			changed = true;
		} else if (from->kinds[i] >= TAKT_KIND_ONE && from->kinds[i] <= TAKT_KIND_I64) {
			form->kinds[i] = from->kinds[i];
		}
	}
	return changed;
}

static bool has_high_byte(const struct takt_form *form)
{
	for (unsigned i = 0; i < TAKT_FORM_OPERANDS_MAX; i++)
		if (form->kinds[i] == TAKT_KIND_R8H)
			return true;
	return false;
}

/* Make `form` one step less specific; false if the step changes nothing. */
static bool relax(const struct takt_form *from, enum step step, struct takt_form *form)
{
	switch (step) {
	case STEP_EVEX:
		return drop_flag(form, TAKT_FORM_EVEX);
	case STEP_ROUNDING:
		return drop_flag(form, TAKT_FORM_ER | TAKT_FORM_SAE);
	case STEP_ZEROING:
		return drop_flag(form, TAKT_FORM_Z);
	case STEP_MASK:
		return drop_flag(form, TAKT_FORM_K);
	case STEP_BROADCAST:
		return widen_broadcast(from, 0, form);
	case STEP_BROADCAST_HALF:
		return widen_broadcast(from, -1, form);
	case STEP_BROADCAST_DOUBLE:
		return widen_broadcast(from, 1, form);
	case STEP_FIXED:
		return free_fixed(form);
	case STEP_SHORT_IMMEDIATE:
		return resize_immediates(form, TAKT_KIND_I8);
	case STEP_LONG_IMMEDIATE:
		return resize_immediates(form, TAKT_KIND_I32);
	case STEP_HIGH_BYTE:
		return lower_high_bytes(from, form);
	case STEP_HIGH_BYTE_SHORT:
		return has_high_byte(from) && resize_immediates(form, TAKT_KIND_I8);
	case STEP_HIGH_BYTE_LONG:
		return has_high_byte(from) && resize_immediates(form, TAKT_KIND_I32);
	case STEP_COUNT:
		break;
	}
	return false;
}

const struct takt_image_timing *takt_model_find(const struct takt_model *model, takt_form_key key,
						unsigned held)
{
	const struct takt_image_timing *timing;
	struct takt_form from, form;

	if (model->isa->llvm)
		key &= ~TAKT_LLVM_OPCODE_MASK;
	timing = form_row(model, key, held);
	/* Less specific forms are known for x86-64 only. */
	if (timing || model->isa != &takt_isa_x86)
		return timing;
	form = from = takt_form_unpack(key);
	for (unsigned step = 0; step < STEP_COUNT && !timing; step++)
		if (relax(&from, (enum step)step, &form))
			timing = form_row(model, takt_form_pack(&form), held);
	return timing;
}

/* ---- an instruction --------------------------------------------------------------- */

static unsigned qualifiers_held(uint32_t flags)
{
	return ((flags & TAKT_INSN_SAME) ? 1u : 0) | ((flags & TAKT_INSN_INDEXED) ? 2u : 0) |
	       ((flags & TAKT_INSN_IMM0) ? 4u : 0) | ((flags & TAKT_INSN_SHORT) ? 8u : 0);
}

/* Give µops the ports of a model that was changed. */
static void change_ports(const struct takt_model *model, struct takt_timing_storage *storage,
			 struct takt_timing *timing)
{
	unsigned count = timing->uops_count;

	if ((!model->twin_count && !model->spared_ports) || count > TAKT_COUNT_OF(storage->uops))
		return;
	if (timing->uops != storage->uops)
		memcpy(storage->uops, timing->uops, count * sizeof(*storage->uops));
	for (unsigned i = 0; i < count; i++)
		storage->uops[i].ports = takt_model_changed_ports(model, storage->uops[i].ports);
	timing->uops = storage->uops;
}

void takt_model_timing(const struct takt_model *model, const struct takt_insn *insn,
		       struct takt_timing_storage *storage, struct takt_timing *ret_timing)
{
	const struct takt_image_timing *timing;
	unsigned held = qualifiers_held(insn->flags);

	/* A move that is not eliminated is as slow as one within a single register. */
	if (insn->flags & TAKT_INSN_REX_BYTE && !model->params.move_elimination_rex_bytes)
		held |= 1;
	timing = takt_model_find(model, insn->form, held);
	if (timing)
		takt_timing_from_image(&model->image, timing, TAKT_MATCH_ROW, ret_timing);
	else if (!takt_compose_form(model, insn, storage, ret_timing))
		takt_compose_default(model, insn, storage, ret_timing);
	change_ports(model, storage, ret_timing);
}

void takt_model_timing_loaded(const struct takt_model *model, const struct takt_insn *insn,
			      struct takt_timing_storage *storage, struct takt_timing *ret_timing)
{
	if (!takt_compose_form(model, insn, storage, ret_timing))
		takt_compose_default(model, insn, storage, ret_timing);
	change_ports(model, storage, ret_timing);
}

/*
 * Return how well a listed pair fits; 0 is not at all. An exact operand beats `*`, and an exact
 * source beats an exact destination.
 */
static unsigned fit(const struct takt_latency *latency, uint8_t source, uint8_t destination)
{
	bool to = latency->destination == destination;
	bool to_any = latency->destination == TAKT_SLOT_ANY;
	bool address = source == TAKT_SLOT_BASE || source == TAKT_SLOT_INDEX;

	if (!to && !to_any)
		return 0;
	if (latency->source == source)
		return to ? 6 : 5;
	if (latency->source == TAKT_SLOT_ANY_ADDRESS && address)
		return to ? 4 : 3;
	if (latency->source == TAKT_SLOT_ANY)
		return to ? 2 : 1;
	return 0;
}

uint32_t takt_timing_latency(const struct takt_timing *timing, uint8_t source, uint8_t destination)
{
	uint32_t cycles = timing->latency_default;
	unsigned best = 0;

	for (unsigned i = 0; i < timing->latency_count; i++) {
		unsigned now = fit(&timing->latencies[i], source, destination);

		if (now > best) {
			best = now;
			cycles = timing->latencies[i].cycles;
		}
	}
	return cycles;
}
