/* SPDX-License-Identifier: MIT */
/*
 * Builds programs of experiments. Registers have fixed roles: rsi points into the data, r15 counts
 * down, rax holds random numbers, rcx is scratch.
 */
#include <stdlib.h>
#include <string.h>

#include "learn/program.h"
#include "trace/trace.h"

#define BLOCK_INSNS_MAX 256u
#define CHASE_UNROLL 8u
#define KB 1024u
#define PAGE_BYTES 4096u
#define ITEMS_LEAST 4000u     /* items that are timed, at least */
#define ITEMS_SIMULATED 1000u /* the same in the simulator */
#define WORD_BYTES UINT64_C(8)
#define SIZE_CODE_8 3u /* of a trace record: eight bytes */
#define PARALLEL_BYTES (8u << 20)
#define PARALLEL_STRIDE 2048u
#define SLOT_BYTES UINT64_C(64) /* each chain's pointer is kept in a line of its own */
#define RING_LONG 1000u		/* jumps from which one round is warm-up enough */
#define RANDOM_BRANCHES 5000u
#define RANDOM_SEED UINT64_C(0x9e3779b97f4a7c15)
#define RANDOM_LEVELS 6000u
#define CALLEE_OFFSET 128u
#define RANDOM_CALLS_MASK 15u /* bits that choose the places of the outermost calls */
#define CALL_INSN 12u	      /* index of the call in the block that begins a round */
#define STACK_BYTES 16384u
#define EXIT_BYTES 11u /* that the host writes behind the loop */

/* ---- pieces -------------------------------------------------------------------------- */

static void open_block(struct learn_program *program)
{
	TAKT_GROW_IN(program->arena, program->blocks, program->block_count + 1,
		     program->block_capacity);
	program->blocks[program->block_count++] =
		(struct program_block){.offset = (uint32_t)program->code.size_bytes,
				       .first_length = (uint32_t)program->length_count};
}

static void add_insn(struct learn_program *program, const uint8_t *bytes, uint8_t size_bytes)
{
	struct program_block *block = &program->blocks[program->block_count - 1];

	learn_code_add(&program->code, bytes, size_bytes);
	TAKT_GROW_IN(program->arena, program->lengths, program->length_count + 1,
		     program->length_capacity);
	program->lengths[program->length_count++] = size_bytes;
	block->size_bytes += size_bytes;
	block->insn_count++;
}

#define ADD_INSN(program, ...)                                                                     \
	add_insn(program, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* Add an instruction that ends in the 32-bit distance from its end to a place in the code. */
static void add_branch(struct learn_program *program, const uint8_t *opcode, uint8_t opcode_bytes,
		       uint32_t target)
{
	uint8_t bytes[8];
	uint32_t distance = target - (uint32_t)program->code.size_bytes - opcode_bytes -
			    (uint32_t)sizeof(distance);

	memcpy(bytes, opcode, opcode_bytes);
	memcpy(bytes + opcode_bytes, &distance, sizeof(distance));
	add_insn(program, bytes, (uint8_t)(opcode_bytes + sizeof(distance)));
}

/* Add the end of the loop, dec r15 and jnz, and room to leave the program behind it. */
static void add_loop_end(struct learn_program *program, uint32_t target)
{
	static const uint8_t int3 = 0xcc;

	ADD_INSN(program, 0x49, 0xff, 0xcf);
	add_branch(program, (const uint8_t[]){0x0f, 0x85}, 2, target);
	program->exit = (uint32_t)program->code.size_bytes;
	for (uint32_t i = 0; i < EXIT_BYTES; i++)
		learn_code_add(&program->code, &int3, 1);
}

/* Fill the code with int3 up to an offset: it is never executed. */
static void fill_to(struct learn_program *program, uint32_t offset)
{
	static const uint8_t int3 = 0xcc;

	while (program->code.size_bytes < offset)
		learn_code_add(&program->code, &int3, 1);
}

static void add_step(struct learn_program *program, uint32_t block, uint32_t next)
{
	TAKT_GROW_IN(program->arena, program->steps, program->step_count + 1,
		     program->step_capacity);
	program->steps[program->step_count++] = (struct program_step){
		.block = block, .next = next, .first_access = (uint32_t)program->access_count};
}

/* Add an access of the last step, of eight bytes. */
static void add_access(struct learn_program *program, uint32_t insn, bool store, uint64_t offset)
{
	TAKT_GROW_IN(program->arena, program->accesses, program->access_count + 1,
		     program->access_capacity);
	program->accesses[program->access_count++] =
		TRACE_ACCESS | (uint64_t)insn << TRACE_INSN_SHIFT | (store ? TRACE_STORE : 0) |
		(uint64_t)SIZE_CODE_8 << TRACE_SIZE_SHIFT | offset;
	program->steps[program->step_count - 1].access_count++;
}

static void add_pointer(struct learn_program *program, uint64_t at, uint64_t target)
{
	TAKT_GROW_IN(program->arena, program->pointers, program->pointer_count + 1,
		     program->pointer_capacity);
	program->pointers[program->pointer_count++] = (struct takt_code_pointer){at, target};
}

/* Return the numbers from 0 to count - 1 in an order that depends on `seed` alone. */
static uint32_t *shuffle(struct learn_program *program, uint32_t count, uint64_t seed)
{
	uint32_t *order = TAKT_NEW_ARRAY(program->arena, count, uint32_t);

	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	for (uint32_t i = count - 1; i > 0; i--) {
		uint32_t k = (uint32_t)(takt_hash64(seed + i) % (i + 1)), kept = order[i];

		order[i] = order[k];
		order[k] = kept;
	}
	return order;
}

/* Set how often the program runs: enough items are timed, and the caches are warm. */
static void set_rounds(struct learn_program *program, uint64_t items, uint64_t turns,
		       uint32_t warm_rounds)
{
	program->items = items;
	program->turns = turns;
	program->rounds = (uint32_t)((ITEMS_LEAST + items - 1) / items);
	program->warm_rounds = warm_rounds > program->rounds ? warm_rounds : program->rounds;
	program->simulated_rounds = (uint32_t)((ITEMS_SIMULATED + items - 1) / items);
	program->simulated_warm_rounds =
		warm_rounds > program->simulated_rounds ? warm_rounds : program->simulated_rounds;
}

/* ---- programs ------------------------------------------------------------------------ */

/*
 * Return the place of a chase's element. In pages, it is in a line drawn at random, so that the
 * elements are spread over all sets of the caches.
 */
static uint64_t place_of(uint32_t number, uint32_t stride_bytes, bool pages)
{
	uint64_t place = (uint64_t)number * stride_bytes;

	return pages ? place + takt_hash64(number) % (PAGE_BYTES / TAKT_LINE_BYTES) *
				       TAKT_LINE_BYTES
		     : place;
}

/*
 * Chase pointers through lines a stride apart, in random order. The size is in KB; or, for strides
 * "pages", the number of pages.
 */
static bool build_chase(struct learn_program *program, uint32_t stride_bytes, bool pages,
			int32_t size)
{
	uint32_t count = pages ? (uint32_t)size : (uint32_t)size * KB / stride_bytes, *order;

	count = count / CHASE_UNROLL * CHASE_UNROLL;
	if (!count)
		return false;
	order = shuffle(program, count, count);
	open_block(program);
	for (uint32_t i = 0; i < CHASE_UNROLL; i++)
		ADD_INSN(program, 0x48, 0x8b, 0x36); /* mov rsi, [rsi] */
	add_loop_end(program, 0);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t place = place_of(order[i], stride_bytes, pages);

		if (i % CHASE_UNROLL == 0)
			add_step(program, 0, 0);
		add_access(program, i % CHASE_UNROLL, false, place);
		add_pointer(program, place, place_of(order[(i + 1) % count], stride_bytes, pages));
	}
	program->start = place_of(order[0], stride_bytes, pages);
	program->data_bytes = (uint64_t)(count + 1) * stride_bytes;
	set_rounds(program, count, count / CHASE_UNROLL, 1);
	return true;
}

/* Chase `size` chains at once; each one's pointer is kept in memory, so that there may be many. */
static bool build_parallel(struct learn_program *program, int32_t size)
{
	uint32_t chains = (uint32_t)size, lines = PARALLEL_BYTES / PARALLEL_STRIDE;
	uint32_t length = lines / chains, *order = shuffle(program, lines, lines);
	uint64_t slots = PARALLEL_BYTES;

	open_block(program);
	for (uint32_t i = 0; i < chains; i++) {
		uint8_t load[] = {0x48, 0x8b, 0x86, 0, 0, 0, 0}; /* mov rax, [rsi + D] */
		uint8_t store[] = {0x48, 0x89, 0x86, 0, 0, 0, 0};
		uint32_t displacement = (uint32_t)(i * SLOT_BYTES);

		memcpy(load + 3, &displacement, sizeof(displacement));
		memcpy(store + 3, &displacement, sizeof(displacement));
		add_insn(program, load, sizeof(load));
		ADD_INSN(program, 0x48, 0x8b, 0x00); /* mov rax, [rax] */
		add_insn(program, store, sizeof(store));
	}
	add_loop_end(program, 0);
	for (uint32_t i = 0; i < length; i++) {
		add_step(program, 0, 0);
		for (uint32_t k = 0; k < chains; k++) {
			const uint32_t *chain = order + (size_t)k * length;
			uint64_t place = (uint64_t)chain[i] * PARALLEL_STRIDE;

			add_access(program, 3 * k, false, slots + k * SLOT_BYTES);
			add_access(program, 3 * k + 1, false, place);
			add_access(program, 3 * k + 2, true, slots + k * SLOT_BYTES);
			add_pointer(program, place,
				    (uint64_t)chain[(i + 1) % length] * PARALLEL_STRIDE);
		}
	}
	for (uint32_t k = 0; k < chains; k++)
		add_pointer(program, slots + k * SLOT_BYTES,
			    (uint64_t)order[(size_t)k * length] * PARALLEL_STRIDE);
	program->start = slots;
	program->data_bytes = slots + PAGE_BYTES;
	program->items = program->turns = length;
	program->warm_rounds = program->rounds = 1;
	program->simulated_warm_rounds = program->simulated_rounds = 1;
	return true;
}

/* Return the next random number (xorshift: Marsaglia 2003). */
static uint64_t next_random(uint64_t number)
{
	number ^= number << 13;
	number ^= number >> 7;
	return number ^ number << 17;
}

/* Add the instructions of next_random(): from rax to rax. */
static void add_xorshift(struct learn_program *program)
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

/* Branch by the random bit that the size is, always to the same side if it is 0. */
static bool build_random_branches(struct learn_program *program, int32_t size)
{
	uint64_t number = RANDOM_SEED;

	open_block(program);
	add_xorshift(program);
	ADD_INSN(program, 0xa9, (uint8_t)size, 0, 0, 0); /* test eax, size */
	ADD_INSN(program, 0x74, 0x01);			 /* jz behind the nop */
	open_block(program);
	ADD_INSN(program, 0x90);
	open_block(program);
	add_loop_end(program, 0);
	for (uint32_t i = 0; i < RANDOM_BRANCHES; i++) {
		number = next_random(number);
		if (number & (uint8_t)size) {
			add_step(program, 0, 1);
			add_step(program, 1, 2);
		} else {
			add_step(program, 0, 2);
		}
		add_step(program, 2, 0);
	}
	program->items = program->turns = RANDOM_BRANCHES;
	program->seed = RANDOM_SEED;
	program->rounds = program->simulated_rounds = 1;
	return true;
}

/* Jump `size` times, from each place to the next, which is a stride away. */
static bool build_ring(struct learn_program *program, uint32_t stride_bytes, int32_t size)
{
	uint32_t count = (uint32_t)size;

	for (uint32_t i = 0; i < count; i++) {
		fill_to(program, i * stride_bytes);
		open_block(program);
		add_branch(program, (const uint8_t[]){0xe9}, 1, (i + 1) * stride_bytes);
		add_step(program, i, i + 1);
	}
	fill_to(program, count * stride_bytes);
	open_block(program);
	add_loop_end(program, 0);
	add_step(program, count, 0);
	set_rounds(program, count + 1, 1, count < RING_LONG ? 2 : 1);
	return true;
}

/* Add the steps of one round of calls; return the random number, whose bits choose the places. */
static uint64_t add_random_calls(struct learn_program *program, uint32_t depth, uint64_t number)
{
	enum {
		OUTER,
		AGAIN,
		FUNCTION,
		FIRST_TEST,
		FIRST_CALL,
		FIRST_END,
		SECOND_CALL,
		SECOND_END,
		LEAF
	};
	uint64_t top = STACK_BYTES - WORD_BYTES, bits = number & RANDOM_CALLS_MASK;

	add_step(program, OUTER, FUNCTION);
	add_access(program, CALL_INSN, true, top);
	for (uint32_t i = 0; i + 1 < depth; i++) {
		uint32_t call = bits >> i & 1 ? SECOND_CALL : FIRST_CALL;

		add_step(program, FUNCTION, FIRST_TEST);
		add_step(program, FIRST_TEST, call);
		add_step(program, call, FUNCTION);
		add_access(program, 0, true, top - WORD_BYTES * (i + 1));
	}
	add_step(program, FUNCTION, LEAF);
	for (uint32_t i = depth; i-- > 0;) {
		/* The function of level i returns, to behind the call of level i - 1. */
		uint32_t end = bits >> i & 1 ? SECOND_END : FIRST_END;
		uint32_t behind = i && bits >> (i - 1) & 1 ? SECOND_END : FIRST_END;

		add_step(program, i + 1 < depth ? end : LEAF, i ? behind : AGAIN);
		add_access(program, 0, false, top - WORD_BYTES * i);
	}
	add_step(program, AGAIN, OUTER);
	return number;
}

/*
 * Call a function that calls itself, `size` deep. The outermost calls come from one of two places
 * by a random bit: nothing but the return stack knows where they return to. Deeper calls come from
 * one place, since calls on a mispredicted path would overwrite the oldest addresses of a return
 * stack that is nearly full. There are as many rounds as are timed, since the numbers go on.
 */
static bool build_calls(struct learn_program *program, int32_t size)
{
	static const uint8_t call = 0xe8;
	uint32_t depth = (uint32_t)size, rounds = RANDOM_LEVELS / depth;
	uint64_t number = RANDOM_SEED;

	open_block(program);
	add_xorshift(program);
	ADD_INSN(program, 0x48, 0x89, 0xc2);					/* mov rdx, rax */
	ADD_INSN(program, 0x83, 0xe2, RANDOM_CALLS_MASK);			/* and edx, MASK */
	add_insn(program, (const uint8_t[]){0xb9, (uint8_t)depth, 0, 0, 0}, 5); /* mov ecx, N */
	add_branch(program, &call, 1, CALLEE_OFFSET);
	open_block(program);
	add_loop_end(program, 0);
	fill_to(program, CALLEE_OFFSET);
	open_block(program);
	ADD_INSN(program, 0xff, 0xc9); /* dec ecx */
	ADD_INSN(program, 0x74, 0x11); /* jz LEAF */
	open_block(program);
	ADD_INSN(program, 0x48, 0xd1, 0xea); /* shr rdx, 1 */
	ADD_INSN(program, 0x72, 0x06);	     /* jc SECOND_CALL */
	open_block(program);
	add_branch(program, &call, 1, CALLEE_OFFSET);
	open_block(program);
	ADD_INSN(program, 0xc3);
	open_block(program);
	add_branch(program, &call, 1, CALLEE_OFFSET);
	open_block(program);
	ADD_INSN(program, 0xc3);
	open_block(program);
	ADD_INSN(program, 0xc3);
	for (uint32_t i = 0; i < rounds; i++)
		number = add_random_calls(program, depth, next_random(number));
	program->data_bytes = STACK_BYTES;
	program->seed = RANDOM_SEED;
	program->items = (uint64_t)rounds * depth;
	program->turns = rounds;
	program->rounds = program->simulated_rounds = 1;
	return true;
}

/* Run `size` moves of a constant, of seven bytes each, behind each other, in a loop. */
static bool build_code(struct learn_program *program, int32_t size)
{
	static const uint8_t registers[] = {2, 3, 5, 7};

	for (uint32_t i = 0; i < (uint32_t)size; i++) {
		uint8_t number = registers[i % TAKT_COUNT_OF(registers)];

		if (i % BLOCK_INSNS_MAX == 0)
			open_block(program);
		/* mov R, 0x11223344 */
		ADD_INSN(program, 0x48, 0xc7, (uint8_t)(0xc0 | number), 0x44, 0x33, 0x22, 0x11);
	}
	open_block(program);
	add_loop_end(program, 0);
	for (uint32_t i = 0; i < program->block_count; i++)
		add_step(program, i, (i + 1) % (uint32_t)program->block_count);
	set_rounds(program, (uint64_t)size, 1, 2);
	return true;
}

bool learn_program_build(const char *text, int32_t size, struct takt_arena *arena,
			 struct learn_program *ret_program)
{
	char kind[16], option[16] = "";
	unsigned number = 0;

	*ret_program = (struct learn_program){.arena = arena, .code = {.arena = arena}};
	if (size < 0 || sscanf(text, "@%15s %u %15s", kind, &number, option) < 1)
		return false;
	ret_program->huge_pages = strcmp(option, "huge") == 0;
	if (strcmp(kind, "random-branches") == 0)
		return build_random_branches(ret_program, size);
	if (!size)
		return false;
	if (strcmp(kind, "chase") == 0 && number >= TAKT_LINE_BYTES)
		return build_chase(ret_program, number, strcmp(option, "pages") == 0, size);
	if (strcmp(kind, "parallel") == 0) {
		ret_program->huge_pages = true;
		return build_parallel(ret_program, size);
	}
	if (strcmp(kind, "ring") == 0 && number >= WORD_BYTES)
		return build_ring(ret_program, number, size);
	if (strcmp(kind, "calls") == 0)
		return build_calls(ret_program, size);
	return strcmp(kind, "code") == 0 && build_code(ret_program, size);
}
