/* SPDX-License-Identifier: MIT */
/*
 * program: a block cut down to what its addresses come from. Memory accesses are kept, and
 * of the other instructions those whose results reach an address, through registers,
 * flags or memory, in this iteration or a later one. Private to depend.
 */
#ifndef TAKT_DEPEND_PROGRAM_H
#define TAKT_DEPEND_PROGRAM_H

#include "depend/values.h"

#define TAKT_NO_REGISTER 255

/* A general register, or the byte above its lowest (ah). */
struct takt_register_part {
	uint8_t number; /* 0 … 31, or TAKT_NO_REGISTER */
	uint8_t shift;  /* 0 or 8 */
};

/* An operand of a step. */
struct takt_term {
	uint8_t type; /* enum takt_operand_type */
	uint8_t memory, size_bytes;
	uint8_t modifiers, shift_bits; /* as of struct takt_operand */
	struct takt_register_part part;
	uint64_t immediate;
};

/* One of the instruction's memories. */
struct takt_touch {
	uint64_t displacement; /* with what stands for the segment's base */
	uint8_t base, index;   /* register numbers or TAKT_NO_REGISTER */
	uint8_t scale;
	bool named;            /* these registers tell the address */
	bool read, write;
	bool is_narrow;        /* the address has 32 bits */
	uint8_t index_size_bytes; /* as of struct takt_addressing */
	bool index_signed;
	uint16_t size_bytes;
};

/* One instruction. */
struct takt_program_step {
	uint32_t insn;
	uint8_t operation;  /* enum takt_operation; NONE if no one wants its results */
	uint8_t size_bytes;
	int8_t condition;   /* enum takt_condition or -1 */
	uint8_t touch_count;
	bool stores;
	bool same;          /* both sources are one register */
	bool bends;         /* sources are cut, so that strides do not carry over */
	uint8_t stepped;    /* register that steps on by `step_bytes`, or TAKT_NO_REGISTER */
	uint16_t flags;     /* mask of takt_flag_bit that it writes */
	uint32_t forgets;   /* registers that are not known afterwards, by bits */
	uint32_t advances;  /* registers that step on by `size_bytes` */
	int64_t step_bytes;
	struct takt_term low, high; /* where the results go */
	struct takt_term first, second, third;
	struct takt_touch touches[TAKT_MEMORIES_MAX];
};

struct takt_program {
	const struct takt_program_step *steps;
	uint32_t step_count;
	uint32_t insn_count;   /* of the block */
	bool follows_memory;   /* what memory holds reaches addresses */
	bool is_still;         /* no register that reaches addresses is ever written */
};

enum takt_program_scope {
	TAKT_PROGRAM_ONCE,  /* what reaches addresses if the block runs once */
	TAKT_PROGRAM_LOOP,  /* over and over */
	TAKT_PROGRAM_WHOLE, /* everything, to test the semantics */
};

void takt_program_make(const struct takt_block *block, enum takt_program_scope scope,
		       struct takt_arena *arena, struct takt_program *ret_program);

#endif
