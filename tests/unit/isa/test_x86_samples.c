/* SPDX-License-Identifier: MIT */
#include "isa/isa.h"
#include "unit/tap.h"

static struct takt_arena arena;
static const struct takt_sample *samples;
static size_t count;

static bool has(const char *text)
{
	const char *error;
	size_t index;
	takt_form_key key = takt_form_parse(&takt_isa_x86, text, strlen(text), &index, &error);

	for (size_t i = 0; key && i < count; i++)
		if (samples[i].form == key)
			return true;
	return false;
}

static void test_known_forms(void)
{
	static const struct {
		int line;
		const char *text;
	} rows[] = {
		{__LINE__, "add m64, r64"},
		{__LINE__, "lock xadd m32, r32"},
		{__LINE__, "rep movsb"},
		{__LINE__, "add eax, i32"},
		{__LINE__, "shl r64, cl"},
		{__LINE__, "mov r8h, r8h"},
		{__LINE__, "movzx r32, r8h"},
		{__LINE__, "mov r64, i64"},
		{__LINE__, "lea r64, [b+i*s+d]"},
		{__LINE__, "lea r64, [rip+d]"},
		{__LINE__, "crc32 r32, r16"},
		{__LINE__, "blendvpd xmm, xmm, xmm0"},
		{__LINE__, "vfmadd231pd ymm, ymm, m256"},
		{__LINE__, "vgatherdps ymm, m[ymm], ymm"},
		{__LINE__, "blsr r32, r32"},
		{__LINE__, "vpaddd zmm{k}{z}, zmm, m32{b}"},
		{__LINE__, "vaddpd zmm, zmm, zmm {er}"},
		{__LINE__, "{evex} vaddpd xmm, xmm, xmm"},
		{__LINE__, "vpsrld ymm{k}, ymm, i8"},
		{__LINE__, "kaddb k, k, k"},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		tap_ok_at(__FILE__, rows[i].line, has(rows[i].text), "'%s' is found", rows[i].text);
	ok(!has("kaddb r16, r16, r16"), "what is no instruction is not found");
}

static void test_all_decode(void)
{
	size_t bad = 0;

	for (size_t i = 0; i < count; i++) {
		struct takt_insn insn;

		if (takt_decode(&takt_isa_x86, samples[i].bytes, samples[i].length_bytes, 0,
				&insn) != TAKT_OK ||
		    insn.form != samples[i].form || insn.length_bytes != samples[i].length_bytes)
			bad++;
	}
	is_int((long long)bad, 0, "samples that do not decode to their form");
	tap_note("%zu forms", count);
}

int main(void)
{
	samples = takt_samples_find(&arena, &count);
	ok(count > 10000, "many forms");
	test_known_forms();
	test_all_decode();
	takt_arena_release(&arena);
	return tap_done();
}
