/* SPDX-License-Identifier: MIT */
#include "../tap.h"

#include "events/oracle.h"

static const struct {
	int line;
	const char *text;
	const struct takt_isa *isa;
	uint8_t size;
	uint8_t bytes[12];
	struct oracle_counts want;
} rows[] = {
	{__LINE__,
	 "addps xmm0, [rdi]",
	 &takt_isa_x86,
	 3,
	 {0x0f, 0x58, 0x07},
	 {.loads = 1, .fp32_ops = {0, 4}, .fp_insns = 1}},
	{__LINE__,
	 "addsd xmm0, xmm1",
	 &takt_isa_x86,
	 4,
	 {0xf2, 0x0f, 0x58, 0xc1},
	 {.fp64_ops = {1}, .fp_insns = 1}},
	{__LINE__,
	 "vfmadd231pd zmm0, zmm1, zmm2",
	 &takt_isa_x86,
	 6,
	 {0x62, 0xf2, 0xf5, 0x48, 0xb8, 0xc2},
	 {.fp64_ops = {0, 0, 0, 16}, .fp_insns = 1}},
	{__LINE__,
	 "vcmpps k1, ymm0, ymm1, 0",
	 &takt_isa_x86,
	 7,
	 {0x62, 0xf1, 0x7c, 0x28, 0xc2, 0xc9, 0x00},
	 {.fp32_ops = {0, 0, 8}, .fp_insns = 1}},
	{__LINE__,
	 "vsqrtpd ymm0, ymm1",
	 &takt_isa_x86,
	 4,
	 {0xc5, 0xfd, 0x51, 0xc1},
	 {.fp64_ops = {0, 0, 4}, .fp_insns = 1, .divides = 1}},
	{__LINE__,
	 "pmaxsd xmm0, xmm1: integers",
	 &takt_isa_x86,
	 5,
	 {0x66, 0x0f, 0x38, 0x3d, 0xc1},
	 {0}},
	{__LINE__, "cvtdq2ps xmm0, xmm1: a conversion", &takt_isa_x86, 3, {0x0f, 0x5b, 0xc1}, {0}},
	{__LINE__, "cmpsd: a string, not a double", &takt_isa_x86, 1, {0xa7}, {.loads = 2}},
	{__LINE__,
	 "movntdqa xmm0, [rdi]: a load",
	 &takt_isa_x86,
	 5,
	 {0x66, 0x0f, 0x38, 0x2a, 0x07},
	 {.loads = 1}},
	{__LINE__,
	 "movnti [rdi], eax",
	 &takt_isa_x86,
	 3,
	 {0x0f, 0xc3, 0x07},
	 {.stores = 1, .nt_stores = 1, .nt_store_bytes = 4}},
	{__LINE__,
	 "lock inc dword [rdi]",
	 &takt_isa_x86,
	 3,
	 {0xf0, 0xff, 0x07},
	 {.loads = 1, .stores = 1, .atomics = 1}},
	{__LINE__,
	 "xchg eax, [rdi] locks by itself",
	 &takt_isa_x86,
	 2,
	 {0x87, 0x07},
	 {.loads = 1, .stores = 1, .atomics = 1}},
	{__LINE__, "xchg eax, ecx", &takt_isa_x86, 1, {0x91}, {0}},
	{__LINE__, "pause", &takt_isa_x86, 2, {0xf3, 0x90}, {.pauses = 1}},
	{__LINE__, "idiv ecx", &takt_isa_x86, 2, {0xf7, 0xf9}, {.divides = 1}},
	{__LINE__, "prefetcht0 [rdi]", &takt_isa_x86, 3, {0x0f, 0x18, 0x0f}, {0}},
	{__LINE__, "push [rdi]", &takt_isa_x86, 2, {0xff, 0x37}, {.loads = 1, .stores = 1}},
	{__LINE__,
	 "call",
	 &takt_isa_x86,
	 5,
	 {0xe8, 0, 0, 0, 0},
	 {.stores = 1, .branches = 1, .calls = 1}},
	{__LINE__, "jne", &takt_isa_x86, 2, {0x75, 0}, {.branches = 1, .conditional = 1}},
	{__LINE__,
	 "fadd st0, st1",
	 &takt_isa_x86,
	 2,
	 {0xd8, 0xc1},
	 {.fp64_ops = {1}, .fp_insns = 1}},
	{__LINE__,
	 "fmla v0.4s, v1.4s, v2.4s",
	 &takt_isa_aarch64,
	 4,
	 {0x20, 0xcc, 0x22, 0x4e},
	 {.fp32_ops = {0, 8}, .fp_insns = 1}},
	{__LINE__,
	 "add v0.4s, v1.4s, v2.4s: integers",
	 &takt_isa_aarch64,
	 4,
	 {0x20, 0x84, 0xa2, 0x4e},
	 {0}},
	{__LINE__,
	 "fmadd d0, d1, d2, d3",
	 &takt_isa_aarch64,
	 4,
	 {0x20, 0x0c, 0x42, 0x1f},
	 {.fp64_ops = {2}, .fp_insns = 1}},
	{__LINE__,
	 "ldp x0, x1, [x2]: one access",
	 &takt_isa_aarch64,
	 4,
	 {0x40, 0x04, 0x40, 0xa9},
	 {.loads = 1}},
	{__LINE__,
	 "ldadd w0, w1, [x2]",
	 &takt_isa_aarch64,
	 4,
	 {0x41, 0x00, 0x20, 0xb8},
	 {.loads = 1, .stores = 1, .atomics = 1}},
};

static void check_row(size_t index)
{
	const uint8_t lengths[] = {rows[index].size};
	const struct trace_block block = {
		.insn_count = 1, .lengths = lengths, .bytes = rows[index].bytes};
	struct oracle_counts got = {0}, want = rows[index].want;

	want.insns = 1;
	tap_is_int(__FILE__, rows[index].line,
		   oracle_facts_add(rows[index].isa, &block, 0, 1, &got), 0, "decoded");
#define X(field, name, unit, origin, what)                                                         \
	if (got.field != want.field)                                                               \
		tap_is_int(__FILE__, rows[index].line, (long long)got.field,                       \
			   (long long)want.field, name);
	ORACLE_EVENT_LIST(X)
#undef X
	tap_is_int(__FILE__, rows[index].line, memcmp(&got, &want, sizeof(got)), 0,
		   rows[index].text);
}

static void test_parts(void)
{
	/* nop; rep movsb: its accesses tell of its elements. */
	static const uint8_t lengths[] = {1, 2}, bytes[] = {0x90, 0xf3, 0xa4};
	const struct trace_block block = {
		.insn_count = 2, .lengths = lengths, .bytes = bytes, .repeats = true};
	struct oracle_counts counts = {0};

	oracle_facts_add(&takt_isa_x86, &block, 0, 2, &counts);
	ok(counts.insns == 2 && counts.loads == 0, "a string instruction is one, without loads");
	oracle_facts_add(&takt_isa_x86, &block, 1, 2, &counts);
	ok(counts.insns == 3, "the last instruction alone");
	oracle_facts_add(&takt_isa_x86, &block, 2, 2, &counts);
	ok(counts.insns == 3, "none");
	ok(oracle_facts_add(NULL, &block, 0, 2, &counts) == 2, "nobody to decode them");
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check_row(i);
	test_parts();
	return tap_done();
}
