/* SPDX-License-Identifier: MIT */
#include "isa/isa.h"
#include "unit/tap.h"

static struct takt_arena arena;
static const struct takt_sample *samples;
static size_t count;

static const struct takt_sample *sample_of(const char *text)
{
	const char *error;
	size_t index;
	takt_form_key key = takt_form_parse(&takt_isa_x86, text, strlen(text), &index, &error);

	for (size_t i = 0; i < count; i++)
		if (samples[i].form == key)
			return &samples[i];
	return NULL;
}

static void test_operands(void)
{
	static const struct {
		int line;
		const char *form;
		struct takt_choice choice;
		const char *text;
	} rows[] = {
		{__LINE__,
		 "add r64, r64",
		 {.registers = {TAKT_LOC_GPR + 8, TAKT_LOC_GPR + 5}},
		 "add r8, rbp"},
		{__LINE__,
		 "mov r8, r8h",
		 {.registers = {TAKT_LOC_GPR + 3, TAKT_LOC_HIGH8 + 2}},
		 "mov bl, dh"},
		{__LINE__, "mov r8, r8h", {.registers = {TAKT_LOC_GPR + 8}}, NULL},
		{__LINE__,
		 "shl r32, cl",
		 {.registers = {TAKT_LOC_GPR + 15, TAKT_LOC_GPR + 7}},
		 "shl r15d, cl"},
		{__LINE__,
		 "add m64, r64",
		 {.registers = {0, TAKT_LOC_GPR + 9},
		  .base = TAKT_LOC_GPR + 14,
		  .displacement = 0x400},
		 "add qword ptr [r14+0x400], r9"},
		{__LINE__,
		 "shl r64, i8",
		 {.registers = {TAKT_LOC_GPR + 9}, .has_immediate = true, .immediate = 17},
		 "shl r9, 0x11"},
		{__LINE__,
		 "vpaddd ymm, ymm, m256",
		 {.registers = {TAKT_LOC_VECTOR + 9, TAKT_LOC_VECTOR + 15},
		  .base = TAKT_LOC_GPR + 14,
		  .displacement = 0x40},
		 "vpaddd ymm9, ymm15, ymmword ptr [r14+0x40]"},
		{__LINE__,
		 "vgatherdps ymm, m[ymm], ymm",
		 {.registers = {TAKT_LOC_VECTOR + 9, 0, TAKT_LOC_VECTOR + 15},
		  .base = TAKT_LOC_GPR + 14,
		  .index = TAKT_LOC_VECTOR + 2,
		  .displacement = 0x80},
		 "vgatherdps ymm9, [r14+ymm2*1+0x80], ymm15"},
		{__LINE__,
		 "vpaddd zmm{k}{z}, zmm, m32{b}",
		 {.registers = {TAKT_LOC_VECTOR + 19, TAKT_LOC_VECTOR + 15},
		  .mask = TAKT_LOC_MASK + 5,
		  .base = TAKT_LOC_GPR + 14,
		  .displacement = 0x100},
		 "vpaddd zmm19 {k5} {z}, zmm15, dword ptr [r14+0x100] {1to16}"},
		{__LINE__,
		 "paddb mm, mm",
		 {.registers = {TAKT_LOC_X87 + 2, TAKT_LOC_X87 + 7}},
		 "paddb mm2, mm7"},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		const struct takt_sample *sample = sample_of(rows[i].form);
		struct takt_text text = {0};
		uint8_t bytes[TAKT_X86_LENGTH_MAX];
		struct takt_insn insn;
		size_t size;

		if (!tap_ok_at(__FILE__, rows[i].line, sample != NULL, "'%s' exists", rows[i].form))
			continue;
		size = takt_sample_encode(sample, &rows[i].choice, bytes);
		if (!rows[i].text) {
			tap_ok_at(__FILE__, rows[i].line, size == 0, "no such instruction");
			continue;
		}
		if (!tap_ok_at(__FILE__, rows[i].line,
			       takt_decode(&takt_isa_x86, bytes, size, 0, &insn) == TAKT_OK,
			       "'%s' is encoded", rows[i].text))
			continue;
		takt_insn_write(&insn, TAKT_SYNTAX_INTEL, &text);
		tap_is_string(__FILE__, rows[i].line, takt_text_data(&text), rows[i].text,
			      rows[i].text);
		takt_text_release(&text);
	}
}

/* Bytes of other opcodes decode to it, too. */
static void test_nop(void)
{
	const struct takt_choice choice = {.registers = {TAKT_LOC_GPR + 14}};
	static const uint8_t want[] = {0x49, 0x0f, 0x1f, 0xc6};
	uint8_t bytes[TAKT_X86_LENGTH_MAX];
	const struct takt_sample *sample = sample_of("nop r64");

	is_int((long long)(sample ? takt_sample_encode(sample, &choice, bytes) : 0), sizeof(want),
	       "length of a long nop");
	ok(memcmp(bytes, want, sizeof(want)) == 0, "and its opcode");
}

/* With nothing chosen, the encoder gives the form back, of all forms there are. */
static void test_round_trip(void)
{
	const struct takt_choice none = {0};
	size_t bad = 0;

	for (size_t i = 0; i < count; i++) {
		uint8_t bytes[TAKT_X86_LENGTH_MAX];
		struct takt_text text = {0};

		if (takt_sample_encode(&samples[i], &none, bytes))
			continue;
		takt_form_write(&takt_isa_x86, samples[i].form, &text);
		tap_note("not encoded: %s", takt_text_data(&text));
		takt_text_release(&text);
		bad++;
	}
	is_int((long long)bad, 0, "forms that the encoder does not give back");
}

/* Encoding by name: the disassembly says what came out. */
static void test_by_name(void)
{
#define GPR(number)                                                                                \
	{                                                                                          \
		.kind = TAKT_KIND_R64, .location = TAKT_LOC_GPR + (number)                         \
	}
#define VECTOR(of_kind, number)                                                                    \
	{                                                                                          \
		.kind = (of_kind), .location = TAKT_LOC_VECTOR + (number)                          \
	}
	static const struct {
		int line;
		const char *name;
		bool evex;
		struct takt_x86_operand operands[4];
		unsigned count;
		const char *want; /* NULL: there is none */
	} rows[] = {
		{__LINE__, "add", false, {GPR(10), {.value = 5}}, 2, "add r10, 0x5"},
		{__LINE__,
		 "mov",
		 false,
		 {{.location = TAKT_LOC_GPR + 7, .size_bytes = 8, .value = 64}, GPR(1)},
		 2,
		 "mov qword ptr [rdi+0x40], rcx"},
		{__LINE__,
		 "vmovaps",
		 true,
		 {VECTOR(TAKT_KIND_YMM, 3),
		  {.location = TAKT_LOC_GPR, .index = TAKT_LOC_GPR + 2, .size_bytes = 32}},
		 2,
		 "{evex} vmovaps ymm3, ymmword ptr [rax+rdx*1]"},
		{__LINE__,
		 "vaddpd",
		 false,
		 {VECTOR(TAKT_KIND_XMM, 1), VECTOR(TAKT_KIND_XMM, 2), VECTOR(TAKT_KIND_XMM, 9)},
		 3,
		 "vaddpd xmm1, xmm2, xmm9"},
		{__LINE__,
		 "addpd",
		 true,
		 {VECTOR(TAKT_KIND_XMM, 1), VECTOR(TAKT_KIND_XMM, 2)},
		 2,
		 NULL},
		{__LINE__, "no-such", false, {GPR(0)}, 1, NULL},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		uint8_t bytes[TAKT_X86_LENGTH_MAX];
		size_t size = takt_x86_encode(rows[i].name, rows[i].evex, rows[i].operands,
					      rows[i].count, bytes);
		struct takt_text text = {0};
		struct takt_insn insn;

		tap_is_int(__FILE__, rows[i].line, size > 0, rows[i].want != NULL, rows[i].name);
		if (!size || takt_decode(&takt_isa_x86, bytes, size, 0, &insn) != TAKT_OK)
			continue;
		takt_insn_write(&insn, TAKT_SYNTAX_INTEL, &text);
		tap_is_string(__FILE__, rows[i].line, takt_text_data(&text), rows[i].want, "is");
		tap_is_int(__FILE__, rows[i].line, *bytes == 0x62, rows[i].evex, "by EVEX or not");
		takt_text_release(&text);
	}
}

int main(void)
{
	test_by_name();
	samples = takt_samples_find(&arena, &count);
	test_operands();
	test_nop();
	test_round_trip();
	takt_arena_release(&arena);
	return tap_done();
}
