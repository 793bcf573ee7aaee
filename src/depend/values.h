/* SPDX-License-Identifier: MIT */
/*
 * values: the semantics of integer operations, on 64-bit values of which some are
 * unknown (⊥). An unknown input makes the results unknown, except for a register xored with
 * itself and the like. Private to depend.
 */
#ifndef TAKT_DEPEND_VALUES_H
#define TAKT_DEPEND_VALUES_H

#include "depend/depend.h"

#define TAKT_GPR_COUNT 32u

struct takt_value {
	uint64_t bits; /* 0 if unknown */
	bool known;
};

/*
 * Flags, with the bits of x86-64's flags register; the adjust flag is left out because no
 * instruction that is computed here reads it. AArch64's N Z C V are sign, zero, carry and
 * overflow.
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
 * Conditions, numbered as x86-64 encodes them, each followed by its opposite; then those that
 * only AArch64 has: carry without zero, and always.
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

/* Return the flags that AArch64 encodes as N Z C V from bit 3 down. */
struct takt_flags takt_flags_read(uint64_t bits);

/* One computation; its sources are first truncated to `size_bytes`. */
struct takt_computation {
	uint8_t operation;  /* enum takt_operation */
	uint8_t size_bytes; /* 1, 2, 4 or 8 */
	int8_t condition;   /* enum takt_condition, or -1: unknown */
	bool same;	    /* both sources are the same register */
	bool no_flags;	    /* the resulting flags are not needed */
	struct takt_value first, second, third;
};

struct takt_result {
	struct takt_value low;	/* new value of operand 1, or of rax, truncated to the size */
	struct takt_value high; /* wide multiplications, spread sign: rdx; pairs: operand 2 */
};

/*
 * Compute the result and update `flags`. Flags that the instruction does not write are
 * meaningless afterwards: shifts without flags are computed like those with them.
 */
struct takt_result takt_compute(const struct takt_computation *computation,
				struct takt_flags *flags);

/* Return 1 if the condition holds and 0 if not; unknown if it depends on unknown flags. */
struct takt_value takt_condition_test(int condition, const struct takt_flags *flags);

/* True if the operation has at least two sources. */
bool takt_operation_has_two_sources(enum takt_operation operation);
/*
 * True if the results change by a constant from iteration to iteration whenever the sources
 * do; a source that "stays" does not change at all. Narrow results do so until they wrap.
 */
bool takt_operation_is_linear(enum takt_operation operation, bool first_stays, bool second_stays);

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
