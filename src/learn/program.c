/* SPDX-License-Identifier: MIT */
/* Builds programs of experiments out of the instructions of an instruction set. */
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
#define RING_LONG 1000u		/* jumps from which one round is warm-up enough in the simulator */
#define RING_JUMPS_LEAST 40000u /* that are timed */
#define RING_WARM_UP 20u	/* runs of as many before */
#define RANDOM_BRANCHES 5000u
#define RANDOM_SEED UINT64_C(0x9e3779b97f4a7c15)
#define RANDOM_LEVELS 6000u
#define STACK_BYTES 16384u
#define PROGRAM_PLACES 64u /* offset of the first place of "@indirect" */
#define INDIRECT_TURNS 512u
#define CALL_BYTES_MAX 8u

/* ---- pieces -------------------------------------------------------------------------- */

void program_open_block(struct learn_program *program)
{
	TAKT_GROW_IN(program->arena, program->blocks, program->block_count + 1,
		     program->block_capacity);
	program->blocks[program->block_count++] =
		(struct program_block){.offset = (uint32_t)program->code.size_bytes,
				       .first_length = (uint32_t)program->length_count};
}

void program_add_insn(struct learn_program *program, const uint8_t *bytes, uint8_t size_bytes)
{
	struct program_block *block = &program->blocks[program->block_count - 1];

	learn_code_add(&program->code, bytes, size_bytes);
	TAKT_GROW_IN(program->arena, program->lengths, program->length_count + 1,
		     program->length_capacity);
	program->lengths[program->length_count++] = size_bytes;
	block->size_bytes += size_bytes;
	block->insn_count++;
}

void program_fill_to(struct learn_program *program, uint32_t offset)
{
	const struct program_insns *insns = program->insns;

	while (program->code.size_bytes < offset)
		learn_code_add(&program->code, insns->trap, insns->unit_bytes);
}

/* Add the end of the loop, and room to leave the program after it. */
static void add_loop_end(struct learn_program *program, uint32_t target)
{
	program->insns->add_loop_end(program, target);
	program->exit = (uint32_t)program->code.size_bytes;
	program_fill_to(program, program->exit + program->insns->leave_bytes);
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
	program_open_block(program);
	for (uint32_t i = 0; i < CHASE_UNROLL; i++)
		program->insns->add_chase(program);
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

	program_open_block(program);
	for (uint32_t i = 0; i < chains; i++)
		program->insns->add_follow(program, (uint32_t)(i * SLOT_BYTES));
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

/* Branch by the random bit that the size is, always to the same side if it is 0. */
static bool build_random_branches(struct learn_program *program, int32_t size)
{
	uint64_t number = RANDOM_SEED;

	program_open_block(program);
	program->insns->add_random(program);
	program->insns->add_random_branch(program, (uint8_t)size);
	program_open_block(program);
	program_add_insn(program, program->insns->nop, program->insns->unit_bytes);
	program_open_block(program);
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
		program_fill_to(program, i * stride_bytes);
		program_open_block(program);
		program->insns->add_jump(program, (i + 1) * stride_bytes);
		add_step(program, i, i + 1);
	}
	program_fill_to(program, count * stride_bytes);
	program_open_block(program);
	add_loop_end(program, 0);
	add_step(program, count, 0);
	set_rounds(program, count + 1, 1, count < RING_LONG ? 2 : 1);
	/* Times of short rings vary while a neighbour uses the core's other thread. */
	program->rounds = (uint32_t)((RING_JUMPS_LEAST + program->items - 1) / program->items);
	program->warm_rounds = RING_WARM_UP * program->rounds;
	return true;
}

/*
 * Jump to one of `size` places in turn, by a jump whose target is in a register. The counter
 * decides, so that nothing waits for the jump but the predictor.
 */
static bool build_indirect(struct learn_program *program, int32_t size)
{
	uint32_t count = (uint32_t)size, behind = PROGRAM_PLACES + count * PROGRAM_PLACE_BYTES;

	if (count & (count - 1))
		return false;
	program_open_block(program);
	program->insns->add_dispatch(program, PROGRAM_PLACES, count);
	for (uint32_t i = 0; i < count; i++) {
		program_fill_to(program, PROGRAM_PLACES + i * PROGRAM_PLACE_BYTES);
		program_open_block(program);
		program->insns->add_jump(program, behind);
	}
	program_fill_to(program, behind);
	program_open_block(program);
	add_loop_end(program, 0);
	for (uint32_t counter = INDIRECT_TURNS; counter > 0; counter--) {
		uint32_t place = counter & (count - 1);

		add_step(program, 0, 1 + place);
		add_step(program, 1 + place, 1 + count);
		add_step(program, 1 + count, 0);
	}
	set_rounds(program, INDIRECT_TURNS, INDIRECT_TURNS, 2);
	return true;
}

/* Call a function that returns at once, from `size` places in turn. */
static bool build_returns(struct learn_program *program, int32_t size)
{
	const struct program_insns *insns = program->insns;
	uint32_t count = (uint32_t)size, callee = count * CALL_BYTES_MAX + PROGRAM_PLACES;
	uint64_t top = STACK_BYTES - insns->frame_bytes;

	for (uint32_t i = 0; i < count; i++) {
		program_open_block(program);
		insns->add_call(program, callee);
	}
	program_open_block(program);
	add_loop_end(program, 0);
	program_fill_to(program, callee);
	program_open_block(program);
	insns->add_return(program);
	for (uint32_t i = 0; i < count; i++) {
		add_step(program, i, count + 1);
		if (insns->calls_push)
			add_access(program, 0, true, top);
		add_step(program, count + 1, i + 1);
		if (insns->calls_push)
			add_access(program, 0, false, top);
	}
	add_step(program, count, 0);
	program->data_bytes = STACK_BYTES;
	set_rounds(program, count, 1, 2);
	return true;
}

/* Add the steps of one round of calls; return the random number, whose bits choose the places. */
static uint64_t add_random_calls(struct learn_program *program, uint32_t depth, uint64_t number)
{
	const struct program_insns *insns = program->insns;
	uint64_t top = STACK_BYTES - insns->frame_bytes, bits = number & PROGRAM_CALLS_MASK;

	add_step(program, PROGRAM_OUTER, PROGRAM_FUNCTION);
	if (insns->calls_push)
		add_access(program, insns->outer_call_insn, true, top);
	for (uint32_t i = 0; i + 1 < depth; i++) {
		uint32_t call = bits >> i & 1 ? PROGRAM_SECOND_CALL : PROGRAM_FIRST_CALL;

		add_step(program, PROGRAM_FUNCTION, PROGRAM_FIRST_TEST);
		add_step(program, PROGRAM_FIRST_TEST, call);
		add_step(program, call, PROGRAM_FUNCTION);
		add_access(program, 0, true, top - insns->frame_bytes * (i + 1));
	}
	add_step(program, PROGRAM_FUNCTION, PROGRAM_LEAF);
	for (uint32_t i = depth; i-- > 0;) {
		/* The function of level i returns, to after the call of level i - 1. */
		uint32_t end = bits >> i & 1 ? PROGRAM_SECOND_END : PROGRAM_FIRST_END;
		uint32_t behind = i && bits >> (i - 1) & 1 ? PROGRAM_SECOND_END : PROGRAM_FIRST_END;
		bool is_leaf = i + 1 == depth;

		add_step(program, is_leaf ? PROGRAM_LEAF : end, i ? behind : PROGRAM_AGAIN);
		if (insns->calls_push)
			add_access(program, 0, false, top - insns->frame_bytes * i);
		else if (!is_leaf)
			add_access(program, 0, false, top - insns->frame_bytes * (i + 1));
	}
	add_step(program, PROGRAM_AGAIN, PROGRAM_OUTER);
	return number;
}

/*
 * Call a function that calls itself, `size` deep. The outermost calls come from one of two places
 * by a random bit: nothing but the return stack knows where they return to. Deeper calls come from
 * one place, since calls on a mispredicted path would overwrite the oldest addresses of a return
 * stack that is nearly full. There are as many rounds as are timed, since the numbers continue.
 */
static bool build_calls(struct learn_program *program, int32_t size)
{
	uint32_t depth = (uint32_t)size, rounds = RANDOM_LEVELS / depth;
	uint64_t number = RANDOM_SEED;

	program_open_block(program);
	program->insns->add_random(program);
	program->insns->add_outer_call(program, (uint8_t)depth);
	program_open_block(program);
	add_loop_end(program, 0);
	program_fill_to(program, PROGRAM_CALLEE);
	program->insns->add_callee(program);
	for (uint32_t i = 0; i < rounds; i++)
		number = add_random_calls(program, depth, next_random(number));
	program->data_bytes = STACK_BYTES;
	program->seed = RANDOM_SEED;
	program->items = (uint64_t)rounds * depth;
	program->turns = rounds;
	program->rounds = program->simulated_rounds = 1;
	return true;
}

/* Run `size` moves of a constant after each other, in a loop. */
static bool build_code(struct learn_program *program, int32_t size)
{
	for (uint32_t i = 0; i < (uint32_t)size; i++) {
		if (i % BLOCK_INSNS_MAX == 0)
			program_open_block(program);
		program->insns->add_constant(program, i);
	}
	program_open_block(program);
	add_loop_end(program, 0);
	for (uint32_t i = 0; i < program->block_count; i++)
		add_step(program, i, (i + 1) % (uint32_t)program->block_count);
	set_rounds(program, (uint64_t)size, 1, 2);
	return true;
}

static const struct program_insns *find_insns(const char *isa)
{
	static const struct program_insns *const sets[] = {&program_insns_x86,
							   &program_insns_aarch64};

	for (size_t i = 0; i < TAKT_COUNT_OF(sets); i++)
		if (strcmp(sets[i]->isa, isa) == 0)
			return sets[i];
	return NULL;
}

bool learn_program_build(const char *isa, const char *text, int32_t size, struct takt_arena *arena,
			 struct learn_program *ret_program)
{
	char kind[16], option[16] = "";
	unsigned number = 0;

	*ret_program = (struct learn_program){
		.arena = arena, .insns = find_insns(isa), .code = {.arena = arena}};
	if (!ret_program->insns || size < 0 ||
	    sscanf(text, "@%15s %u %15s", kind, &number, option) < 1)
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
	if (strcmp(kind, "indirect") == 0)
		return build_indirect(ret_program, size);
	if (strcmp(kind, "returns") == 0)
		return build_returns(ret_program, size);
	if (strcmp(kind, "calls") == 0)
		return build_calls(ret_program, size);
	return strcmp(kind, "code") == 0 && build_code(ret_program, size);
}
