/* SPDX-License-Identifier: MIT */
/* What an instruction set does by itself behind isa.h. Private to isa. */
#ifndef TAKT_ISA_FUNCTIONS_H
#define TAKT_ISA_FUNCTIONS_H

#include "isa/isa.h"

struct takt_isa_functions {
	/* As takt_decode(). */
	enum takt_status (*decode)(const struct takt_isa *isa, const uint8_t *bytes,
				   size_t size_bytes, uint64_t address, struct takt_insn *ret_insn);
	/* As takt_step_decode(). */
	bool (*step)(const struct takt_isa *isa, const uint8_t *bytes, size_t size_bytes,
		     struct takt_step *ret_step);
	/* As takt_insn_write(). */
	void (*write)(const struct takt_insn *insn, enum takt_syntax syntax,
		      struct takt_text *text);
	/* NULL for what has no name. */
	const char *(*location_name)(const struct takt_isa *isa, uint8_t location);
	/* NULL for what has no name; parse returns 0. */
	const char *(*mnemonic_text)(uint16_t mnemonic);
	uint16_t (*mnemonic_parse)(const char *text, size_t size_bytes);
	/* As their namesakes of isa.h. NULL: nothing is known of what instructions compute. */
	enum takt_operation (*operation)(const struct takt_insn *insn);
	void (*operands)(const struct takt_insn *insn,
			 struct takt_operand ret_operands[TAKT_FORM_OPERANDS_MAX]);
	bool (*is_affine)(const struct takt_insn *insn, struct takt_affine *ret_affine);
	/* NULL: as its namesake for x86-64, where nothing is to be said. */
	struct takt_addressing (*addressing)(const struct takt_insn *insn);
	/* For messages: what to try if bytes cannot be decoded. */
	const char *undecodable_note;
};

extern const struct takt_isa_functions takt_x86_functions, takt_aarch64_functions,
	takt_llvm_functions;

/* One entry per location and slot; a second one is merged into the first. */
void takt_insn_add_access(struct takt_insn *insn, unsigned location, unsigned slot, unsigned flags,
			  unsigned size_bytes);

/* Text of an operand kind, "" for none, NULL for what is no kind. */
const char *takt_kind_text(unsigned kind);
/* The operand kind of AArch64 with this text, TAKT_KIND_NONE if there is none. */
unsigned takt_kind_parse(const char *text, size_t size_bytes);

#endif
