/* SPDX-License-Identifier: MIT */
/*
 * Operations and operands of AArch64 instructions, read from their encodings (Arm ARM, section
 * C4.1), and how loads and stores form their addresses. Private to isa.
 */
#ifndef TAKT_ISA_AARCH64_OPERATION_H
#define TAKT_ISA_AARCH64_OPERATION_H

#include "isa/functions.h"

struct takt_aarch64_meaning {
	enum takt_operation operation;
	struct takt_operand operands[TAKT_FORM_OPERANDS_MAX];
	struct takt_addressing addressing;
	uint8_t memory_count; /* number of memories that the operands refer to */
};

/* The functions of AArch64 for struct takt_isa_functions. */
enum takt_operation takt_aarch64_operation(const struct takt_insn *insn);
void takt_aarch64_operands(const struct takt_insn *insn,
			   struct takt_operand ret_operands[TAKT_FORM_OPERANDS_MAX]);
bool takt_aarch64_is_affine(const struct takt_insn *insn, struct takt_affine *ret_affine);
struct takt_addressing takt_aarch64_addressing(const struct takt_insn *insn);

/* Read a load or store; `meaning` must be all zeros. */
void takt_aarch64_read_access(uint32_t word, struct takt_aarch64_meaning *meaning);

/* ---- fields ------------------------------------------------------------------------ */

static inline uint32_t takt_bits(uint32_t word, unsigned lowest, unsigned count)
{
	return word >> lowest & ((1u << count) - 1);
}

static inline int64_t takt_signed_bits(uint32_t word, unsigned lowest, unsigned count)
{
	return (int64_t)((uint64_t)takt_bits(word, lowest, count) << (64 - count)) >> (64 - count);
}

/* ---- operands: register 31 is the stack pointer, or zero ----------------------------- */

static inline struct takt_operand takt_constant(int64_t value)
{
	return (struct takt_operand){
		.type = TAKT_OPERAND_IMMEDIATE, .size_bytes = 8, .immediate = value};
}

static inline struct takt_operand takt_general_or_stack(unsigned number, unsigned size_bytes)
{
	return (struct takt_operand){.type = TAKT_OPERAND_REGISTER,
				     .location = (uint8_t)(TAKT_LOC_GPR + number),
				     .size_bytes = (uint8_t)size_bytes};
}

static inline struct takt_operand takt_general(unsigned number, unsigned size_bytes)
{
	return number == 31 ? takt_constant(0) : takt_general_or_stack(number, size_bytes);
}

/* Return the operand for a result; one that goes to the zero register is discarded. */
static inline struct takt_operand takt_result(unsigned number, unsigned size_bytes)
{
	return number == 31 ? (struct takt_operand){.type = TAKT_OPERAND_NONE,
						    .size_bytes = (uint8_t)size_bytes}
			    : takt_general_or_stack(number, size_bytes);
}

static inline struct takt_operand takt_modified(struct takt_operand operand, unsigned modifiers,
						unsigned shift_bits)
{
	operand.modifiers = (uint8_t)modifiers;
	operand.shift_bits = (uint8_t)shift_bits;
	return operand;
}

#endif
