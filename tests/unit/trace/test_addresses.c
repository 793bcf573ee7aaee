/* SPDX-License-Identifier: MIT */
/* Addresses of accesses from registers. */
#include <cpuid.h>
#include <string.h>

#include "../tap.h"
#include "trace/native/operands.h"

#define STATE_BYTES 16384

static uint8_t state[STATE_BYTES];
static struct native_registers registers = {
	.general = {0x11, 3, 0, 0, 0x7000, 0x8000, 0x2000, 0x1000},
	.fs = 0x50000,
	.state = state,
	.state_bytes = sizeof(state),
};

/* Write the accesses as text: "L1000:8 S1008:4". */
static const char *accesses_of(const uint8_t *bytes, uint64_t element)
{
	static char text[4096];
	struct native_access accesses[NATIVE_ACCESSES_MAX];
	struct native_insn insn;
	size_t at = 0;
	uint32_t count;

	if (!native_insn_decode(bytes, 15, 0x400000, &insn))
		return "unknown";
	count = native_insn_accesses(&insn, &registers, element, accesses);
	text[0] = '\0';
	for (uint32_t i = 0; i < count; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%c%llx:%u", i ? " " : "",
				       accesses[i].store ? 'S' : 'L',
				       (unsigned long long)accesses[i].address,
				       accesses[i].size_bytes);
	return text;
}

static void check(const char *name, const uint8_t *bytes, uint64_t element, const char *wanted)
{
	const char *got = accesses_of(bytes, element);

	ok(strcmp(got, wanted) == 0, "%s: %s, wanted %s", name, got, wanted);
}

#define BYTES(...)                                                                                 \
	(const uint8_t[16])                                                                        \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

static void check_general(void)
{
	check("mov rax, [rdi+8]", BYTES(0x48, 0x8b, 0x47, 8), 0, "L1008:8");
	check("mov [rsi+rcx*4], eax", BYTES(0x89, 0x04, 0x8e), 0, "S200c:4");
	check("add [rdi], eax", BYTES(0x01, 0x07), 0, "L1000:4 S1000:4");
	check("mov rax, fs:[0x10]", BYTES(0x64, 0x48, 0x8b, 0x04, 0x25, 0x10, 0, 0, 0), 0,
	      "L50010:8");
	check("mov eax, [rip+0x10]", BYTES(0x8b, 0x05, 0x10, 0, 0, 0), 0, "L400016:4");
	check("push rax", BYTES(0x50), 0, "S6ff8:8");
	check("pop rax", BYTES(0x58), 0, "L7000:8");
	check("call", BYTES(0xe8, 0, 0, 0, 0), 0, "S6ff8:8");
	check("call [rdi]", BYTES(0xff, 0x17), 0, "L1000:8 S6ff8:8");
	check("push [rdi]", BYTES(0xff, 0x37), 0, "L1000:8 S6ff8:8");
	check("ret", BYTES(0xc3), 0, "L7000:8");
	check("leave", BYTES(0xc9), 0, "L8000:8");
	check("mov eax, [edi-0x2000], which wraps", BYTES(0x67, 0x8b, 0x87, 0, 0xe0, 0xff, 0xff), 0,
	      "Lfffff000:4");
	check("fld tbyte [rdi]", BYTES(0xdb, 0x2f), 0, "L1000:10");
	check("fxsave [rdi]", BYTES(0x0f, 0xae, 0x07), 0,
	      "S1000:64 S1040:64 S1080:64 S10c0:64 S1100:64 S1140:64 S1180:64 S11c0:64");
	check("bt [rdi], rax: bit 17", BYTES(0x48, 0x0f, 0xa3, 0x07), 0, "L1000:8");
	registers.general[0] = (uint64_t)-1;
	check("bts [rdi], rax: bit -1", BYTES(0x48, 0x0f, 0xab, 0x07), 0, "Lff8:8 Sff8:8");
	registers.general[0] = 200;
	check("bt [rdi], eax: bit 200", BYTES(0x0f, 0xa3, 0x07), 0, "L1018:4");
	registers.general[3] = 0x3000;
	registers.general[0] = 0x1234;
	check("xlatb: al alone", BYTES(0xd7), 0, "L3034:1");
}

static void check_strings(void)
{
	check("movsb", BYTES(0xa4), 0, "L2000:1 S1000:1");
	check("rep movsq, element 2", BYTES(0xf3, 0x48, 0xa5), 2, "L2010:8 S1010:8");
	registers.backwards = true;
	check("rep movsq backwards", BYTES(0xf3, 0x48, 0xa5), 2, "L1ff0:8 Sff0:8");
	registers.backwards = false;
	check("repne scasb, element 5", BYTES(0xf2, 0xae), 5, "L1005:1");
}

/* Store a component where this processor has it; false if it has none. */
static bool store_component(unsigned number, size_t at, const void *data, size_t size_bytes)
{
	unsigned size, offset, ecx, edx;
	uint64_t present;

	if (!__get_cpuid_count(13, number, &size, &offset, &ecx, &edx) || size == 0)
		return false;
	memcpy(&present, state + 512, sizeof(present));
	present |= (uint64_t)1 << number;
	memcpy(state + 512, &present, sizeof(present));
	memcpy(state + offset + at, data, size_bytes);
	return true;
}

static void check_avx(void)
{
	const int32_t low[4] = {0, 1, -1, 100}, high[4] = {7, 0, 0, 0};
	const int32_t signs_low[4] = {0, -1, 0, 0}, signs_high[4] = {-1, 0, 0, 0};

	memcpy(state + 160 + 16, low, 16); /* xmm1 */
	memcpy(state + 160 + 32, signs_low, 16);
	if (!store_component(2, 16, high, 16) || !store_component(2, 32, signs_high, 16)) {
		tap_skip("gathers and masks of AVX", "no AVX");
		return;
	}
	check("vpgatherdd ymm0, [rdi+ymm1*4], ymm2: elements 1 and 4",
	      BYTES(0xc4, 0xe2, 0x6d, 0x90, 0x04, 0x8f), 0, "L1004:4 L101c:4");
	check("vpmaskmovd [rdi], ymm2, ymm1: elements 1 to 4", BYTES(0xc4, 0xe2, 0x6d, 0x8e, 0x0f),
	      0, "S1004:16");
}

static void check_avx512(void)
{
	const uint64_t mask = 0xf0, none = 0;

	if (!store_component(5, 8, &mask, sizeof(mask))) {
		tap_skip("masks of AVX-512", "no AVX-512");
		return;
	}
	check("vmovdqu32 [rdi]{k1}, zmm3", BYTES(0x62, 0xf1, 0x7e, 0x49, 0x7f, 0x1f), 0,
	      "S1010:16");
	check("vpaddd zmm3{k1}, zmm2, [rdi]", BYTES(0x62, 0xf1, 0x6d, 0x49, 0xfe, 0x1f), 0,
	      "L1000:64");
	check("vpcompressd [rdi]{k1}, zmm3", BYTES(0x62, 0xf2, 0x7d, 0x49, 0x8b, 0x1f), 0,
	      "S1000:16");
	store_component(5, 8, &none, sizeof(none));
	check("an empty mask", BYTES(0x62, 0xf1, 0x7e, 0x49, 0x7f, 0x1f), 0, "");
}

static void check_tiles(void)
{
	uint8_t config[64] = {1};

	config[16 + 2 * 1] = 48; /* bytes of a row of tmm1 */
	config[48 + 1] = 3;	 /* its rows */
	if (!store_component(17, 0, config, sizeof(config))) {
		tap_skip("rows of tiles", "no AMX");
		return;
	}
	registers.general[0] = 0x100;
	check("tileloadd tmm1, [rdi+rax]", BYTES(0xc4, 0xe2, 0x7b, 0x4b, 0x0c, 0x07), 0,
	      "L1000:48 L1100:48 L1200:48");
}

int main(void)
{
	struct native_insn insn;

	check_general();
	check_strings();
	check_avx();
	check_avx512();
	check_tiles();
	registers.general[1] = UINT64_C(0x100000005);
	ok(native_insn_decode(BYTES(0xf3, 0xa4), 15, 0, &insn) &&
		   native_insn_count(&insn, &registers) == UINT64_C(0x100000005),
	   "rep counts in rcx");
	ok(native_insn_decode(BYTES(0x67, 0xf3, 0xa4), 15, 0, &insn) &&
		   native_insn_count(&insn, &registers) == 5,
	   "and in ecx with an address of 32 bits");
	return tap_done();
}
