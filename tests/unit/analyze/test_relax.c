/* SPDX-License-Identifier: MIT */
/* What would help kernels that wait for one thing each; figures derived from the core. */
#include <string.h>

#include "../tap.h"
#include "kernel.h"

/* imul rax, rdx; dec rcx; jnz start */
static const uint8_t imul_loop[] = {0x48, 0x0f, 0xaf, 0xc2, 0x48, 0xff, 0xc9, 0x75, 0xf7};
/* imul r8, rdx, 1 … imul r11, rdx, 1: four on port 1 */
static const uint8_t imuls[] = {0x4c, 0x6b, 0xc2, 0x01, 0x4c, 0x6b, 0xca, 0x01,
				0x4c, 0x6b, 0xd2, 0x01, 0x4c, 0x6b, 0xda, 0x01};
/* add [rdi], rax: forwarding and addition */
static const uint8_t memory_add[] = {0x48, 0x01, 0x07};
/* vdivsd xmm0, xmm1, xmm2: four cycles of the divider, one of port 0 */
static const uint8_t division[] = {0xc5, 0xf3, 0x5e, 0xc2};
/* mov [rdi], al; mov eax, [rdi]: cannot be forwarded */
static const uint8_t too_narrow[] = {0x88, 0x07, 0x8b, 0x07};
/* eight nops: two cycles of renaming */
static const uint8_t nops[] = {0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90};

static const struct takt_relaxation *find(const struct kernel *kernel, const char *what)
{
	for (uint32_t i = 0; i < kernel->analysis->relaxation_count; i++)
		if (strstr(kernel->analysis->relaxations[i].what, what))
			return &kernel->analysis->relaxations[i];
	return NULL;
}

static double cycles_with(const struct kernel *kernel, const char *what)
{
	const struct takt_relaxation *relaxation = find(kernel, what);

	return relaxation ? relaxation->cycles : -1;
}

static void test_latency(void)
{
	struct kernel kernel = KERNEL("SKX", imul_loop, .mode = TAKT_MODE_AUTO);
	const struct takt_relaxation *first = &kernel.analysis->relaxations[0];

	is_string(first->what, "half the latency of int-mul (3 to 2 cycles)", "the chain");
	is_near(first->cycles, 2, "is as long as its latency");
	is_string(first->advice, "", "which several accumulators shorten");
	is_int(first->insn_count, 1, "one instruction");
	is_int(first->insns[0], 0, "imul");
	is_near(cycles_with(&kernel, "port like p1"), 3, "its port has no part in it");
	kernel_close(&kernel);
}

static void test_port(void)
{
	struct kernel kernel = KERNEL("SKX", imuls, .mode = TAKT_MODE_AUTO);
	const struct takt_relaxation *first = &kernel.analysis->relaxations[0];

	is_near(kernel.analysis->simulated_cycles, 4, "four on one port");
	is_string(first->what, "one more port like p1", "which two would halve");
	is_near(first->cycles, 2, "to two");
	is_int(first->insn_count, 4, "all four");
	kernel_close(&kernel);
}

static void test_divider(void)
{
	struct kernel kernel = KERNEL("SKX", division, .sensitivity = TAKT_SENSITIVITY_FULL);

	is_near(kernel.analysis->simulated_cycles, 4, "one division in four cycles");
	is_near(cycles_with(&kernel, "a pipelined unit d0 (divider)"), 1, "or each cycle");
	is_near(cycles_with(&kernel, "one more port like d0 (divider)"), 2, "or two in four");
	kernel_close(&kernel);
}

static void test_memory(void)
{
	struct kernel chain = KERNEL("SKX", memory_add, .sensitivity = TAKT_SENSITIVITY_FULL);
	struct kernel narrow = KERNEL("SKX", too_narrow, .sensitivity = TAKT_SENSITIVITY_FULL);

	is_near(cycles_with(&chain, "no loads of recently stored values"), 1, "one store a cycle");
	ok(!find(&chain, "forwarded"), "nothing fails to forward");
	ok(cycles_with(&narrow, "store forwarding for every load") <
		   narrow.analysis->simulated_cycles - 5,
	   "a failed one does, and costs");
	kernel_close(&chain);
	kernel_close(&narrow);
}

static void test_issue(void)
{
	struct kernel kernel = KERNEL("SKX", nops, .sensitivity = TAKT_SENSITIVITY_FULL);

	is_near(kernel.analysis->simulated_cycles, 2, "eight slots at four a cycle");
	ok(!find(&kernel, "port"), "no ports to have more of");
	kernel_close(&kernel);
}

static void test_choice(void)
{
	struct kernel full = KERNEL("SKX", imul_loop, .sensitivity = TAKT_SENSITIVITY_FULL);
	struct kernel none = KERNEL("SKX", imul_loop, .sensitivity = TAKT_SENSITIVITY_NONE);
	const struct takt_analysis *a = full.analysis;
	bool sorted = true;

	for (uint32_t i = 1; i < a->relaxation_count; i++)
		sorted &= a->relaxations[i - 1].cycles <= a->relaxations[i].cycles;
	ok(sorted, "fewest cycles first");
	ok(a->relaxations[a->relaxation_count - 1].cycles <= a->simulated_cycles, "never more");
	ok(a->relaxations_complete, "all of them");
	ok(find(&full, "of a 64-byte line instead of 0"), "alignments too");
	is_int(none.analysis->relaxation_count, 0, "or none");
	kernel_close(&full);
	kernel_close(&none);
}

static void test_settings(void)
{
	static const struct takt_setting narrow = {"issue_width", "1"};
	static const struct takt_setting wrong[] = {
		{"isue_width", "1"},
		{"issue_width", "x"},
		{"rob_entries", "1000000"},
		{"loop_buffer", "2"},
	};
	struct kernel kernel = KERNEL("SKX", nops, .mode = TAKT_MODE_AUTO);
	struct takt_model *changed = NULL, *untouched = NULL;
	struct takt_analysis *analysis = NULL;

	kernel_check(&kernel, takt_model_set(kernel.model, &narrow, 1, kernel.diag, &changed));
	kernel_check(&kernel, takt_analyze(changed, kernel.code, 0, NULL, kernel.diag, &analysis));
	is_near(analysis->simulated_cycles, 8, "one nop a cycle");
	is_near(kernel.analysis->simulated_cycles, 2, "on the changed core only");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ok(takt_model_set(kernel.model, &wrong[i], 1, kernel.diag, &untouched) != TAKT_OK,
		   "%s=%s", wrong[i].name, wrong[i].value);
	is_int((long long)takt_diag_error_count(kernel.diag), 4, "each reported");
	ok(!untouched, "output untouched");
	takt_analysis_free(analysis);
	takt_model_close(changed);
	kernel_close(&kernel);
}

int main(void)
{
	test_latency();
	test_port();
	test_divider();
	test_memory();
	test_issue();
	test_choice();
	test_settings();
	return tap_done();
}
