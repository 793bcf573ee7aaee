/* SPDX-License-Identifier: MIT */
/*
 * Programs of experiments whose time depends on caches, translations, branch prediction or the
 * amount of code. A program runs as machine code on this host, and as executed blocks in the
 * simulator; both follow the same path, which is known beforehand.
 */
#ifndef TAKT_LEARN_PROGRAM_H
#define TAKT_LEARN_PROGRAM_H

#include "learn/learn.h"
#include "measure/measure.h"

/* Consecutive instructions that are entered only at the first. */
struct program_block {
	uint32_t offset; /* of the first byte in the code */
	uint32_t size_bytes;
	uint32_t first_length; /* index of the first instruction's length */
	uint16_t insn_count;
};

/* An execution of a block. */
struct program_step {
	uint32_t block, next; /* index of the block, and of the one that follows */
	uint32_t first_access;
	uint16_t access_count;
};

struct learn_program {
	struct takt_arena *arena;
	struct learn_code code; /* of the body, without entry and exit */
	uint32_t exit;		/* offset behind the end of the loop, where the program leaves */
	uint64_t seed;		/* initial value of the register that random numbers are in */
	struct program_block *blocks;
	size_t block_count, block_capacity;
	uint8_t *lengths; /* of all instructions, in bytes */
	size_t length_count, length_capacity;
	struct program_step *steps; /* one round */
	size_t step_count, step_capacity;
	uint64_t *accesses; /* trace records whose addresses are offsets into the data */
	size_t access_count, access_capacity;
	struct takt_code_pointer *pointers;
	size_t pointer_count, pointer_capacity;
	uint64_t data_bytes, start; /* `start`: offset that rsi points to at first */
	bool huge_pages;
	uint64_t turns; /* by which the counter decreases in a round */
	uint64_t items; /* of a round; times are per item */
	uint32_t warm_rounds, rounds;
	/* The simulator is exact, and needs fewer rounds. */
	uint32_t simulated_warm_rounds, simulated_rounds;
};

/* Build the program that a text such as "@chase 64 huge" names; false if the text is not sound. */
bool learn_program_build(const char *text, int32_t size, struct takt_arena *arena,
			 struct learn_program *ret_program);

/* program_sim.c: return simulated cycles of one item on the core; NaN if the core cannot say. */
double learn_program_simulate(const struct learn_program *program, const struct takt_model *model);
/* program_host.c: time the program on this host, in a sandboxed process. */
void learn_program_measure(struct takt_measurer *measurer, const struct learn_program *program,
			   struct learn_timing *ret_timing);

#endif
