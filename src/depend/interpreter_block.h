/* SPDX-License-Identifier: MIT */
/*
 * program: a block, reduced to the instructions on which its addresses depend (a slice).
 * Memory accesses are kept, and of the other instructions those whose results reach an
 * address through registers, flags or memory, in this iteration or a later one. Private to
 * depend.
 */
#ifndef TAKT_DEPEND_PROGRAM_H
#define TAKT_DEPEND_PROGRAM_H

#include "depend/values.h"

#define TAKT_NO_REGISTER 255

/* A general register, or the byte above its lowest (ah). */
struct takt_register_part {
	uint8_t number; /* 0 … 31, or TAKT_NO_REGISTER */
	uint8_t shift;	/* 0 or 8 */
};

/* An operand of an instruction. */
struct takt_term {
	uint8_t type; /* enum takt_operand_type */
	uint8_t memory, size_bytes;
	uint8_t modifiers, shift_bits; /* as in struct takt_operand */
	struct takt_register_part part;
	uint64_t immediate;
};

/* A memory operand of an instruction, and how its address is computed. */
struct takt_touch {
	uint64_t displacement; /* with a number that stands for the segment's base */
	uint8_t base, index;   /* register numbers or TAKT_NO_REGISTER */
	uint8_t scale;
	bool named; /* general registers and constants give the address */
	bool read, write;
	bool is_narrow;		  /* the address has 32 bits */
	uint8_t index_size_bytes; /* as in struct takt_addressing */
	bool index_signed;
	uint16_t size_bytes;
};

/* An instruction of the slice. */
struct takt_sliced_insn {
	uint32_t insn;	   /* index into the block's insns */
	uint8_t operation; /* enum takt_operation; NONE if its results reach no address */
	uint8_t size_bytes;
	int8_t condition; /* enum takt_condition or -1 */
	uint8_t touch_count;
	bool stores;
	bool same;		/* both sources are the same register */
	bool bends;		/* sources are truncated or rotated: their strides may get lost */
	uint8_t writeback_base; /* register that grows by `writeback_bytes`, or TAKT_NO_REGISTER */
	uint16_t flags;		/* mask of takt_flag_bit that it writes */
	uint32_t forgets;	/* mask of registers that are unknown afterwards */
	uint32_t advances;	/* mask of registers that grow by `size_bytes` */
	int64_t writeback_bytes;
	struct takt_term low, high; /* destinations of the results */
	struct takt_term first, second, third;
	struct takt_touch touches[TAKT_MEMORIES_MAX];
};

struct takt_program {
	const struct takt_sliced_insn *sliced;
	uint32_t sliced_count;
	uint32_t insn_count; /* instructions of the block */
	bool follows_memory; /* some addresses depend on values in memory */
	bool is_still;	     /* no register that reaches addresses is ever written */
};

enum takt_program_scope {
	TAKT_PROGRAM_ONCE,  /* instructions that reach addresses if the block runs once */
	TAKT_PROGRAM_LOOP,  /* instructions that reach addresses if the block is repeated */
	TAKT_PROGRAM_WHOLE, /* all instructions, to test the semantics */
};

/* Make the program of a block, in the arena. */
void takt_program_make(const struct takt_block *block, enum takt_program_scope scope,
		       struct takt_arena *arena, struct takt_program *ret_program);

#endif
