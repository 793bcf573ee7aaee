/* SPDX-License-Identifier: MIT */
/* Places of code in layouts: they do not hang on where the code was, and are evenly spread. */
#include <math.h>

#include "fixture.h"
#include "trace/timing/layouts.h"

#define LAYOUTS 8u

static const uint8_t code_bytes[] = {0x48, 0x01, 0xc8, 0x75, 0xfb};
static const uint8_t code_lengths[] = {3, 2};

/* A function with a block before a loop, and the loop. */
struct program {
	struct trace_dictionary dictionary;
	struct trace_layouts *layouts;
	struct trace_block before, loop;
};

static struct trace_block block_at(uint32_t number, uint64_t address, uint64_t offset)
{
	return (struct trace_block){
		.address = address,
		.end = address + sizeof(code_bytes),
		.target = address,
		.number = number,
		.function = 1,
		.insn_count = 2,
		.flow = TRACE_FLOW_BRANCH,
		.file = 1,
		.file_offset = offset,
		.lengths = code_lengths,
		.bytes = code_bytes,
	};
}

/* Make a program whose function begins at `address`, and its loop `gap` bytes behind that. */
static void program_init(struct program *program, uint64_t address, uint64_t gap)
{
	const struct trace_file file = {.path = "program"};

	takt_trace_dictionary_init(&program->dictionary, takt_trace_guest_find("x86-64", 6));
	takt_trace_dictionary_add_file(&program->dictionary, &file);
	takt_trace_dictionary_add_function(
		&program->dictionary,
		&(struct trace_function){.name = "work", .file_offset = address, .file = 1});
	program->layouts = trace_layouts_new(&program->dictionary, LAYOUTS, 1);
	program->before = block_at(0, address, address);
	program->loop = block_at(1, address + gap, address + gap);
}

static void program_release(struct program *program)
{
	trace_layouts_free(program->layouts);
	takt_trace_dictionary_release(&program->dictionary);
}

static void execute(struct program *program, const struct trace_block *block, uint64_t next)
{
	const struct executed_block executed = {
		.block = block, .insn_count = 2, .next_address = next};

	trace_layouts_note(program->layouts, 0, &executed);
}

static void run(struct program *program)
{
	execute(program, &program->before, program->loop.address);
	execute(program, &program->loop, program->loop.address);
	execute(program, &program->loop, program->loop.end);
}

static uint64_t place(const struct program *program, const struct trace_block *block,
		      uint32_t layout)
{
	uint32_t piece = trace_layouts_piece(program->layouts, block);

	return block->address + trace_layouts_shift(program->layouts, piece, layout).code;
}

static void test_moved(void)
{
	struct program one, other;
	bool same = true, fetched = true;

	program_init(&one, 0x401000, 0x30);
	program_init(&other, 0x402357, 0x55);
	run(&one);
	run(&other);
	ok(trace_layouts_piece(one.layouts, &one.before) !=
		   trace_layouts_piece(one.layouts, &one.loop),
	   "a loop is a piece of its own");
	for (uint32_t i = 0; i < LAYOUTS; i++) {
		uint32_t piece = trace_layouts_piece(one.layouts, &one.loop);
		uint64_t fetch =
			one.loop.address + trace_layouts_shift(one.layouts, piece, i).fetch;

		same &= place(&one, &one.loop, i) == place(&other, &other.loop, i) &&
			place(&one, &one.before, i) == place(&other, &other.before, i);
		fetched &= (fetch & 0xfffffffff000) == 0x401000 &&
			   fetch % 4096 == place(&one, &one.loop, i) % 4096;
	}
	ok(same, "places do not hang on addresses");
	ok(fetched, "caches see the code in its page");
	program_release(&one);
	program_release(&other);
}

static void test_spread(void)
{
	struct program program;
	uint32_t loops = 0, functions = 0;

	program_init(&program, 0x401000, 0x30);
	run(&program);
	for (uint32_t i = 0; i < LAYOUTS; i++) {
		loops |= 1u << place(&program, &program.loop, i) % 64 / 8;
		functions |= 1u << place(&program, &program.before, i) % 64 / 8;
	}
	is_int(loops, 0xff, "a loop is once at each multiple of 8 bytes in a line");
	is_int(functions, 0x55, "a function is at all multiples of 16 bytes");
	program_release(&program);
}

static void test_unknown(void)
{
	struct program program;
	struct trace_block alone = block_at(2, 0x500000, 0);

	program_init(&program, 0x401000, 0x30);
	alone.function = alone.file = 0;
	execute(&program, &alone, 0x500000);
	execute(&program, &alone, 0x500000);
	ok(place(&program, &alone, 1) == 0x500000, "code without a function stays");
	program_release(&program);
}

static void test_branches(void)
{
	struct program program;

	program_init(&program, 0x401000, 0x30);
	run(&program);
	execute(&program, &program.before, program.loop.address);
	ok(program.loop.address + trace_layouts_next(program.layouts, 3) ==
		   place(&program, &program.loop, 3),
	   "the predictor sees where a branch leads in the layout");
	ok(program.before.end + trace_layouts_behind(program.layouts, 3) ==
		   place(&program, &program.before, 3) + sizeof(code_bytes),
	   "and what is behind it");
	program_release(&program);
}

static void test_error(void)
{
	const uint64_t cycles[] = {10, 12, 14, 16}, less[] = {9, 11, 13, 15};
	double deviation;

	is_int(llround(1000 * takt_trace_layouts_error(cycles, NULL, 4, &deviation)), 4108,
	       "interval of a mean: 3.182 * 2.582 / 2");
	is_int(llround(1000 * deviation), 2582, "deviation");
	ok(takt_trace_layouts_error(cycles, less, 4, NULL) == 0, "pairs that differ by the same");
	ok(takt_trace_layouts_error(cycles, NULL, 1, NULL) == 0, "one layout has no error");
}

int main(void)
{
	test_moved();
	test_spread();
	test_unknown();
	test_branches();
	test_error();
	return tap_done();
}
