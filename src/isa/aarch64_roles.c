/* SPDX-License-Identifier: MIT */
/*
 * Accesses of AArch64 instructions (docs/aarch64-roles.md). LLVM lists registers, definitions
 * first; each is assigned to the written operand that names it, in the order of the text.
 */
#include <string.h>

#include "isa/aarch64.h"

#define PLACES_MAX (2 * TAKT_AARCH64_OPERANDS_MAX)

/* A place in the text that names registers: an operand, or the base or index of one. */
struct place {
	struct takt_aarch64_locations registers;
	uint8_t slot, size_bytes;
	uint8_t flags; /* flags of the accesses through this place */
	bool can_be_defined;
	bool is_defined, is_used;
};

struct roles {
	const struct takt_aarch64 *a64;
	struct takt_insn *insn;
	struct place places[PLACES_MAX];
	unsigned place_count;
	struct place *definitions[TAKT_LLVM_OPERANDS_MAX]; /* [LLVM's operand] its place, or NULL */
	bool keeps_old; /* part of the destination keeps its value */
};

/* Add an access; accesses are sorted by slot. */
void takt_aarch64_add_access(struct takt_insn *insn, unsigned location, unsigned slot,
			     unsigned flags, unsigned size_bytes)
{
	struct takt_access *accesses = insn->accesses;
	unsigned count = insn->access_count;

	takt_insn_add_access(insn, location, slot, flags, size_bytes);
	for (unsigned at = count;
	     at && count < insn->access_count && accesses[at - 1].slot > accesses[at].slot; at--) {
		struct takt_access last = accesses[at];

		accesses[at] = accesses[at - 1];
		accesses[at - 1] = last;
	}
}

/* ---- places ----------------------------------------------------------- */

static struct place *add_place(struct roles *roles, unsigned slot, unsigned size_bytes)
{
	struct place *place = &roles->places[roles->place_count++];

	*place = (struct place){.slot = (uint8_t)slot, .size_bytes = (uint8_t)size_bytes};
	return place;
}

static void add_address_place(struct roles *roles, unsigned location, unsigned slot, unsigned flags,
			      bool is_updated)
{
	struct place *place = add_place(roles, slot, 8);

	place->registers.words[location / 64] |= UINT64_C(1) << location % 64;
	place->flags = (uint8_t)flags;
	place->can_be_defined = is_updated;
}

static void find_places(struct roles *roles)
{
	for (unsigned i = 0; i < roles->a64->operand_count; i++) {
		const struct takt_aarch64_operand *operand = &roles->a64->operands[i];

		if (operand->count > 0) {
			struct place *place =
				add_place(roles, takt_aarch64_slot(i), operand->size_bytes);

			place->registers = operand->registers;
			place->can_be_defined = true;
		}
		if (operand->base != TAKT_LOC_NONE)
			add_address_place(roles, operand->base, TAKT_SLOT_BASE, TAKT_ADDRESS,
					  operand->is_updated);
		/* A post-index increment is not part of the address. */
		if (operand->index != TAKT_LOC_NONE)
			add_address_place(roles, operand->index, TAKT_SLOT_INDEX,
					  operand->is_updated ? 0 : TAKT_ADDRESS, false);
	}
}

static struct place *place_of_definition(struct roles *roles, unsigned location)
{
	struct place *again = NULL;

	for (unsigned i = 0; i < roles->place_count; i++) {
		struct place *place = &roles->places[i];

		if (!place->can_be_defined || !takt_aarch64_has(&place->registers, location))
			continue;
		if (!place->is_defined) {
			place->is_defined = true;
			return place;
		}
		again = again ? again : place;
	}
	return again;
}

/*
 * Return the first place that names the location and is free. If there is none, return one that
 * is taken: aliases print a register once that is read twice.
 */
static struct place *place_of_use(struct roles *roles, unsigned location)
{
	struct place *used = NULL, *defined = NULL;

	for (unsigned i = 0; i < roles->place_count; i++) {
		struct place *place = &roles->places[i];

		if (!takt_aarch64_has(&place->registers, location))
			continue;
		if (!place->is_used && !place->is_defined) {
			place->is_used = true;
			return place;
		}
		if (place->is_defined)
			defined = defined ? defined : place;
		else
			used = used ? used : place;
	}
	return used ? used : defined;
}

/* ---- accesses --------------------------------------------------------- */

static void add(struct roles *roles, const struct place *place, unsigned location, unsigned flags)
{
	unsigned size_bytes = takt_aarch64_is_vector(location) ? TAKT_AARCH64_VECTOR_BYTES : 8;

	if (location == TAKT_LOC_SZAP)
		takt_aarch64_add_access(roles->insn, location, TAKT_SLOT_FLAGS, flags | TAKT_HIDDEN,
					1);
	else if (place)
		takt_aarch64_add_access(roles->insn, location, place->slot, flags | place->flags,
					place->size_bytes);
	else if (location != TAKT_LOC_NONE)
		takt_aarch64_add_access(roles->insn, location, TAKT_SLOT_IMPLICIT + location,
					flags | TAKT_HIDDEN, size_bytes);
}

static void add_definition(struct roles *roles, unsigned index)
{
	const struct takt_llvm_operand *operand = &roles->a64->llvm->operands[index];

	for (unsigned i = 0; i < operand->reg.part_count; i++) {
		unsigned location = roles->a64->locations[operand->reg.parts[i]];
		struct place *place = roles->definitions[index];

		if (!place || !takt_aarch64_has(&place->registers, location))
			place = place_of_definition(roles, location);
		if (!roles->definitions[index])
			roles->definitions[index] = place;
		add(roles, place ? place : roles->definitions[index], location, TAKT_WRITE);
	}
}

/* Add the read of a register that is also written. The text may name it a second time. */
static void add_tied_use(struct roles *roles, const struct takt_llvm_operand *operand)
{
	struct place *first = roles->definitions[operand->tied_to];
	bool is_address = first && first->flags & TAKT_ADDRESS;
	unsigned merge = roles->keeps_old && !is_address ? TAKT_MERGE : 0;

	for (unsigned i = 0; i < operand->reg.part_count; i++) {
		unsigned location = roles->a64->locations[operand->reg.parts[i]];
		struct place *place = first;

		if (first && !takt_aarch64_has(&first->registers, location))
			place = place_of_definition(roles, location);
		add(roles, place ? place : first, location, TAKT_READ | merge);
		if (i == 0 && !is_address)
			place_of_use(roles, location);
	}
}

static void add_use(struct roles *roles, const struct takt_llvm_operand *operand)
{
	struct place *first = NULL;

	for (unsigned i = 0; i < operand->reg.part_count; i++) {
		unsigned location = roles->a64->locations[operand->reg.parts[i]];
		struct place *place = first;

		if (!first || !takt_aarch64_has(&first->registers, location))
			place = place_of_use(roles, location);
		first = first ? first : place;
		add(roles, place ? place : first, location, TAKT_READ);
	}
}

static void add_implicit(struct roles *roles, const struct takt_llvm_register *regs, unsigned count,
			 unsigned flags)
{
	for (unsigned i = 0; i < count; i++) {
		for (unsigned part = 0; part < regs[i].part_count; part++) {
			unsigned location = roles->a64->locations[regs[i].parts[part]];

			/* LLVM lists sp because callees use the stack, by convention. */
			if (location == TAKT_AARCH64_SP && roles->a64->llvm->flags & TAKT_LLVM_CALL)
				continue;
			add(roles, NULL, location, flags);
		}
	}
}

/* ---- roles that LLVM does not know ------------------------------------ */

static bool keeps_old(const struct takt_aarch64 *a64)
{
	static const char *const names[] = {"movk", "bfi", "bfxil", "bfc", "bfm",
					    "sli",  "sri", "ins",   "insr"};

	if (takt_string_is_one_of(a64->name, names, TAKT_COUNT_OF(names)) ||
	    takt_string_ends(a64->name, "n2"))
		return true;
	for (unsigned i = 0; i < a64->operand_count; i++)
		if (a64->operands[i].is_merging || (i == 0 && a64->operands[i].is_element))
			return true;
	return false;
}

/* Return the location of a system register, TAKT_LOC_SYSTEM if it has none of its own. */
static unsigned system_location(const char *text, size_t size_bytes)
{
	static const struct {
		char name[5];
		uint8_t location;
	} known[] = {{"NZCV", TAKT_LOC_SZAP}, {"FPCR", TAKT_LOC_MXCSR}, {"FPSR", TAKT_LOC_MXCSR}};

	for (size_t i = 0; i < TAKT_COUNT_OF(known); i++)
		if (takt_string_is(known[i].name, text, size_bytes))
			return known[i].location;
	return TAKT_LOC_SYSTEM;
}

/* Add the system register of mrs, msr, smstart, which LLVM leaves out; false for others. */
static bool add_system_register(struct roles *roles)
{
	const char *text = roles->a64->llvm->text;
	bool is_read = strncmp(text, "mrs", 3) == 0;
	const char *name, *slash;
	struct place place = {.slot = is_read ? TAKT_SLOT_1 + 1 : TAKT_SLOT_1, .size_bytes = 8};

	if (strncmp(text, "smst", 4) == 0) {
		add(roles, NULL, TAKT_LOC_SYSTEM, TAKT_WRITE);
		return true;
	}
	if ((!is_read && strncmp(text, "msr", 3) != 0) || roles->a64->operand_count < 2)
		return false;
	slash = strrchr(text, ',');
	name = is_read ? slash + 2 : strchr(text, ' ') + 1;
	add(roles, &place, system_location(name, strcspn(name, ",")),
	    is_read ? TAKT_READ : TAKT_WRITE);
	return true;
}

void takt_aarch64_set_roles(const struct takt_aarch64 *a64, struct takt_insn *insn)
{
	const struct takt_llvm_insn *llvm = a64->llvm;
	struct roles roles = {.a64 = a64, .insn = insn, .keeps_old = keeps_old(a64)};

	find_places(&roles);
	for (unsigned i = 0; i < llvm->operand_count; i++)
		if (llvm->operands[i].is_definition)
			add_definition(&roles, i);
	for (unsigned i = 0; i < llvm->operand_count; i++) {
		const struct takt_llvm_operand *operand = &llvm->operands[i];

		if (operand->type != TAKT_LLVM_REGISTER || operand->is_definition)
			continue;
		if (operand->tied_to >= 0 && operand->tied_to < TAKT_LLVM_OPERANDS_MAX)
			add_tied_use(&roles, operand);
		else
			add_use(&roles, operand);
	}
	if (add_system_register(&roles))
		return;
	add_implicit(&roles, llvm->implicit_reads, llvm->implicit_read_count, TAKT_READ);
	add_implicit(&roles, llvm->implicit_writes, llvm->implicit_write_count, TAKT_WRITE);
}
