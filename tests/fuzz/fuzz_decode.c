/* SPDX-License-Identifier: MIT */
/* Any bytes: decode, roles within limits, form text round trip, disassembly. */
#include <stdlib.h>

#include "isa/isa.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct takt_insn *insn)
{
	struct takt_text text;
	size_t error_index;
	const char *error;

	if (insn->access_count > TAKT_ACCESSES_MAX || insn->memory_count > TAKT_MEMORIES_MAX)
		abort();
	for (unsigned i = 0; i < insn->access_count; i++)
		if (insn->accesses[i].location >= TAKT_LOC_COUNT ||
		    insn->accesses[i].slot >= TAKT_SLOT_COUNT)
			abort();
	takt_text_init(&text);
	takt_form_write(&takt_isa_x86, insn->form, &text);
	if (takt_form_parse(&takt_isa_x86, takt_text_data(&text), takt_text_size_bytes(&text), &error_index,
			    &error) != insn->form)
		abort();
	takt_insn_write(insn, TAKT_SYNTAX_INTEL, &text);
	takt_insn_write(insn, TAKT_SYNTAX_ATT, &text);
	takt_text_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct takt_insn insn;

	for (size_t at = 0; at < size;) {
		if (takt_decode(&takt_isa_x86, data + at, size - at, at, &insn) == TAKT_OK) {
			check(&insn);
			at += insn.length_bytes;
		} else {
			at++;
		}
	}
	return 0;
}
