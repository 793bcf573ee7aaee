/* SPDX-License-Identifier: MIT */
/* Selects the AArch64 forms to characterize, and the registers of their instances. */
#include <string.h>

#include "characterize/forms.h"

/* ---- scope ---------------------------------------------------------------- */

/* Sets with modes or state of their own. */
static const char *const foreign_sets[] = {
	"a64-sme", "a64-sme2", "a64-sme2p1", "a64-gcs", "a64-tme", "a64-lor",
};

/*
 * Beginnings of the mnemonics of exclusive stores, which store only behind an exclusive load, and
 * of what ends an exclusive access. Exclusive loads need nothing else.
 */
static const char *const exclusive[] = {"stx", "stlx", "clrex"};

static bool needs_exclusive_load(const char *mnemonic)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(exclusive); i++)
		if (takt_string_starts(mnemonic, exclusive[i]))
			return true;
	return false;
}

/* True for exceptions, barriers and other system instructions, some of which the decoder calls
 * none. */
static bool is_system(const struct takt_insn *insn)
{
	unsigned high = insn->bytes[3];

	return (high == 0xd4 || (high == 0xd5 && insn->bytes[2] < 0x40) || high == 0) &&
	       !(insn->flags & TAKT_INSN_NOP);
}

/*
 * True if the address changes, consists of vectors, or is none that a choice can set; or if the
 * encoding fixes a general register, as those that sign the link register do.
 */
static bool has_foreign_operand(const struct takt_insn *insn)
{
	for (unsigned i = 0; i < insn->access_count; i++) {
		const struct takt_access *access = &insn->accesses[i];

		if (access->location == TAKT_LOC_FFR ||
		    (access->slot >= TAKT_SLOT_IMPLICIT &&
		     takt_location_is_gpr(access->location)) ||
		    (access->slot == TAKT_SLOT_BASE && access->flags & TAKT_WRITE))
			return true;
	}
	for (unsigned i = 0; i < insn->memory_count; i++)
		if (!takt_location_is_gpr(insn->memories[i].base) ||
		    takt_location_is_vector(insn->memories[i].index))
			return true;
	return false;
}

/* True if an instance decodes as the form again: some fields have fewer bits than others. */
static bool can_be_chosen(const struct probe_form *form)
{
	for (unsigned index = 0; index < 2; index++) {
		uint8_t bytes[TAKT_X86_LENGTH_MAX];
		struct takt_choice choice;
		struct takt_insn insn;

		takt_probe_aarch64_instance(form, index, &choice);
		if (takt_sample_encode(&form->sample, &choice, bytes) == 0 ||
		    takt_decode(&takt_isa_aarch64, bytes, sizeof(uint32_t), 0, &insn) != TAKT_OK ||
		    insn.form != form->sample.form)
			return false;
		for (unsigned i = 0; i < insn.access_count; i++)
			if (insn.accesses[i].slot <= TAKT_SLOT_5 &&
			    insn.accesses[i].slot != form->insn.accesses[i].slot)
				return false;
	}
	return true;
}

static bool in_scope(const struct takt_insn *insn)
{
	const char *mnemonic =
		takt_mnemonic_text(&takt_isa_aarch64, takt_form_unpack(insn->form).mnemonic);

	return !takt_string_is_one_of(takt_isa_set_name(insn->isa_set), foreign_sets,
				      TAKT_COUNT_OF(foreign_sets)) &&
	       !needs_exclusive_load(mnemonic) && !is_system(insn) && !has_foreign_operand(insn);
}

static const char *form_text(takt_form_key key, struct takt_arena *arena)
{
	struct takt_text text = {0};

	takt_form_write(&takt_isa_aarch64, key, &text);
	return takt_text_move(&text, arena);
}

void takt_probe_aarch64_forms_find(struct takt_arena *arena, struct probe_forms *ret_forms)
{
	size_t sample_count, count = 0;
	const struct takt_sample *samples = takt_aarch64_samples_find(arena, &sample_count);
	struct probe_form *forms = TAKT_NEW_ARRAY(arena, sample_count, struct probe_form);

	for (size_t i = 0; i < sample_count; i++) {
		struct probe_form *form = &forms[count];

		form->sample = samples[i];
		if (takt_decode(&takt_isa_aarch64, form->sample.bytes, form->sample.length_bytes, 0,
				&form->insn) != TAKT_OK ||
		    !in_scope(&form->insn) || !can_be_chosen(form))
			continue;
		form->text = form_text(form->sample.form, arena);
		count++;
	}
	*ret_forms = (struct probe_forms){&takt_isa_aarch64, forms, count};
}

/* ---- registers of instances ------------------------------------------------- */

/* Registers of a bank, by number. */
struct pool {
	uint8_t location; /* location of register number 0 */
	uint8_t written_count, read_count;
	uint8_t written[12], read[3];
};

/* x4 has the number of x86-64's stack pointer, which chains avoid; x13 and x14 are addresses. */
static const struct pool pools[] = {
	{TAKT_LOC_GPR, 8, 2, {6, 7, 8, 9, 10, 11, 12, 15}, {3, 5}},
	{TAKT_LOC_VECTOR, 12, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {13, 14, 15}},
	{TAKT_LOC_MASK, 4, 2, {2, 3, 4, 5}, {6, 7}},
};

/* A register operand, or a list of registers. */
struct operand {
	const struct pool *pool; /* NULL: no register */
	unsigned count;		 /* registers of the list */
	bool written;
};

static struct operand operand_of(const struct probe_form *form, unsigned slot)
{
	struct operand operand = {NULL, 0, false};

	if (form->sample.places[slot] == TAKT_SAMPLE_NO_PLACE)
		return operand;
	for (unsigned i = 0; i < form->insn.access_count; i++) {
		const struct takt_access *access = &form->insn.accesses[i];

		if (access->slot != slot || access->location == TAKT_LOC_NONE)
			continue;
		operand.count++;
		operand.written |= (access->flags & TAKT_WRITE) != 0;
		operand.pool = takt_location_is_gpr(access->location)	   ? &pools[0]
			       : takt_location_is_vector(access->location) ? &pools[1]
			       : takt_location_is_mask(access->location)   ? &pools[2]
									   : NULL;
	}
	return operand;
}

/* Count the registers of this pool before operand `end` that are written, or only read. */
static unsigned registers_before(const struct probe_form *form, const struct operand *like,
				 unsigned end)
{
	unsigned count = 0;

	for (unsigned n = 0; n < end; n++) {
		struct operand operand = operand_of(form, n);

		if (operand.pool == like->pool && operand.written == like->written)
			count += operand.count;
	}
	return count;
}

bool takt_probe_is_of_one_file(const struct probe_form *form)
{
	const struct pool *found = NULL;

	for (unsigned n = 0; n < TAKT_FORM_OPERANDS_MAX; n++) {
		const struct pool *pool = operand_of(form, n).pool;

		if (pool && found && pool != found)
			return false;
		found = pool ? pool : found;
	}
	return true;
}

#define INSTANCES_MAX 16u

unsigned takt_probe_aarch64_instances_max(const struct probe_form *form)
{
	unsigned most = INSTANCES_MAX;

	for (unsigned n = 0; n < TAKT_FORM_OPERANDS_MAX; n++) {
		struct operand operand = operand_of(form, n);
		unsigned all;

		if (!operand.pool || !operand.written)
			continue;
		all = registers_before(form, &operand, TAKT_FORM_OPERANDS_MAX);
		if (operand.pool->written_count / all < most)
			most = operand.pool->written_count / all;
	}
	return most;
}

static uint8_t register_of(const struct probe_form *form, unsigned slot, unsigned index)
{
	struct operand operand = operand_of(form, slot);
	unsigned before, all;

	if (!operand.pool)
		return TAKT_LOC_NONE;
	before = registers_before(form, &operand, slot);
	if (!operand.written)
		return (uint8_t)(operand.pool->location +
				 operand.pool->read[before % operand.pool->read_count]);
	all = registers_before(form, &operand, TAKT_FORM_OPERANDS_MAX);
	return (uint8_t)(operand.pool->location +
			 operand.pool
				 ->written[(index * all + before) % operand.pool->written_count]);
}

void takt_probe_aarch64_instance(const struct probe_form *form, unsigned index,
				 struct takt_choice *ret_choice)
{
	*ret_choice = (struct takt_choice){
		.base = PROBE_BASE,
		.index = PROBE_INDEX,
		.displacement = form->sample.displacement_unit_bytes
					? (int32_t)(64 * (1 + index % INSTANCES_MAX))
					: 0,
	};
	for (unsigned n = 0; n < TAKT_FORM_OPERANDS_MAX; n++)
		ret_choice->registers[n] = register_of(form, n, index);
}
