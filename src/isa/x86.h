/* SPDX-License-Identifier: MIT */
/*
 * Declarations that the files of the x86 decoder share: Zydis's decoded records with
 * the indices of the written operands, and registers in takt's terms. Private to isa.
 */
#ifndef TAKT_ISA_X86_H
#define TAKT_ISA_X86_H

#include <Zydis/Zydis.h>

#include "isa/functions.h"
#include "isa/mnemonic.h"

struct takt_x86 {
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	/*
	 * Indices into `operands` of the operands that a person writes, in order: the
	 * visible operands without {k}. The n-th is operand n of the form and TAKT_SLOT_n.
	 */
	uint8_t written[TAKT_FORM_OPERANDS_MAX];
	uint8_t written_count;
	uint8_t mask; /* index of the {k} operand other than k0, or TAKT_X86_NO_OPERAND */
};

#define TAKT_X86_NO_OPERAND 255

/* Location, kind and size of a register; the kind is TAKT_KIND_NONE if no operand names it. */
struct takt_x86_register {
	uint8_t location, kind, size_bytes;
};

/*
 * Decode an instruction with Zydis, or return Zydis's reason why not. The visible
 * operands are changed to those that assemblers write: with the xmm0 of legacy blends,
 * and without the register operand that Zydis gives the long nop.
 */
ZyanStatus takt_x86_read(const uint8_t *bytes, size_t size_bytes, struct takt_x86 *x86);

struct takt_x86_register takt_x86_register(ZydisRegister reg);
takt_form_key takt_x86_form(const struct takt_x86 *x86);
enum takt_insn_class takt_x86_class(const struct takt_x86 *x86);
/* True if a written operand is a register of a kind from `first` to `last`. */
bool takt_x86_has_register(const struct takt_x86 *x86, enum takt_operand_kind first,
			   enum takt_operand_kind last);

/* Add accesses, memories, and stack and x87 deltas; `insn` has its address and length already. */
void takt_x86_add_roles(const struct takt_x86 *x86, struct takt_insn *insn);
/* Add accesses to flag groups, MXCSR and x87 state, which Zydis gives as masks or not at all. */
void takt_x86_add_state_roles(const struct takt_x86 *x86, struct takt_insn *insn);

/* Return the written memory operand, of which there is at most one, or NULL. */
const ZydisDecodedOperand *takt_x86_written_memory(const struct takt_x86 *x86);
/* Append the mnemonic in AT&T syntax, with its size suffixes. */
void takt_x86_write_att_mnemonic(const struct takt_x86 *x86, struct takt_text *text);

/* True if VEX encodes the mnemonic as well as EVEX. */
bool takt_x86_has_vex_twin(ZydisMnemonic mnemonic);

/* The functions of x86-64 for struct takt_isa_functions. */
bool takt_x86_flow(const struct takt_isa *isa, const uint8_t *bytes, size_t size_bytes,
		   struct takt_insn_flow *ret_flow);
void takt_x86_write(const struct takt_insn *insn, enum takt_syntax syntax, struct takt_text *text);
const char *takt_x86_location_name(const struct takt_isa *isa, uint8_t location);
enum takt_operation takt_x86_operation(const struct takt_insn *insn);
void takt_x86_operands(const struct takt_insn *insn,
		       struct takt_operand ret_operands[TAKT_FORM_OPERANDS_MAX]);
bool takt_x86_is_affine(const struct takt_insn *insn, struct takt_affine *ret_affine);

static inline bool takt_x86_is_string(const struct takt_x86 *x86)
{
	return x86->insn.meta.category == ZYDIS_CATEGORY_STRINGOP ||
	       x86->insn.meta.category == ZYDIS_CATEGORY_IOSTRINGOP;
}

static inline bool takt_x86_is_nop(const struct takt_x86 *x86)
{
	return x86->insn.mnemonic == ZYDIS_MNEMONIC_NOP ||
	       x86->insn.mnemonic == ZYDIS_MNEMONIC_ENDBR64 ||
	       x86->insn.mnemonic == ZYDIS_MNEMONIC_ENDBR32;
}

static inline bool takt_x86_is_x87(const struct takt_x86 *x86)
{
	return x86->insn.meta.category == ZYDIS_CATEGORY_X87_ALU ||
	       x86->insn.meta.category == ZYDIS_CATEGORY_FCMOV;
}

#endif
