/* SPDX-License-Identifier: MIT */
/*
 * The x86-64 instructions of programs. Registers have fixed roles: rsi points into the data, r15
 * counts down, rax holds random numbers, rcx is scratch.
 */
#include <string.h>

#include "learn/program.h"

#define ADD_INSN(program, ...)                                                                     \
	program_add_insn(program, (const uint8_t[]){__VA_ARGS__},                                  \
			 sizeof((const uint8_t[]){__VA_ARGS__}))

/* The function gets the start in rdi, the turns in rsi, and a random number in rdx. */
static const uint8_t entry[] = {0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41,
				0x56, 0x41, 0x57, 0x49, 0x89, 0xf7, /* mov r15, rsi */
				0x48, 0x89, 0xfe,		    /* mov rsi, rdi */
				0x48, 0x89, 0xd0};		    /* mov rax, rdx */
static const uint8_t leave[] = {0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0xc3};
static const uint8_t nop = 0x90, trap = 0xcc;

/* Add an instruction that ends in the 32-bit distance from its end to a place in the code. */
static void add_branch(struct learn_program *program, const uint8_t *opcode, uint8_t opcode_bytes,
		       uint32_t target)
{
	uint8_t bytes[8];
	uint32_t distance = target - (uint32_t)program->code.size_bytes - opcode_bytes -
			    (uint32_t)sizeof(distance);

	memcpy(bytes, opcode, opcode_bytes);
	memcpy(bytes + opcode_bytes, &distance, sizeof(distance));
	program_add_insn(program, bytes, (uint8_t)(opcode_bytes + sizeof(distance)));
}

static void add_loop_end(struct learn_program *program, uint32_t target)
{
	ADD_INSN(program, 0x49, 0xff, 0xcf);			       /* dec r15 */
	add_branch(program, (const uint8_t[]){0x0f, 0x85}, 2, target); /* jnz */
}

static void add_chase(struct learn_program *program)
{
	ADD_INSN(program, 0x48, 0x8b, 0x36); /* mov rsi, [rsi] */
}

static void add_follow(struct learn_program *program, uint32_t displacement)
{
	uint8_t load[] = {0x48, 0x8b, 0x86, 0, 0, 0, 0}; /* mov rax, [rsi + D] */
	uint8_t store[] = {0x48, 0x89, 0x86, 0, 0, 0, 0};

	memcpy(load + 3, &displacement, sizeof(displacement));
	memcpy(store + 3, &displacement, sizeof(displacement));
	program_add_insn(program, load, sizeof(load));
	ADD_INSN(program, 0x48, 0x8b, 0x00); /* mov rax, [rax] */
	program_add_insn(program, store, sizeof(store));
}

static void add_random(struct learn_program *program)
{
	ADD_INSN(program, 0x48, 0x89, 0xc1);	 /* mov rcx, rax */
	ADD_INSN(program, 0x48, 0xc1, 0xe1, 13); /* shl rcx, 13 */
	ADD_INSN(program, 0x48, 0x31, 0xc8);	 /* xor rax, rcx */
	ADD_INSN(program, 0x48, 0x89, 0xc1);	 /* mov rcx, rax */
	ADD_INSN(program, 0x48, 0xc1, 0xe9, 7);	 /* shr rcx, 7 */
	ADD_INSN(program, 0x48, 0x31, 0xc8);	 /* xor rax, rcx */
	ADD_INSN(program, 0x48, 0x89, 0xc1);	 /* mov rcx, rax */
	ADD_INSN(program, 0x48, 0xc1, 0xe1, 17); /* shl rcx, 17 */
	ADD_INSN(program, 0x48, 0x31, 0xc8);	 /* xor rax, rcx */
}

static void add_random_branch(struct learn_program *program, uint8_t bits)
{
	ADD_INSN(program, 0xa9, bits, 0, 0, 0); /* test eax, bits */
	ADD_INSN(program, 0x74, 0x01);		/* jz after the nop */
}

static void add_jump(struct learn_program *program, uint32_t target)
{
	add_branch(program, (const uint8_t[]){0xe9}, 1, target);
}

static void add_constant(struct learn_program *program, uint32_t index)
{
	static const uint8_t registers[] = {2, 3, 5, 7};
	uint8_t number = registers[index % TAKT_COUNT_OF(registers)];

	/* mov R, 0x11223344 */
	ADD_INSN(program, 0x48, 0xc7, (uint8_t)(0xc0 | number), 0x44, 0x33, 0x22, 0x11);
}

static void add_dispatch(struct learn_program *program, uint32_t places, uint32_t count)
{
	add_branch(program, (const uint8_t[]){0x48, 0x8d, 0x0d}, 3, places); /* lea rcx, PLACES */
	ADD_INSN(program, 0x44, 0x89, 0xfa);				     /* mov edx, r15d */
	ADD_INSN(program, 0x83, 0xe2, (uint8_t)(count - 1)); /* and edx, count - 1 */
	ADD_INSN(program, 0xc1, 0xe2, 5);		     /* shl edx, 5 */
	ADD_INSN(program, 0x48, 0x01, 0xd1);		     /* add rcx, rdx */
	ADD_INSN(program, 0xff, 0xe1);			     /* jmp rcx */
}

static void add_call(struct learn_program *program, uint32_t target)
{
	add_branch(program, (const uint8_t[]){0xe8}, 1, target);
}

static void add_return(struct learn_program *program)
{
	ADD_INSN(program, 0xc3);
}

static void add_outer_call(struct learn_program *program, uint8_t depth)
{
	ADD_INSN(program, 0x48, 0x89, 0xc2);		   /* mov rdx, rax */
	ADD_INSN(program, 0x83, 0xe2, PROGRAM_CALLS_MASK); /* and edx, MASK */
	ADD_INSN(program, 0xb9, depth, 0, 0, 0);	   /* mov ecx, N */
	add_call(program, PROGRAM_CALLEE);
}

static void add_callee(struct learn_program *program)
{
	program_open_block(program);
	ADD_INSN(program, 0xff, 0xc9); /* dec ecx */
	ADD_INSN(program, 0x74, 0x11); /* jz LEAF */
	program_open_block(program);
	ADD_INSN(program, 0x48, 0xd1, 0xea); /* shr rdx, 1 */
	ADD_INSN(program, 0x72, 0x06);	     /* jc SECOND_CALL */
	for (unsigned i = 0; i < 2; i++) {
		program_open_block(program);
		add_call(program, PROGRAM_CALLEE);
		program_open_block(program);
		add_return(program);
	}
	program_open_block(program);
	add_return(program);
}

const struct program_insns program_insns_x86 = {.isa = "x86-64",
						.entry = entry,
						.entry_bytes = sizeof(entry),
						.leave = leave,
						.leave_bytes = sizeof(leave),
						.nop = &nop,
						.trap = &trap,
						.unit_bytes = 1,
						.frame_bytes = 8,
						.calls_push = true,
						.outer_call_insn = 12,
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
