/* SPDX-License-Identifier: MIT */
/*
 * The AArch64 instructions of programs. Registers have fixed roles: x1 points into the data, x14
 * counts down, x0 holds random numbers, x2, x4 and x5 are scratch.
 */
#include <string.h>

#include "learn/program.h"

#define WORD_BYTES 4u

/* The function gets the start in x0, the turns in x1, and a random number in x2. Code is in
 * little-endian order everywhere. */
static const uint8_t entry[] = {0xfd, 0x7b, 0xbf, 0xa9,	 /* stp x29, x30, [sp, -16]! */
				0xee, 0x03, 0x01, 0xaa,	 /* mov x14, x1 */
				0xe1, 0x03, 0x00, 0xaa,	 /* mov x1, x0 */
				0xe0, 0x03, 0x02, 0xaa}; /* mov x0, x2 */
static const uint8_t leave[] = {0xfd, 0x7b, 0xc1, 0xa8,	 /* ldp x29, x30, [sp], 16 */
				0xc0, 0x03, 0x5f, 0xd6}; /* ret */
static const uint8_t nop[] = {0x1f, 0x20, 0x03, 0xd5};
static const uint8_t trap[] = {0, 0, 0, 0}; /* udf 0 */

static void add(struct learn_program *program, uint32_t insn)
{
	const uint8_t bytes[WORD_BYTES] = {(uint8_t)insn, (uint8_t)(insn >> 8),
					   (uint8_t)(insn >> 16), (uint8_t)(insn >> 24)};

	program_add_insn(program, bytes, sizeof(bytes));
}

/* Return the distance from the instruction added next to a place in the code, in instructions. */
static uint32_t distance(const struct learn_program *program, uint32_t target)
{
	return (target - (uint32_t)program->code.size_bytes) / WORD_BYTES;
}

/* Add b or bl, whose distance has 26 bits. */
static void add_branch(struct learn_program *program, uint32_t opcode, uint32_t target)
{
	add(program, opcode | (distance(program, target) & 0x3ffffff));
}

static void add_loop_end(struct learn_program *program, uint32_t target)
{
	add(program, 0xd10005ce); /* sub x14, x14, 1 */
	/* cbnz x14, whose distance has 19 bits */
	add(program, 0xb500000e | (distance(program, target) & 0x7ffff) << 5);
}

static void add_chase(struct learn_program *program)
{
	add(program, 0xf9400021); /* ldr x1, [x1] */
}

static void add_follow(struct learn_program *program, uint32_t displacement)
{
	uint32_t field = displacement / 8 << 10;

	add(program, 0xf9400020 | field); /* ldr x0, [x1, D] */
	add(program, 0xf9400000);	  /* ldr x0, [x0] */
	add(program, 0xf9000020 | field); /* str x0, [x1, D] */
}

static void add_random(struct learn_program *program)
{
	add(program, 0xca003400); /* eor x0, x0, x0, lsl 13 */
	add(program, 0xca401c00); /* eor x0, x0, x0, lsr 7 */
	add(program, 0xca004400); /* eor x0, x0, x0, lsl 17 */
}

static void add_random_branch(struct learn_program *program, uint8_t bits)
{
	add(program, 0xd2800002 | (uint32_t)bits << 5); /* mov x2, bits */
	add(program, 0xea02001f);			/* tst x0, x2 */
	add(program, 0x54000040);			/* b.eq after the nop */
}

static void add_jump(struct learn_program *program, uint32_t target)
{
	add_branch(program, 0x14000000, target);
}

static void add_constant(struct learn_program *program, uint32_t index)
{
	add(program, 0xd2822440 | (6 + index % 8)); /* mov X, 0x1122 */
}

static void add_dispatch(struct learn_program *program, uint32_t places, uint32_t count)
{
	uint32_t bytes = places - (uint32_t)program->code.size_bytes;
	/* The mask is a bitmap: the field above the registers has its number of bits, less one. */
	uint32_t bits = (uint32_t)__builtin_ctz(count);

	add(program, 0x10000002 | (bytes & 3) << 29 | (bytes >> 2 & 0x7ffff) << 5); /* adr x2 */
	if (bits)
		add(program, 0x924001c4 | (bits - 1) << 10); /* and x4, x14, count - 1 */
	else
		add(program, 0xaa1f03e4); /* mov x4, xzr */
	add(program, 0x8b041442);	  /* add x2, x2, x4, lsl 5 */
	add(program, 0xd61f0040);	  /* br x2 */
}

static void add_call(struct learn_program *program, uint32_t target)
{
	add_branch(program, 0x94000000, target);
}

static void add_return(struct learn_program *program)
{
	add(program, 0xd65f03c0);
}

static void add_outer_call(struct learn_program *program, uint8_t depth)
{
	add(program, 0x12000c02);			 /* and w2, w0, PROGRAM_CALLS_MASK */
	add(program, 0x52800005 | (uint32_t)depth << 5); /* mov w5, N */
	add_call(program, PROGRAM_CALLEE);
}

static void add_callee(struct learn_program *program)
{
	program_open_block(program);
	add(program, 0x510004a5);	    /* sub w5, w5, 1 */
	add(program, 0x34000005 | 12 << 5); /* cbz w5, LEAF */
	program_open_block(program);
	add(program, 0x12000044);	   /* and w4, w2, 1 */
	add(program, 0x53017c42);	   /* lsr w2, w2, 1 */
	add(program, 0x35000004 | 5 << 5); /* cbnz w4, SECOND_CALL */
	for (unsigned i = 0; i < 2; i++) {
		program_open_block(program);
		add(program, 0xf81f0ffe); /* str x30, [sp, -16]! */
		add_call(program, PROGRAM_CALLEE);
		program_open_block(program);
		add(program, 0xf84107fe); /* ldr x30, [sp], 16 */
		add_return(program);
	}
	program_open_block(program);
	add_return(program);
}

const struct program_insns program_insns_aarch64 = {.isa = "aarch64",
						    .entry = entry,
						    .entry_bytes = sizeof(entry),
						    .leave = leave,
						    .leave_bytes = sizeof(leave),
						    .nop = nop,
						    .trap = trap,
						    .unit_bytes = WORD_BYTES,
						    .frame_bytes = 16,
						    .add_loop_end = add_loop_end,
						    .add_chase = add_chase,
						    .add_follow = add_follow,
						    .add_random = add_random,
						    .add_random_branch = add_random_branch,
						    .add_jump = add_jump,
						    .add_constant = add_constant,
						    .add_dispatch = add_dispatch,
						    .add_call = add_call,
						    .add_return = add_return,
						    .add_outer_call = add_outer_call,
						    .add_callee = add_callee};
