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

struct program_insns;

struct learn_program {
	struct takt_arena *arena;
	const struct program_insns *insns; /* of the program's instruction set */
	struct learn_code code;		   /* of the body, without entry and exit */
	uint32_t exit; /* offset after the end of the loop, where the program leaves */
	uint64_t seed; /* initial value of the register that random numbers are in */
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

/* ---- program_x86.c, program_aarch64.c: the instructions ---------------------------- */

#define PROGRAM_CALLEE 128u	/* offset of the function of "@calls" */
#define PROGRAM_PLACE_BYTES 32u /* between the places that "@indirect" jumps to */
#define PROGRAM_CALLS_MASK 15u	/* bits that choose the places of the outermost calls */

/* Blocks of "@calls": the loop, and the function, which calls itself from two places. */
enum {
	PROGRAM_OUTER,
	PROGRAM_AGAIN,
	PROGRAM_FUNCTION,
	PROGRAM_FIRST_TEST,
	PROGRAM_FIRST_CALL,
	PROGRAM_FIRST_END,
	PROGRAM_SECOND_CALL,
	PROGRAM_SECOND_END,
	PROGRAM_LEAF
};

/*
 * An instruction set, as far as programs need it. Each function adds instructions to the last
 * block; the ends of calls and returns are the only accesses to the stack.
 */
struct program_insns {
	const char *isa;
	/* A host's program is a function that is called with the start, the turns and a random
	 * number: it begins with `entry`, and its exit is `leave`. */
	const uint8_t *entry, *leave;
	uint32_t entry_bytes, leave_bytes;
	const uint8_t *nop, *trap; /* instructions of `unit_bytes`; `trap` is never executed */
	uint8_t unit_bytes;	   /* size of the smallest instruction */
	uint32_t frame_bytes;	   /* by which the stack grows in a call */
	bool calls_push;	   /* calls store where they return to, returns load it */
	uint32_t outer_call_insn;  /* then: index of the call in the block PROGRAM_OUTER */
	void (*add_loop_end)(struct learn_program *program, uint32_t target);
	/* Load the pointer that the pointer into the data points to. */
	void (*add_chase)(struct learn_program *program);
	/* The same with a pointer in memory: load it, load what it points to, store that. */
	void (*add_follow)(struct learn_program *program, uint32_t displacement);
	/* Make the next random number. */
	void (*add_random)(struct learn_program *program);
	/* Branch over a nop unless the random number has one of the bits. */
	void (*add_random_branch)(struct learn_program *program, uint8_t bits);
	void (*add_jump)(struct learn_program *program, uint32_t target);
	void (*add_constant)(struct learn_program *program, uint32_t index);
	/* Jump to the first of `count` places 32 bytes apart, or to another one by the counter. */
	void (*add_dispatch)(struct learn_program *program, uint32_t places, uint32_t count);
	void (*add_call)(struct learn_program *program, uint32_t target);
	void (*add_return)(struct learn_program *program);
	void (*add_outer_call)(struct learn_program *program, uint8_t depth);
	/* Add the blocks from PROGRAM_FUNCTION on. */
	void (*add_callee)(struct learn_program *program);
};

extern const struct program_insns program_insns_x86, program_insns_aarch64;

/* ---- program.c ------------------------------------------------------------------ */

void program_open_block(struct learn_program *program);
void program_add_insn(struct learn_program *program, const uint8_t *bytes, uint8_t size_bytes);
/* Fill the code up to an offset with what is never executed. */
void program_fill_to(struct learn_program *program, uint32_t offset);

/* Build the program that a text such as "@chase 64 huge" names; false if the text is not sound. */
bool learn_program_build(const char *isa, const char *text, int32_t size, struct takt_arena *arena,
			 struct learn_program *ret_program);

/* program_sim.c: return simulated cycles of one item on the core; NaN if the core cannot say. */
double learn_program_simulate(const struct learn_program *program, const struct takt_model *model);
/* program_host.c: time the program on this host, in a sandboxed process. */
void learn_program_measure(struct takt_measurer *measurer, const struct learn_program *program,
			   struct learn_timing *ret_timing);

#endif
