/* SPDX-License-Identifier: MIT */
/* Changes of code that would help, and recurrences that none helps; figures derived from the core.
 */
#include <string.h>

#include "../tap.h"
#include "kernel.h"

/* imul rax, rdx; dec rcx; jnz start */
static const uint8_t product[] = {0x48, 0x0f, 0xaf, 0xc2, 0x48, 0xff, 0xc9, 0x75, 0xf7};
/* imul rax, rdx; mov [rdi], rax; dec rcx; jnz start: each product is needed */
static const uint8_t products[] = {0x48, 0x0f, 0xaf, 0xc2, 0x48, 0x89,
				   0x07, 0x48, 0xff, 0xc9, 0x75, 0xf4};
/* vaddsd xmm0, xmm0, xmm1; vaddsd xmm0, xmm0, xmm2: two on one accumulator */
static const uint8_t two_sums[] = {0xc5, 0xfb, 0x58, 0xc1, 0xc5, 0xfb, 0x58, 0xc2};
/* vmovsd xmm1, [rdi]; vfmadd231sd xmm0, xmm1, [rsi]: a dot product */
static const uint8_t dot[] = {0xc5, 0xfb, 0x10, 0x0f, 0xc4, 0xe2, 0xf1, 0xb9, 0x06};
/* vmulsd xmm0, xmm0, xmm1; vaddsd xmm0, xmm0, xmm2: Horner's rule */
static const uint8_t horner[] = {0xc5, 0xfb, 0x59, 0xc1, 0xc5, 0xfb, 0x58, 0xc2};
/* add [rdi], rax: a sum in memory */
static const uint8_t memory_sum[] = {0x48, 0x01, 0x07};
/* vmovsd xmm0, [rdi]; vaddsd xmm0, xmm0, xmm1; vmovsd [rdi+8], xmm0; add rdi, 8 */
static const uint8_t running[] = {0xc5, 0xfb, 0x10, 0x07, 0xc5, 0xfb, 0x58, 0xc1, 0xc5,
				  0xfb, 0x11, 0x47, 0x08, 0x48, 0x83, 0xc7, 0x08};
/* mov rax, [rax] */
static const uint8_t chase[] = {0x48, 0x8b, 0x00};
/* inc rdx; dec rcx; jnz start */
static const uint8_t counting[] = {0x48, 0xff, 0xc2, 0x48, 0xff, 0xc9, 0x75, 0xf8};

static const struct takt_code_change *find(const struct kernel *kernel, const char *what)
{
	for (uint32_t i = 0; i < kernel->analysis->change_count; i++)
		if (strstr(kernel->analysis->changes[i].what, what))
			return &kernel->analysis->changes[i];
	return NULL;
}

static void test_accumulators(void)
{
	struct kernel kernel = KERNEL("SKX", product, .mode = TAKT_MODE_AUTO);
	const struct takt_code_change *change = find(&kernel, "accumulators");

	is_near(kernel.analysis->simulated_cycles, 3, "a chain of three cycles");
	ok(change, "can be split");
	is_string(change ? change->what : "",
		  "4 accumulators instead of 1, in a loop unrolled 4 times", "in so many");
	is_near(change ? change->cycles : 0, 1, "until the port of imul is busy");
	ok(change && !strstr(change->how, "-ffast-math"), "integers are added in any order");
	is_int(change ? change->insn_count : 0, 1, "one instruction");
	kernel_close(&kernel);
}

static void test_two_members(void)
{
	struct kernel kernel = KERNEL("SKX", two_sums, .mode = TAKT_MODE_UNROLL);
	const struct takt_code_change *change = find(&kernel, "accumulators");

	is_near(kernel.analysis->simulated_cycles, 8, "two additions after each other");
	ok(change && strstr(change->what, "8 accumulators"), "eight hide four cycles of two ports");
	is_near(change ? change->cycles : 0, 1, "two additions on two ports");
	ok(change && strstr(change->how, "-fassociative-math"), "which rounds otherwise");
	kernel_close(&kernel);
}

/* Four chains of four cycles would leave the loads of two ports none to spare. */
static void test_spare_chains(void)
{
	struct kernel kernel = KERNEL("SKX", dot, .mode = TAKT_MODE_UNROLL);
	const struct takt_code_change *change = find(&kernel, "accumulators");

	is_near(kernel.analysis->simulated_cycles, 4, "a chain of four cycles");
	is_near(change ? change->cycles : 0, 1, "two loads on two ports");
	is_string(change ? change->what : "",
		  "8 accumulators instead of 1, in a loop unrolled 8 times",
		  "four would do, if no two operations ever wanted one port");
	kernel_close(&kernel);
}

static void test_recurrences(void)
{
	struct kernel needed = KERNEL("SKX", products, .mode = TAKT_MODE_AUTO);
	struct kernel mixed = KERNEL("SKX", horner, .mode = TAKT_MODE_UNROLL);
	struct kernel pointer = KERNEL("SKX", chase, .mode = TAKT_MODE_UNROLL);

	ok(!find(&needed, "accumulators"), "what is stored each time cannot be split");
	ok(!find(&mixed, "accumulators"), "nor can a mixture of operations");
	is_string(mixed.analysis->relaxations[0].advice,
		  "each iteration needs the result of the one before", "and the report says so");
	is_int(pointer.analysis->change_count, 0, "nor can a pointer chase");
	is_string(pointer.analysis->relaxations[0].advice,
		  "a pointer chase: each address is loaded by the iteration before",
		  "which has a name");
	kernel_close(&needed);
	kernel_close(&mixed);
	kernel_close(&pointer);
}

static void test_keeping(void)
{
	struct kernel sum = KERNEL("SKX", memory_sum, .mode = TAKT_MODE_UNROLL);
	struct kernel sums = KERNEL("SKX", running, .mode = TAKT_MODE_UNROLL);
	const struct takt_code_change *change = find(&sum, "kept in registers");

	ok(sum.analysis->simulated_cycles > 4, "a sum in memory waits for its store");
	is_near(change ? change->cycles : 0, 1, "one in a register only for the addition");
	change = find(&sums, "kept in registers");
	ok(sums.analysis->simulated_cycles > 7, "so do running sums");
	is_near(change ? change->cycles : 0, 4, "of which only the load is spared");
	kernel_close(&sum);
	kernel_close(&sums);
}

static void test_unrolling(void)
{
	struct kernel kernel = KERNEL("SKX", counting, .mode = TAKT_MODE_AUTO);
	const struct takt_code_change *change = find(&kernel, "unrolled");

	/* One taken branch in two cycles, as measured on cores without a loop buffer. */
	ok(change && change->cycles <= 0.5 * kernel.analysis->simulated_cycles + 0.01,
	   "a loop that only counts is unrolled");
	kernel_close(&kernel);
}

static void test_none(void)
{
	struct kernel kernel = KERNEL("SKX", product, .sensitivity = TAKT_SENSITIVITY_NONE);

	is_int(kernel.analysis->change_count, 0, "none without sensitivity");
	kernel_close(&kernel);
}

int main(void)
{
	test_accumulators();
	test_two_members();
	test_spare_chains();
	test_recurrences();
	test_keeping();
	test_unrolling();
	test_none();
	return tap_done();
}
