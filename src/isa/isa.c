/* SPDX-License-Identifier: MIT */
/* The instruction sets, and code that is common to all of them. */
#include "isa/isa.h"

#include <assert.h>
#include <string.h>

#include "isa/functions.h"

const struct takt_isa takt_isa_x86 = {
	.name = "x86-64",
	.title = "x86-64",
	.unit_bytes = 1,
	.stack_location = TAKT_LOC_RSP,
	.has_register_parts = true,
	.functions = &takt_x86_functions,
};

const struct takt_isa takt_isa_aarch64 = {
	.name = "aarch64",
	.title = "AArch64",
	.unit_bytes = 4,
	.stack_location = TAKT_LOC_GPR + 31,
	.functions = &takt_aarch64_functions,
};

const char *takt_isa_example_core(const char *isa)
{
	static const char *const cores[][2] = {
#define CORE(set, title, core) {set, core},
#include "../../data/default_cores.def"
#undef CORE
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(cores); i++)
		if (strcmp(cores[i][0], isa) == 0)
			return cores[i][1];
	return NULL;
}

enum takt_status takt_decode(const struct takt_isa *isa, const uint8_t *bytes, size_t size_bytes,
			     uint64_t address, struct takt_insn *ret_insn)
{
	return isa->functions->decode(isa, bytes, size_bytes, address, ret_insn);
}

bool takt_insn_flow_decode(const struct takt_isa *isa, const uint8_t *bytes, size_t size_bytes,
			   struct takt_insn_flow *ret_flow)
{
	return isa->functions->step(isa, bytes, size_bytes, ret_flow);
}

bool takt_isa_can_decode(const struct takt_isa *isa, struct takt_diag *diag)
{
	return !isa->functions->can_decode || isa->functions->can_decode(diag);
}

void takt_insn_write(const struct takt_insn *insn, enum takt_syntax syntax, struct takt_text *text)
{
	insn->isa->functions->write(insn, syntax, text);
}

const char *takt_location_name(const struct takt_isa *isa, uint8_t location)
{
	const char *name = isa->functions->location_name(isa, location);

	return name ? name : "?";
}

const char *takt_mnemonic_text(const struct takt_isa *isa, uint16_t mnemonic)
{
	const char *name = isa->functions->mnemonic_text(mnemonic);

	return name ? name : "?";
}

/* ---- operations --------------------------------------------------------------- */

enum takt_operation takt_insn_operation(const struct takt_insn *insn)
{
	return insn->isa->functions->operation ? insn->isa->functions->operation(insn)
					       : TAKT_OPERATION_UNKNOWN;
}

bool takt_isa_has_operations(const struct takt_isa *isa)
{
	return isa->functions->operation != NULL;
}

void takt_insn_operands(const struct takt_insn *insn,
			struct takt_operand ret_operands[TAKT_FORM_OPERANDS_MAX])
{
	if (insn->isa->functions->operands)
		insn->isa->functions->operands(insn, ret_operands);
	else
		memset(ret_operands, 0, TAKT_FORM_OPERANDS_MAX * sizeof(*ret_operands));
}

bool takt_insn_is_affine(const struct takt_insn *insn, struct takt_affine *ret_affine)
{
	return insn->isa->functions->is_affine && insn->isa->functions->is_affine(insn, ret_affine);
}

struct takt_addressing takt_insn_addressing(const struct takt_insn *insn)
{
	return insn->isa->functions->addressing ? insn->isa->functions->addressing(insn)
						: (struct takt_addressing){0};
}

/* ---- roles ---------------------------------------------------------------------- */

#define ACCESS_SIZE_MAX_BYTES 64u

void takt_insn_add_access(struct takt_insn *insn, unsigned location, unsigned slot, unsigned flags,
			  unsigned size_bytes)
{
	struct takt_access *access;

	if (size_bytes > ACCESS_SIZE_MAX_BYTES)
		size_bytes = ACCESS_SIZE_MAX_BYTES;
	assert(location < TAKT_LOC_COUNT && slot < TAKT_SLOT_COUNT);
	for (unsigned index = 0; index < insn->access_count; index++) {
		access = &insn->accesses[index];
		if (access->location == location && access->slot == slot) {
			access->flags |= (uint8_t)flags;
			if (access->size_bytes < size_bytes)
				access->size_bytes = (uint8_t)size_bytes;
			return;
		}
	}
	if (insn->access_count == TAKT_ACCESSES_MAX) {
		insn->flags |= TAKT_INSN_ACCESSES_CUT;
		return;
	}
	access = &insn->accesses[insn->access_count++];
	*access = (struct takt_access){(uint8_t)location, (uint8_t)slot, (uint8_t)flags,
				       (uint8_t)size_bytes};
}

const struct takt_memory *takt_insn_data_memory(const struct takt_insn *insn)
{
	for (unsigned i = 0; i < insn->memory_count; i++)
		if (!insn->memories[i].address_only)
			return &insn->memories[i];
	return NULL;
}

bool takt_insn_writes_high8(const struct takt_insn *insn)
{
	for (unsigned i = 0; i < insn->access_count; i++)
		if (insn->accesses[i].flags & TAKT_WRITE &&
		    takt_location_is_high8(insn->accesses[i].location))
			return true;
	return false;
}

/* ---- blocks -------------------------------------------------------------------- */

#define ROW_SIZE_BYTES 16

static void report_undecodable(const struct takt_isa *isa, const struct takt_code_bytes *code,
			       size_t offset, struct takt_diag *diag)
{
	uint8_t padded[ROW_SIZE_BYTES] = {0};
	struct takt_insn insn;
	size_t row = offset > ROW_SIZE_BYTES / 2 ? offset - ROW_SIZE_BYTES / 2 : 0;
	size_t left = code->size_bytes - row, rest = code->size_bytes - offset;
	struct takt_bytes_place place = {
		.file = code->file,
		.section = code->section,
		.offset = code->address + offset,
		.row = code->bytes + row,
		.row_size_bytes = left < ROW_SIZE_BYTES ? left : ROW_SIZE_BYTES,
		.row_index = offset - row,
	};

	memcpy(padded, code->bytes + offset, rest < ROW_SIZE_BYTES ? rest : ROW_SIZE_BYTES);
	if (takt_decode(isa, padded, ROW_SIZE_BYTES, 0, &insn) == TAKT_OK) {
		takt_error_in_bytes(diag, &place, "the code ends inside this instruction");
		takt_note(diag, "extend the range to the end of the instruction");
		return;
	}
	if (isa->unit_bytes == sizeof(uint32_t))
		takt_error_in_bytes(diag, &place, "0x%02x%02x%02x%02x is no known %s instruction",
				    padded[3], padded[2], padded[1], padded[0], isa->title);
	else
		takt_error_in_bytes(diag, &place,
				    "byte 0x%02x does not begin a known %s instruction",
				    code->bytes[offset], isa->title);
	takt_note(diag, "%s", isa->functions->undecodable_note);
}

static enum takt_status decode_at(const struct takt_isa *isa, const struct takt_code_bytes *code,
				  size_t offset, struct takt_insn *ret_insn)
{
	return takt_decode(isa, code->bytes + offset, code->size_bytes - offset,
			   code->address + offset, ret_insn);
}

enum takt_status takt_decode_block(const struct takt_isa *isa, const struct takt_code_bytes *code,
				   struct takt_arena *arena, struct takt_diag *diag,
				   struct takt_block *ret_block)
{
	size_t capacity = code->size_bytes / 4 + 4; /* instructions have four bytes on average */
	struct takt_insn *insns = TAKT_NEW_ARRAY(arena, capacity, struct takt_insn);
	size_t offset = 0;
	uint32_t count = 0;

	while (offset < code->size_bytes) {
		enum takt_status status;

		TAKT_GROW_IN(arena, insns, count + 1, capacity);
		status = decode_at(isa, code, offset, &insns[count]);
		/* The cause that kept the decoder from loading is reported, unless it is over. */
		if (status == TAKT_UNAVAILABLE && takt_isa_can_decode(isa, diag))
			status = decode_at(isa, code, offset, &insns[count]);
		if (status == TAKT_UNAVAILABLE)
			return status;
		if (status != TAKT_OK)
			report_undecodable(isa, code, offset, diag);
		if (status != TAKT_OK)
			return status;
		offset += insns[count++].length_bytes;
	}
	*ret_block = (struct takt_block){isa, insns, count};
	return TAKT_OK;
}
