/* SPDX-License-Identifier: MIT */
/* CPUID: answers stored as text, what they say, and what this processor runs. */
#include "../tap.h"
#include "isa/cpu.h"

#define LEAF_0 "   0x00000000 0x00: eax=0x00000020 ebx=0x756e6547 ecx=0x6c65746e edx=0x49656e69\n"
#define LEAF_1 "   0x00000001 0x00: eax=0x000a0671 ebx=0x00100800 ecx=0xfffafbbf edx=0xbfebfbff\n"
#define LEAF_7 "   0x00000007 0x00: eax=0x00000001 ebx=0xf3bfbffb ecx=0xbb417fee edx=0xffdd4430\n"
#define BRAND                                                                                      \
	"   0x80000002 0x00: eax=0x20202020 ebx=0x65746e49 ecx=0x2952286c edx=0x00000020\n"        \
	"   0x80000003 0x00: eax=0x00000000 ebx=0x00000000 ecx=0x00000000 edx=0x00000000\n"        \
	"   0x80000004 0x00: eax=0x00000000 ebx=0x00000000 ecx=0x00000000 edx=0x00000000\n"
#define CACHES                                                                                     \
	"   0x00000004 0x00: eax=0xfc004121 ebx=0x02c0003f ecx=0x0000003f edx=0x00000000\n"        \
	"   0x00000004 0x01: eax=0xfc004122 ebx=0x01c0003f ecx=0x0000003f edx=0x00000000\n"        \
	"   0x00000004 0x02: eax=0xfc004143 ebx=0x03c0003f ecx=0x000007ff edx=0x00000000\n"        \
	"   0x00000004 0x03: eax=0x00000000 ebx=0x00000000 ecx=0x00000000 edx=0x00000000\n"

static bool has(const struct takt_cpu *cpu, const char *name)
{
	struct takt_text text = {0};
	bool found = false;

	for (size_t i = 0; i < takt_cpu_feature_count(); i++) {
		takt_text_clear(&text);
		takt_cpu_feature_write(i, &text);
		if (strcmp(takt_text_data(&text), name) == 0)
			found = cpu->features.words[i / 64] >> i % 64 & 1;
	}
	takt_text_release(&text);
	return found;
}

static void test_text(void)
{
	static const char text[] = "CPU 0:\n" LEAF_0 LEAF_1 CACHES LEAF_7 BRAND "CPU 1:\n" LEAF_0;
	struct takt_diag *diag = takt_diag_new();
	struct takt_arena arena = {0};
	struct takt_text name = {0};
	struct takt_cpuid cpuid;
	struct takt_cpu cpu;

	if (ok(takt_cpuid_parse("text", text, strlen(text), &arena, diag, &cpuid), "answers") &&
	    ok(takt_cpu_read(&cpuid, &cpu), "read")) {
		is_int((long long)cpuid.row_count, 10, "of one processor");
		takt_cpu_write(&cpu, &name);
		is_string(takt_text_data(&name), "GenuineIntel family 6 model 167 stepping 1",
			  "signature");
		is_string(cpu.brand, "Intel(R)", "brand without blanks");
		is_int(cpu.l1d_kb, 48, "KB of the first level");
		is_int(cpu.l1i_kb, 32, "and of its instructions");
		is_int(cpu.l2_kb, 2048, "KB of the second");
		ok(has(&cpu, "amx_tile") && has(&cpu, "avx512_fp16") && has(&cpu, "gfni"),
		   "features that are there");
		ok(!has(&cpu, "sse4a") && !has(&cpu, "avx_vnni"), "and that are not");
	}
	takt_text_release(&name);
	takt_arena_release(&arena);
	takt_diag_free(diag);
}

static void test_bad_text(void)
{
	static const char *const texts[] = {
		"",
		"nonsense\n",
		LEAF_0,
		LEAF_1,
		"0x00000000 0x00: eax=0x1 ebx=0x2 ecx=0x3\n" LEAF_1,
		"0x00000000 0x00: eax=0x123456789 ebx=0x2 ecx=0x3 edx=0x4\n" LEAF_1,
		"0x 0x: eax=0x ebx=0x ecx=0x edx=0x\n" LEAF_1,
	};
	struct takt_diag *diag = takt_diag_new();
	struct takt_arena arena = {0};
	struct takt_cpuid cpuid;

	for (size_t i = 0; i < TAKT_COUNT_OF(texts); i++)
		ok(!takt_cpuid_parse("bad", texts[i], strlen(texts[i]), &arena, diag, &cpuid) &&
			   takt_diag_error_count(diag) == i + 1,
		   "text %zu is refused", i);
	takt_arena_release(&arena);
	takt_diag_free(diag);
}

/* What holds on every x86-64 processor. */
static void test_this_processor(void)
{
	const struct takt_cpuid itself = {NULL, 0};
	struct takt_cpu cpu;

	ok(takt_cpu_read(&itself, &cpu) && strlen(cpu.vendor) == 12, "vendor %s", cpu.vendor);
	ok(has(&cpu, "sse2") && has(&cpu, "cmov"), "what all have");
	ok(takt_cpu_runs("sse2") && takt_cpu_runs("i86"), "and run");
	ok(!takt_cpu_runs("amx_tile"), "tiles are never run");
	ok(!takt_cpu_runs("no_such_set"), "an unknown set");
	ok(!takt_cpu_runs("avx512bw_256") || takt_cpu_runs("avx512f_512"),
	   "narrow forms come with AVX-512");
}

int main(void)
{
	test_text();
	test_bad_text();
	test_this_processor();
	return tap_done();
}
