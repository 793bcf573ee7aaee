/* SPDX-License-Identifier: MIT */
/*
 * Finds macro-fusion: conditional jumps that decode with the instruction before them into one µop.
 * A group of instructions limited by issue slots takes a slot less if the jump is right after the
 * instruction than if a move is between them. The jump leads to the next instruction, and each
 * group renews the destination, so that the jump always goes the same way.
 */
#include <math.h>
#include <string.h>

#include "characterize/variants/variants.h"

/*
 * Bytes of a group. Jumps then are never at the end of a line of code or op cache, which some cores
 * execute more slowly.
 */
#define GROUP_BYTES 32u
#define GROUPS 6u
/* A group has about eight slots, so an eighth of its time is one; half of that counts as one. */
#define SLOT_PART 0.06
/* A prefix without effect on registers, which makes an instruction longer. */
#define LONGER 0x3e
/*
 * Bytes of a zero idiom, which needs a slot, but no port. It is one of general registers, since
 * some cores rename fewer vector registers in a cycle. That it writes flags only matters to which
 * of the two opposite conditions jumps.
 */
#define FILLER_BYTES 3u
#define CONDITIONS 16u
/* Conditions that almost all fusing instructions fuse with: equal, and its opposite. */
#define FIRST_CONDITION 4u
/* Register that fillers clear. */
#define CLEARED PROBE_INDEX

/* The conditions of even number, which stand for their opposites too. */
static const char *const names[] = {"o", "b", "e", "be", "s", "p", "l", "le"};

_Static_assert(TAKT_COUNT_OF(names) == CONDITIONS / 2, "each pair of conditions has a name");

static void add_bytes(struct probe_code *code, const uint8_t *bytes, size_t size_bytes)
{
	if (code->failed || PROBE_CODE_MAX - code->size_bytes < size_bytes) {
		code->failed = true;
		return;
	}
	memcpy(code->bytes + code->size_bytes, bytes, size_bytes);
	code->size_bytes += size_bytes;
}

static void add_jump(struct probe_code *code, unsigned condition)
{
	const uint8_t jump[] = {(uint8_t)(0x70 | condition), 0};

	add_bytes(code, jump, sizeof(jump));
	code->insn_count++;
}

static void add_filler(const struct probe_lab *lab, struct probe_code *code)
{
	takt_probe_add_tool(lab, code, PROBE_XOR, CLEARED, CLEARED);
}

/* Add the instruction that may keep the jump apart: a move, which no core fuses with a jump. */
static void add_separator(const struct probe_lab *lab, struct probe_code *code)
{
	takt_probe_add_tool(lab, code, PROBE_MOV_IMM, CLEARED, 0);
}

/* Add fillers of these bytes in total, the first ones longer than necessary. */
static void add_fillers(const struct probe_lab *lab, struct probe_code *code, size_t size_bytes)
{
	const uint8_t prefix[] = {LONGER};
	size_t count = size_bytes / FILLER_BYTES, longer = size_bytes % FILLER_BYTES;

	code->failed |= !count;
	for (size_t i = 0; i < count; i++) {
		for (size_t k = i; k < longer; k += count)
			add_bytes(code, prefix, sizeof(prefix));
		add_filler(lab, code);
	}
}

/* Give the destination a constant, so that neither values nor flags change from group to group. */
static void add_renewal(const struct probe_lab *lab, struct probe_code *code,
			const struct probe_form *form, const struct takt_choice *choice)
{
	const struct takt_access *access = takt_probe_access(form, 0);
	uint8_t destination = choice->registers[0];

	if (access && access->flags & TAKT_WRITE && access->flags & TAKT_READ &&
	    takt_location_is_gpr(destination))
		takt_probe_add_tool(lab, code, PROBE_MOV_IMM, destination, 0);
}

/* Return the cycles of a group, with or without a filler before the jump; NaN: not measured. */
static double run_groups(struct probe_lab *lab, const struct probe_form *form, unsigned condition,
			 bool apart)
{
	struct probe_code code = {.size_bytes = 0};
	struct probe_outcome outcome;

	for (unsigned i = 0; i < GROUPS; i++) {
		size_t end_bytes = (size_t)(i + 1) * GROUP_BYTES;
		struct takt_choice choice;

		takt_probe_instance(form, i % takt_probe_instances_max(form), &choice);
		add_renewal(lab, &code, form, &choice);
		takt_probe_code_add(&code, form, &choice);
		if (apart)
			add_separator(lab, &code);
		add_jump(&code, condition);
		if (!apart)
			add_separator(lab, &code);
		code.failed |= code.size_bytes >= end_bytes;
		add_fillers(lab, &code, code.failed ? 0 : end_bytes - code.size_bytes);
	}
	return takt_probe_run_loop(lab, &code, apart ? "a jump apart" : "a jump right after",
				   &outcome)
		       ? outcome.cycles / GROUPS
		       : NAN;
}

/* Times of the groups of a condition or its opposite, of which one does not jump. */
struct times {
	double together, apart;
};

static bool fuses(struct probe_lab *lab, const struct probe_form *form, unsigned condition,
		  struct times *ret_times)
{
	ret_times->together = ret_times->apart = NAN;
	for (unsigned i = 0; i < 2; i++) {
		ret_times->apart =
			fmin(ret_times->apart, run_groups(lab, form, condition + i, true));
		ret_times->together =
			fmin(ret_times->together, run_groups(lab, form, condition + i, false));
	}
	return ret_times->together <= (1 - SLOT_PART) * ret_times->apart;
}

/* True if the form might be fused on some core: arithmetic that writes flags and reads none. */
static bool may_fuse(const struct probe_form *form)
{
	const unsigned unusual = TAKT_FORM_LOCK | TAKT_FORM_REP | TAKT_FORM_REPNE;

	return form->insn.insn_class == TAKT_CLASS_INT && !(form->insn.flags & TAKT_INSN_STORES) &&
	       !(takt_form_unpack(form->sample.form).flags & unusual) &&
	       takt_probe_accesses_flags(form, TAKT_WRITE) &&
	       !takt_probe_accesses_flags(form, TAKT_READ) &&
	       !takt_probe_has_kind(form, TAKT_KIND_R8H, TAKT_KIND_R8H);
}

void takt_probe_fused_jumps(struct probe_lab *lab, const struct probe_form *form,
			    struct probe_variants *variants)
{
	struct times first, times;
	struct takt_text detail = {0};

	if (!may_fuse(form) || !fuses(lab, form, FIRST_CONDITION, &first))
		return;
	for (unsigned condition = 0; condition < CONDITIONS; condition += 2)
		if (condition == FIRST_CONDITION || fuses(lab, form, condition, &times))
			takt_text_printf(&detail, "%s%s", detail.size_bytes ? " " : "",
					 names[condition / 2]);
	takt_probe_variant_add(variants, PROBE_FUSED_JUMP, takt_text_data(&detail), first.together,
			       first.apart);
	takt_text_release(&detail);
}
