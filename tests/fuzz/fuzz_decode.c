/* SPDX-License-Identifier: MIT */
/*
 * Any bytes, as code of x86-64 and of AArch64: decode, roles within limits, form text round
 * trip, disassembly, and what instructions compute.
 */
#include <stdlib.h>

#include "isa/isa.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_computation(const struct takt_insn *insn)
{
	struct takt_operand operands[TAKT_FORM_OPERANDS_MAX];
	struct takt_affine affine;
	struct takt_insn_flow step;

	takt_insn_operands(insn, operands);
	takt_insn_is_affine(insn, &affine);
	takt_insn_addressing(insn);
	if (takt_insn_operation(insn) >= TAKT_OPERATION_COUNT ||
	    (takt_insn_flow_decode(insn->isa, insn->bytes, insn->length_bytes, &step) &&
	     step.length_bytes != insn->length_bytes))
		abort();
}

static void check(const struct takt_insn *insn)
{
	struct takt_text text = {0};
	size_t error_index;
	const char *error;

	if (insn->access_count > TAKT_ACCESSES_MAX || insn->memory_count > TAKT_MEMORIES_MAX)
		abort();
	for (unsigned i = 0; i < insn->access_count; i++)
		if (insn->accesses[i].location >= TAKT_LOC_COUNT ||
		    insn->accesses[i].slot >= TAKT_SLOT_COUNT)
			abort();
	takt_form_write(insn->isa, insn->form, &text);
	if (takt_form_parse(insn->isa, takt_text_data(&text), takt_text_size_bytes(&text),
			    &error_index, &error) != insn->form)
		abort();
	takt_insn_write(insn, TAKT_SYNTAX_INTEL, &text);
	takt_insn_write(insn, TAKT_SYNTAX_ATT, &text);
	takt_text_release(&text);
}

static void decode_all(const struct takt_isa *isa, const uint8_t *data, size_t size)
{
	struct takt_insn insn;

	for (size_t at = 0; at < size;) {
		enum takt_status status = takt_decode(isa, data + at, size - at, at, &insn);

		if (status == TAKT_UNAVAILABLE)
			return; /* without the module */
		if (status == TAKT_OK) {
			check(&insn);
			check_computation(&insn);
		}
		at += status == TAKT_OK ? insn.length_bytes : isa->unit_bytes;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	decode_all(&takt_isa_x86, data, size);
	decode_all(&takt_isa_aarch64, data, size);
	return 0;
}
