/* SPDX-License-Identifier: MIT */
/* Small kernels whose figures are beyond doubt, through the whole of takt_analyze(). */
#include <math.h>
#include <string.h>

#include "../tap.h"
#include "kernel.h"

/* imul rax, rdx: 3 cycles on port 1; dec rcx; jnz start: one fused µop. */
static const uint8_t imul_loop[] = {0x48, 0x0f, 0xaf, 0xc2, 0x48, 0xff, 0xc9, 0x75, 0xf7};
/* imul r8, rdx, 1 … imul r11, rdx, 1: no chain, four on port 1 */
static const uint8_t imuls[] = {0x4c, 0x6b, 0xc2, 0x01, 0x4c, 0x6b, 0xca, 0x01,
				0x4c, 0x6b, 0xd2, 0x01, 0x4c, 0x6b, 0xda, 0x01};
/* add [rdi], rax: through memory into its own next execution */
static const uint8_t memory_add[] = {0x48, 0x01, 0x07};
/* xor eax, eax; mov rbx, rcx */
static const uint8_t renamed[] = {0x31, 0xc0, 0x48, 0x89, 0xcb};
/* je over a nop, and a call */
static const uint8_t inner[] = {0x74, 0x01, 0x90, 0xe8, 0x00, 0x00, 0x00, 0x00};

static void test_loop(void)
{
	struct kernel kernel = KERNEL("SKX", imul_loop, .mode = TAKT_MODE_AUTO);
	const struct takt_analysis *a = kernel.analysis;

	is_int(a->mode, TAKT_MODE_LOOP, "branch to the start: loop");
	is_int(a->insn_count, 3, "instructions");
	is_near(a->cycles_per_iteration, 3, "headline");
	is_string(a->limit, "loop-carried dependence", "limit");
	is_near(a->bounds.ports_cycles, 1, "ports");
	is_int(a->issue_slots, 2, "imul and the fused pair");
	is_near(a->bounds.issue_cycles, 0.5, "issue");
	is_near(a->simulated_cycles, 3, "simulated");
	is_int(a->simulated_period > 0, true, "a steady state");
	ok(a->bounds.front_end_cycles > 0 && a->bounds.front_end_cycles <= 3, "front end");
	is_near(a->insns[0].stall_cycles, 3, "cycles are spent on imul");
	is_string(a->stalls[0].cause, "latency", "on its latency");
	ok(a->insns[0].on_loop_carried, "imul is on the cycle");
	is_near(a->insns[0].lcd_cycles, 3, "with all of it");
	ok(!a->insns[1].on_loop_carried, "dec is not");
	is_string(a->insns[1].note, "fused with next", "dec fuses");
	is_int(a->insns[1].uops, 0, "its work is the branch's");
	is_int(a->insns[2].slots, 0, "and its slot the branch's");
	is_string(a->insns[0].form, "imul r64, r64", "form");
	is_string(a->recurrences[0].location, "rax", "through rax");
	is_int(a->bottleneck_count, 1, "one bottleneck");
	is_string(a->bottlenecks[0],
		  "loop-carried dependence through rax: 3.00 cycles per iteration over imul at 0x0",
		  "in words");
	kernel_close(&kernel);
}

static void test_unroll(void)
{
	struct kernel kernel =
		KERNEL("SKX", imul_loop, .mode = TAKT_MODE_UNROLL, .unroll_factor = 2);
	const struct takt_analysis *a = kernel.analysis;

	is_int(a->insn_count, 2, "the branch is not there");
	is_near(a->cycles_per_iteration, 1.5, "headline per source iteration");
	is_near(a->bounds.loop_carried_cycles, 3, "bounds per block execution");
	is_string(a->notes[0], "mode unroll: the branch at the end is left out", "and it is said");
	kernel_close(&kernel);
}

static void test_ports(void)
{
	struct kernel kernel = KERNEL("SKX", imuls, .mode = TAKT_MODE_AUTO);
	const struct takt_analysis *a = kernel.analysis;

	is_int(a->mode, TAKT_MODE_UNROLL, "no branch: unroll");
	is_near(a->cycles_per_iteration, 4, "headline");
	is_string(a->limit, "ports", "limit");
	is_string(a->bottlenecks[0],
		  "port p1 is busy 100 % of the time: 4.00 of 4.00 cycles "
		  "(imul at 0x0, imul at 0x4, imul at 0x8 and 1 more)",
		  "in words");
	kernel_close(&kernel);
}

static void test_memory(void)
{
	struct kernel with = KERNEL("SKX", memory_add, .mode = TAKT_MODE_AUTO);
	struct kernel without = KERNEL("SKX", memory_add, .no_memory_dependences = true);

	is_int(with.analysis->memory_dependence_count, 1, "store to load");
	is_string(with.analysis->recurrences[0].location, "memory", "a cycle through memory");
	is_near(with.analysis->cycles_per_iteration, 5,
		"that costs store forwarding and the addition");
	is_int(without.analysis->memory_dependence_count, 0, "unless told otherwise");
	is_near(without.analysis->bounds.loop_carried_cycles, 0, "then no cycle");
	kernel_close(&with);
	kernel_close(&without);
}

static void test_notes(void)
{
	struct kernel kernel = KERNEL("SKX", renamed, .mode = TAKT_MODE_AUTO);

	is_string(kernel.analysis->insns[0].note, "zero idiom", "xor same");
	is_int(kernel.analysis->insns[0].uops, 0, "needs no port");
	kernel_close(&kernel);
	kernel = KERNEL("SKX", inner, .mode = TAKT_MODE_AUTO);
	is_string(kernel.analysis->insns[0].note, "taken as not taken", "inner branch");
	is_string(kernel.analysis->insns[2].note, "callee not counted", "call");
	kernel_close(&kernel);
}

static void test_fixed(void)
{
	/* Two shifts (p06) and an add (p0156): 1 at best, 1.25 split equally. */
	static const uint8_t bytes[] = {0xc1, 0xe0, 0x03, 0xc1, 0xe3, 0x03, 0x83, 0xc1, 0x01};
	struct kernel best = KERNEL("SKX", bytes, .mode = TAKT_MODE_AUTO);
	struct kernel split = KERNEL("SKX", bytes, .fixed = true, .bounds_only = true);

	is_near(best.analysis->bounds.ports_cycles, 1, "optimum");
	is_near(best.analysis->bounds.fixed_ports_cycles, 1.25, "equal split");
	is_near(split.analysis->port_cycles[0], 1.25, "--fixed shows the split");
	is_near(split.analysis->cycles_per_iteration, 1.25, "and it is the headline");
	kernel_close(&best);
	kernel_close(&split);
}

static void test_bounds_only(void)
{
	struct kernel kernel = KERNEL("SKX", imul_loop, .bounds_only = true);
	const struct takt_analysis *a = kernel.analysis;

	is_near(a->cycles_per_iteration, 3, "the largest bound");
	ok(isnan(a->simulated_cycles), "nothing simulated");
	is_int(a->stall_count + a->relaxation_count, 0, "nor what needs it");
	kernel_close(&kernel);
}

/* A read of one register's memory after a write of another's: only if they are equal. */
static void test_entry_values(void)
{
	/* mov [rdi], rax; mov rax, [rsi] */
	static const uint8_t bytes[] = {0x48, 0x89, 0x07, 0x48, 0x8b, 0x06};
	static const struct takt_register_value equal[] = {{"rdi", 4096}, {"rsi", 4096}};
	struct kernel apart = KERNEL("SKX", bytes, .mode = TAKT_MODE_AUTO);
	struct kernel alias = KERNEL("SKX", bytes, .entry_values = equal, .entry_value_count = 2);

	is_int(apart.analysis->memory_dependence_count, 0, "not known to be");
	is_int(alias.analysis->memory_dependence_count, 1, "known to be");
	is_near(apart.analysis->simulated_cycles, 1, "a store a cycle");
	is_near(alias.analysis->simulated_cycles, alias.analysis->bounds.loop_carried_cycles,
		"the simulation knows");
	kernel_close(&apart);
	kernel_close(&alias);
}

static void test_alignments(void)
{
	struct kernel own = KERNEL("SKX", imul_loop, .all_alignments = true);
	struct kernel other = KERNEL("SKX", imul_loop, .alignment = 1 + 60);
	const double *cycles = own.analysis->aligned_cycles;

	is_int(own.analysis->alignment_bytes, 0, "by the address");
	is_near(cycles[0], own.analysis->simulated_cycles, "the same as without");
	is_int(other.analysis->alignment_bytes, 60, "as told");
	is_near(cycles[60], other.analysis->simulated_cycles, "the same as alone");
	ok(!other.analysis->aligned_cycles, "only if asked for");
	kernel_close(&own);
	kernel_close(&other);
}

static void test_errors(void)
{
	struct takt_code_options from = {
		.data = "\x06\xff", .data_size_bytes = 2, .format = TAKT_INPUT_RAW, .whole = true};
	struct takt_diag *diag = takt_diag_new();
	struct takt_analysis *analysis = NULL;
	struct takt_model *model = NULL;
	struct takt_code *code = NULL;

	ok(takt_model_open("SKX", NULL, diag, &model) == TAKT_OK, "model");
	ok(takt_code_open(&from, diag, &code) == TAKT_OK, "bytes");
	is_int(takt_analyze(model, code, 1, NULL, diag, &analysis), TAKT_NOT_FOUND,
	       "no such region");
	is_int(takt_analyze(model, code, 0, NULL, diag, &analysis), TAKT_BAD_INPUT, "undecodable");
	is_int((long long)takt_diag_error_count(diag), 2, "both reported");
	ok(!analysis, "output untouched");
	takt_code_close(code);
	takt_model_close(model);
	takt_diag_free(diag);
}

/* mul x1, x1, x2; ldr x3, [x4], #8; subs x0, x0, #1; b.ne to the start */
static const uint8_t aarch64_loop[] = {0x21, 0x7c, 0x02, 0x9b, 0x83, 0x84, 0x40, 0xf8,
				       0x00, 0x04, 0x00, 0xf1, 0xa1, 0xff, 0xff, 0x54};

static void test_aarch64(void)
{
	static const struct takt_register_value sp = {"sp", 4096};
	struct kernel kernel = KERNEL("N1", aarch64_loop, .entry_values = &sp,
				      .entry_value_count = 1, .memory_streams = true);
	const struct takt_analysis *a = kernel.analysis;

	is_string(a->isa, "aarch64", "instruction set");
	is_int(a->mode, TAKT_MODE_LOOP, "branch to the start: loop");
	is_int(a->insn_count, 4, "instructions");
	is_string(a->insns[0].text, "mul x1, x1, x2", "text");
	ok(a->recurrence_count > 0 && strcmp(a->recurrences[0].location, "x1") == 0,
	   "mul waits for itself");
	ok(a->simulated_cycles >= a->bounds.loop_carried_cycles, "simulated, no less");
	ok(a->memory_stream_count == 1 && a->memory_streams[0].known &&
		   a->memory_streams[0].stride_bytes == 8,
	   "the address written back");
	kernel_close(&kernel);
}

static void test_other_core(void)
{
	struct takt_code_options from = {.data = imul_loop,
					 .data_size_bytes = sizeof(imul_loop),
					 .format = TAKT_INPUT_RAW,
					 .whole = true};
	struct takt_diag *diag = takt_diag_new();
	struct takt_analysis *analysis = NULL;
	struct takt_model *model = NULL;
	struct takt_code *code = NULL;

	ok(takt_model_open("V2", NULL, diag, &model) == TAKT_OK &&
		   takt_code_open(&from, diag, &code) == TAKT_OK &&
		   takt_analyze(model, code, 0, NULL, diag, &analysis) == TAKT_BAD_INPUT &&
		   !analysis,
	   "x86-64 code on a core for AArch64");
	ok(strstr(takt_diag_text(diag), "is x86-64 code; V2 is a core for AArch64"), "says so");
	takt_code_close(code);
	takt_model_close(model);
	takt_diag_free(diag);
}

int main(void)
{
	test_aarch64();
	test_other_core();
	test_loop();
	test_unroll();
	test_ports();
	test_memory();
	test_notes();
	test_fixed();
	test_bounds_only();
	test_entry_values();
	test_alignments();
	test_errors();
	return tap_done();
}
