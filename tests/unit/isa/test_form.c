/* SPDX-License-Identifier: MIT */
/* Forms: packing, every kind through text and back, and what the parser refuses. */
#include <Zydis/Zydis.h>

#include "isa/isa.h"
#include "../tap.h"

static takt_form_key parse(const char *text)
{
	size_t error_index;
	const char *error;

	return takt_form_parse(&takt_isa_x86, text, strlen(text), &error_index, &error);
}

static void check_pack(void)
{
	struct takt_form form = {.mnemonic = ZYDIS_MNEMONIC_MAX_VALUE, .flags = 0xfff};
	struct takt_form back;

	for (unsigned index = 0; index < TAKT_FORM_OPERANDS_MAX; index++)
		form.kinds[index] = (uint8_t)(TAKT_KIND_X86_COUNT - 1 - index);
	back = takt_form_unpack(takt_form_pack(&form));
	is_int(back.mnemonic, form.mnemonic, "mnemonic");
	is_int(back.flags, form.flags, "flags");
	ok(memcmp(back.kinds, form.kinds, sizeof(form.kinds)) == 0, "kinds");
	ok(takt_form_pack(&form) >> 63 == 0, "the upper bit is free");
}

/* Writes and parses every kind at every place. */
static void check_kinds(void)
{
	struct takt_text text = {0};
	unsigned wrong = 0;

	for (unsigned kind = TAKT_KIND_NONE + 1; kind < TAKT_KIND_X86_COUNT; kind++) {
		for (unsigned place = 0; place < TAKT_FORM_OPERANDS_MAX; place++) {
			struct takt_form form = {.mnemonic = ZYDIS_MNEMONIC_ADD};
			takt_form_key key;

			for (unsigned index = 0; index <= place; index++)
				form.kinds[index] = TAKT_KIND_R64;
			form.kinds[place] = (uint8_t)kind;
			key = takt_form_pack(&form);
			takt_text_clear(&text);
			takt_form_write(&takt_isa_x86, key, &text);
			wrong += parse(text.data) != key;
		}
	}
	is_int(wrong, 0, "kinds that do not come back");
	takt_text_release(&text);
}

static void check_round_trips(void)
{
	static const char *const forms[] = {
		"add m64, r64",
		"lock xadd m32, r32",
		"rep movsb",
		"repne scasb",
		"{evex} vaddps xmm, xmm, xmm",
		"vpaddd zmm{k}{z}, zmm, m32{b}",
		"vcmppd k{k}, zmm, zmm, i8 {sae}",
		"vaddpd zmm, zmm, zmm {er}",
		"lea r64, [b+i*s+d]",
		"vgatherdps ymm, m[ymm], ymm",
		"xor r32, r32 [same]",
		"adc m64, r64 [indexed]",
		"shl r64, i8 [imm0]",
		"vaddpd zmm{k}, zmm, zmm {er} [same]",
		"vpermil2ps xmm, xmm, xmm, xmm, i8",
		"cmovge r64, r64",
		"seta r8",
		"jne rel",
		"nop",
	};
	struct takt_text text = {0};

	for (size_t index = 0; index < TAKT_COUNT_OF(forms); index++) {
		takt_text_clear(&text);
		takt_form_write(&takt_isa_x86, parse(forms[index]), &text);
		is_string(text.data, forms[index], "written as parsed");
	}
	takt_text_release(&text);
	ok(parse("jnz rel") == parse("jne rel"), "jnz is jne");
	ok(parse("cmovnl r64, r64") == parse("cmovge r64, r64"), "cmovnl is cmovge");
	ok(parse("setnbe r8") == parse("seta r8"), "setnbe is seta");
	ok(parse("  add \t r64 ,r64  ") == parse("add r64, r64"), "blanks do not matter");
	ok(parse("add r64, r64") != parse("add r64, r64 [same]"), "a qualifier matters");
}

static void check_errors(void)
{
	static const struct {
		int line;
		const char *text;
		size_t index;
		const char *error;
	} rows[] = {
		{__LINE__, "", 0, "mnemonic expected"},
		{__LINE__, "lock", 4, "mnemonic expected"},
		{__LINE__, "frobnicate r64", 0, "unknown mnemonic"},
		{__LINE__, "invalid", 0, "unknown mnemonic"},
		{__LINE__, "ad r64", 0, "unknown mnemonic"},
		{__LINE__, "add r64, r65", 9, "unknown operand kind"},
		{__LINE__, "add r64, r64{k}", 9, "unknown operand kind"},
		{__LINE__, "vaddps zmm{z}, zmm, zmm", 7, "unknown operand kind"},
		{__LINE__, "add r64,", 8, "operand expected after the comma"},
		{__LINE__, "add r64, ,", 9, "unknown operand kind"},
		{__LINE__, "add r64, [same]", 9, "operand expected after the comma"},
		{__LINE__, "add r64 r64", 8, "unexpected text after the form"},
		{__LINE__, "add r64, r64 [same] x", 20, "unexpected text after the form"},
		{__LINE__, "add r64, r64 [same] [same]", 20, "repeated"},
		{__LINE__, "add r8, r8, r8, r8, r8, r8", 24, "more than five operands"},
		{__LINE__, "lock rep add m8, r8", 9, "misplaced prefix before this"},
	};

	for (size_t index = 0; index < TAKT_COUNT_OF(rows); index++) {
		size_t error_index = 999;
		const char *error = "";
		takt_form_key key = takt_form_parse(&takt_isa_x86, rows[index].text,
						    strlen(rows[index].text), &error_index, &error);

		tap_ok_at(__FILE__, rows[index].line,
			  key == 0 && error_index == rows[index].index &&
				  strcmp(error, rows[index].error) == 0,
			  "\"%s\": %s at %zu", rows[index].text, error, error_index);
	}
}

/* A form is delimited by its size, not by a NUL. */
static void check_prefixes(void)
{
	static const char text[] = "vfmadd231pd ymm{k}{z}, ymm, m64{b} {er} [same]";
	size_t error_index;
	const char *error;

	for (size_t size_bytes = 0; size_bytes < strlen(text); size_bytes++) {
		char *copy = malloc(size_bytes ? size_bytes : 1); /* for the address sanitizer */

		memcpy(copy, text, size_bytes);
		if (takt_form_parse(&takt_isa_x86, copy, size_bytes, &error_index, &error) == 0 &&
		    error_index > size_bytes)
			ok(false, "error outside of the text at %zu", size_bytes);
		free(copy);
	}
	ok(true, "every beginning of a form parses or is refused");
}

static void check_kind_facts(void)
{
	ok(takt_kind_is_memory(TAKT_KIND_M8), "m8 is memory");
	ok(takt_kind_is_memory(TAKT_KIND_MZMM), "m[zmm] is memory");
	ok(!takt_kind_is_memory(TAKT_KIND_A_B), "[b] has no data access");
	ok(!takt_kind_is_memory(TAKT_KIND_REL), "rel is no memory");
	is_int(takt_kind_size_bytes(TAKT_KIND_M256), 32, "m256");
	is_int(takt_kind_size_bytes(TAKT_KIND_M32B), 4, "m32{b}");
	is_int(takt_kind_size_bytes(TAKT_KIND_M), 0, "m");
	is_int(takt_kind_size_bytes(TAKT_KIND_CL), 1, "cl");
	is_int(takt_kind_size_bytes(TAKT_KIND_I64), 8, "i64");
}

int main(void)
{
	check_pack();
	check_kinds();
	check_round_trips();
	check_errors();
	check_prefixes();
	check_kind_facts();
	return tap_done();
}
