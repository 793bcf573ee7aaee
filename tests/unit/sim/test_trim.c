/* SPDX-License-Identifier: MIT */
/* Operands that make no difference in a block that is repeated, and those that do. */
#include "kernel.h"
#include "sim/block/block.h"

static const struct sim_program *program_of(struct sim_kernel *kernel, struct sim_stalls *stalls)
{
	const struct sim_options options = {.loop = kernel->loop, .ret_stalls = stalls};

	return sim_program_new(&kernel->block, &options, &kernel->arena);
}

static unsigned count_sources(const struct sim_program *program, unsigned insn, uint8_t part)
{
	unsigned count = 0;

	for (unsigned s = 0; s < program->insns[insn].source_count; s++)
		count += program->sources[program->insns[insn].sources + s].part == part;
	return count;
}

static unsigned count_results(const struct sim_program *program, unsigned insn, uint8_t part)
{
	unsigned count = 0;

	for (unsigned r = 0; r < program->insns[insn].result_count; r++)
		count += program->results[program->insns[insn].results + r].part == part;
	return count;
}

#define RAX (TAKT_LOC_GPR + 0)
#define RCX (TAKT_LOC_GPR + 1)
#define RDX (TAKT_LOC_GPR + 2)

/* add rax, rcx; adc rax, rax */
static void check_flags(void)
{
	struct sim_kernel *kernel = kernel_from_hex("SKL", "4801c84811c0");
	const struct sim_program *program = program_of(kernel, NULL);

	is_int(count_sources(program, 0, RAX), 1, "a register that the block writes is a source");
	is_int(count_sources(program, 0, RCX), 0, "one that it does not write is ready");
	is_int(count_sources(program, 1, RAX), 1, "a register that is read twice is one source");
	is_int(count_results(program, 0, TAKT_LOC_CF), 1, "a flag that is read is a result");
	is_int(count_results(program, 0, TAKT_LOC_SZAP), 0, "others are none");
	ok(program->used[TAKT_LOC_CF] && program->used[RAX], "what is read is used");
	ok(!program->used[TAKT_LOC_SZAP], "what is only written is not");
	kernel_free(kernel);
}

/* The same, where stalls are to be explained. */
static void check_kept(void)
{
	struct sim_kernel *kernel = kernel_from_hex("SKL", "4801c84811c0");
	struct sim_stalls stalls;
	const struct sim_program *program = program_of(kernel, &stalls);

	is_int(count_sources(program, 0, RCX), 1, "explanations know all sources");
	is_int(count_results(program, 0, TAKT_LOC_SZAP), 1, "and results");
	ok(!program->used[TAKT_LOC_SZAP], "but what is used is the same");
	kernel_free(kernel);
}

/* mov rdx, rax; xor eax, eax: rdx is not read, and shares a register. */
static void check_moves(void)
{
	struct sim_kernel *kernel = kernel_from_hex("SKL", "4889c231c0");
	const struct sim_program *program = program_of(kernel, NULL);

	is_int(count_results(program, 0, RDX), 1, "the target of a move is kept");
	ok(program->used[RDX], "it takes part in move elimination");
	kernel_free(kernel);
}

/* mov rsi, [rdi]; mov rsi, [rsi] */
static void check_bases(void)
{
	struct sim_kernel *kernel = kernel_from_hex("SKL", "488b37488b36");
	const struct sim_program *program = program_of(kernel, NULL);

	ok(!program->memories[program->insns[0].memories].fast,
	   "a base that is always ready comes from no load");
	ok(program->memories[program->insns[1].memories].fast, "a base that is loaded may");
	is_int(program->uops[program->insns[0].uops].source_count, 0, "no address to wait for");
	is_int(program->uops[program->insns[1].uops].source_count, 1, "an address to wait for");
	kernel_free(kernel);
}

int main(void)
{
	check_flags();
	check_kept();
	check_moves();
	check_bases();
	return tap_done();
}
