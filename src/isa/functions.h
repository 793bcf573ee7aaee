/* SPDX-License-Identifier: MIT */
/* Functions that each instruction set implements for isa.h. Private to isa. */
#ifndef TAKT_ISA_FUNCTIONS_H
#define TAKT_ISA_FUNCTIONS_H

#include "isa/isa.h"

struct takt_isa_functions {
	/* Implements takt_isa_can_decode(); NULL if instructions can always be decoded. */
	bool (*can_decode)(struct takt_diag *diag);
	/* Implements takt_decode(). */
	enum takt_status (*decode)(const struct takt_isa *isa, const uint8_t *bytes,
				   size_t size_bytes, uint64_t address, struct takt_insn *ret_insn);
	/* Implements takt_insn_flow_decode(). */
	bool (*step)(const struct takt_isa *isa, const uint8_t *bytes, size_t size_bytes,
		     struct takt_insn_flow *ret_flow);
	/* Implements takt_insn_write(). */
	void (*write)(const struct takt_insn *insn, enum takt_syntax syntax,
		      struct takt_text *text);
	/* Returns NULL for a location without a name. */
	const char *(*location_name)(const struct takt_isa *isa, uint8_t location);
	/* Returns NULL for a mnemonic without a name; parse returns 0 for an unknown name. */
	const char *(*mnemonic_text)(uint16_t mnemonic);
	uint16_t (*mnemonic_parse)(const char *text, size_t size_bytes);
	/* Implement takt_insn_operation() and so on; NULL if no operation of the set is known. */
	enum takt_operation (*operation)(const struct takt_insn *insn);
	void (*operands)(const struct takt_insn *insn,
			 struct takt_operand ret_operands[TAKT_FORM_OPERANDS_MAX]);
	bool (*is_affine)(const struct takt_insn *insn, struct takt_affine *ret_affine);
	/* Implements takt_insn_addressing(); NULL if addresses have none of its properties. */
	struct takt_addressing (*addressing)(const struct takt_insn *insn);
	/* The note of error messages: what to try if bytes cannot be decoded. */
	const char *undecodable_note;
};

extern const struct takt_isa_functions takt_x86_functions, takt_aarch64_functions;

/* Add an access; it is merged into one of the same location and slot, if there is one. */
void takt_insn_add_access(struct takt_insn *insn, unsigned location, unsigned slot, unsigned flags,
			  unsigned size_bytes);

/* Return the text of an operand kind, "" for none, NULL if there is no such kind. */
const char *takt_kind_text(unsigned kind);
/* Return the operand kind of AArch64 with this text, TAKT_KIND_NONE if there is none. */
unsigned takt_kind_parse(const char *text, size_t size_bytes);

#endif
