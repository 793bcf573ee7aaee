/* SPDX-License-Identifier: MIT */
/*
 * values: what integer operations compute, on 64-bit values of which some are
 * not known (⊥). Not known in, not known out, save for a register xored with itself and
 * the like. Private to depend.
 */
#ifndef TAKT_DEPEND_VALUES_H
#define TAKT_DEPEND_VALUES_H

#include "depend/depend.h"

#define TAKT_GPR_COUNT 32u

struct takt_value {
	uint64_t bits; /* 0 if not known */
	bool known;
};

/*
 * As in the flags register of x86-64; the adjust flag is left out, no instruction of ours
 * reads it. AArch64's N Z C V are sign, zero, carry and overflow.
 */
enum takt_flag_bit {
	TAKT_FLAG_CARRY = 1 << 0,
	TAKT_FLAG_PARITY = 1 << 2,
	TAKT_FLAG_ZERO = 1 << 6,
	TAKT_FLAG_SIGN = 1 << 7,
	TAKT_FLAG_OVERFLOW = 1 << 11,
};

#define TAKT_FLAGS_SZP (TAKT_FLAG_SIGN | TAKT_FLAG_ZERO | TAKT_FLAG_PARITY)
#define TAKT_FLAGS_ALL (TAKT_FLAGS_SZP | TAKT_FLAG_CARRY | TAKT_FLAG_OVERFLOW)

/*
 * As x86-64 encodes them, each followed by its opposite, and what AArch64 has besides: a
 * carry without zero.
 */
enum takt_condition {
	TAKT_CONDITION_OVERFLOW = 0,
	TAKT_CONDITION_CARRY = 2,
	TAKT_CONDITION_ZERO = 4,
	TAKT_CONDITION_CARRY_OR_ZERO = 6,
	TAKT_CONDITION_SIGN = 8,
	TAKT_CONDITION_PARITY = 10,
	TAKT_CONDITION_LESS = 12,
	TAKT_CONDITION_LESS_OR_ZERO = 14,
	TAKT_CONDITION_CARRY_NOT_ZERO = 16,
	TAKT_CONDITION_ALWAYS = 18,
};

struct takt_flags {
	uint16_t bits, known; /* masks of takt_flag_bit */
};

/* Of AArch64: N Z C V from bit 3 down. */
struct takt_flags takt_flags_read(uint64_t bits);

/* One computation; the sources are cut to `size_bytes` first. */
struct takt_computation {
	uint8_t operation;  /* enum takt_operation */
	uint8_t size_bytes; /* 1, 2, 4 or 8 */
	int8_t condition;   /* enum takt_condition, or -1: not known */
	bool same;          /* both sources are one register */
	bool no_flags;      /* no one asks for them */
	struct takt_value first, second, third;
};

struct takt_result {
	struct takt_value low;  /* what operand 1, or rax, becomes, cut to the size */
	struct takt_value high; /* wide multiplications, spread sign: rdx; pairs: operand 2 */
};

/*
 * Changes `flags`, of which those that the instruction does not write mean nothing then:
 * shifts without flags are computed like those with them.
 */
struct takt_result takt_compute(const struct takt_computation *computation,
				struct takt_flags *flags);

/* At least. */
bool takt_operation_has_two_sources(enum takt_operation operation);
/*
 * Whether the results change by constants from iteration to iteration if the sources do,
 * those that do not stay as they are. Of narrow results this is so until they wrap.
 */
bool takt_operation_is_linear(enum takt_operation operation, bool first_stays,
			      bool second_stays);

static inline uint64_t takt_size_mask(unsigned size_bytes)
{
	return size_bytes >= 8 ? UINT64_MAX : ((uint64_t)1 << 8 * size_bytes) - 1;
}

static inline uint64_t takt_extend_sign(uint64_t bits, unsigned size_bytes)
{
	uint64_t sign = (uint64_t)1 << (8 * size_bytes - 1);

	return size_bytes >= 8 ? bits : ((bits & takt_size_mask(size_bytes)) ^ sign) - sign;
}

#endif
