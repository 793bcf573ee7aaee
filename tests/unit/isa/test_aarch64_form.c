/* SPDX-License-Identifier: MIT */
/* Forms of AArch64 instructions, and all of their operand kinds and mnemonics as text. */
#include "aarch64_rows.h"

struct row {
	int line;
	uint32_t word;
	const char *text, *form;
};

/* clang-format off */
static const struct row rows[] = {
	{__LINE__, 0xaa0103e0, "mov x0, x1", "mov x, x"},
	{__LINE__, 0xf2a00020, "movk x0, #1, lsl #16", "movk x, i lsl"},
	{__LINE__, 0x910003e0, "mov x0, sp", "mov x, x"},
	{__LINE__, 0x8b020020, "add x0, x1, x2", "add x, x, x"},
	{__LINE__, 0x91001020, "add x0, x1, #4", "add x, x, i"},
	{__LINE__, 0x8b020c20, "add x0, x1, x2, lsl #3", "add x, x, x lsl"},
	{__LINE__, 0x910043ff, "add sp, sp, #16", "add x, x, i"},
	{__LINE__, 0xcb821420, "sub x0, x1, x2, asr #5", "sub x, x, x asr"},
	{__LINE__, 0xeb01001f, "cmp x0, x1", "cmp x, x"},
	{__LINE__, 0xab01001f, "cmn x0, x1", "cmn x, x"},
	{__LINE__, 0xcb0103e0, "neg x0, x1", "neg x, x"},
	{__LINE__, 0xfa020020, "sbcs x0, x1, x2", "sbcs x, x, x"},
	{__LINE__, 0x8a220020, "bic x0, x1, x2", "bic x, x, x"},
	{__LINE__, 0xaa2103e0, "mvn x0, x1", "mvn x, x"},
	{__LINE__, 0xd37df020, "lsl x0, x1, #3", "lsl x, x, i"},
	{__LINE__, 0x93c11c20, "ror x0, x1, #7", "ror x, x, i"},
	{__LINE__, 0x93407c20, "sxtw x0, w1", "sxtw x, w"},
	{__LINE__, 0xb37d0c20, "bfi x0, x1, #3, #4", "bfi x, x, i, i"},
	{__LINE__, 0x93c22420, "extr x0, x1, x2, #9", "extr x, x, x, i"},
	{__LINE__, 0x5ac00020, "rbit w0, w1", "rbit w, w"},
	{__LINE__, 0x9b027c20, "mul x0, x1, x2", "mul x, x, x"},
	{__LINE__, 0x1b028c20, "msub w0, w1, w2, w3", "msub w, w, w, w"},
	{__LINE__, 0x9bc27c20, "umulh x0, x1, x2", "umulh x, x, x"},
	{__LINE__, 0x1ac20c20, "sdiv w0, w1, w2", "sdiv w, w, w"},
	{__LINE__, 0x9a821020, "csel x0, x1, x2, ne", "csel x, x, x, cond"},
	{__LINE__, 0x1a9f17e0, "cset w0, eq", "cset w, cond"},
	{__LINE__, 0x9a81b420, "cinc x0, x1, ge", "cinc x, x, cond"},
	{__LINE__, 0xfa411004, "ccmp x0, x1, #4, ne", "ccmp x, x, i, cond"},
	{__LINE__, 0x14000002, "b 0x1008", "b label"},
	{__LINE__, 0x94000002, "bl 0x1008", "bl label"},
	{__LINE__, 0x37180040, "tbnz w0, #3, 0x1008", "tbnz w, i, label"},
	{__LINE__, 0xd63f0000, "blr x0", "blr x"},
	{__LINE__, 0xd503201f, "nop", "nop"},
	{__LINE__, 0xd5033f9f, "dsb sy", "dsb op"},
	{__LINE__, 0xd53b4200, "mrs x0, NZCV", "mrs x, op"},
	{__LINE__, 0xd53b4400, "mrs x0, FPCR", "mrs x, op"},
	{__LINE__, 0xd53bd040, "mrs x0, TPIDR_EL0", "mrs x, op"},
	{__LINE__, 0xd50323bf, "autiasp", "autiasp"},
	{__LINE__, 0xd4000001, "svc #0", "svc i"},
	{__LINE__, 0x90000000, "adrp x0, 0x1000", "adrp x, label"},
	{__LINE__, 0xb9400420, "ldr w0, [x1, #4]", "ldr w, [x, i]"},
	{__LINE__, 0xf8627820, "ldr x0, [x1, x2, lsl #3]", "ldr x, [x, x lsl]"},
	{__LINE__, 0xf862c820, "ldr x0, [x1, w2, sxtw]", "ldr x, [x, w sxtw]"},
	{__LINE__, 0xf8408420, "ldr x0, [x1], #8", "ldr x, [x], i"},
	{__LINE__, 0x39400420, "ldrb w0, [x1, #1]", "ldrb w, [x, i]"},
	{__LINE__, 0x79400420, "ldrh w0, [x1, #2]", "ldrh w, [x, i]"},
	{__LINE__, 0xf85f8020, "ldur x0, [x1, #-8]", "ldur x, [x, i]"},
	{__LINE__, 0xfc408420, "ldr d0, [x1], #8", "ldr d, [x], i"},
	{__LINE__, 0xf9000020, "str x0, [x1]", "str x, [x]"},
	{__LINE__, 0xf81f0fe0, "str x0, [sp, #-16]!", "str x, [x, i]!"},
	{__LINE__, 0xa9be7bfd, "stp x29, x30, [sp, #-32]!", "stp x, x, [x, i]!"},
	{__LINE__, 0x29400440, "ldp w0, w1, [x2]", "ldp w, w, [x]"},
	{__LINE__, 0xad010440, "stp q0, q1, [x2, #32]", "stp q, q, [x, i]"},
	{__LINE__, 0xc8dffc20, "ldar x0, [x1]", "ldar x, [x]"},
	{__LINE__, 0xc85f7c20, "ldxr x0, [x1]", "ldxr x, [x]"},
	{__LINE__, 0xc87f8440, "ldaxp x0, x1, [x2]", "ldaxp x, x, [x]"},
	{__LINE__, 0xb820003f, "stadd w0, [x1]", "stadd w, [x]"},
	{__LINE__, 0xc8a07c41, "cas x0, x1, [x2]", "cas x, x, [x]"},
	{__LINE__, 0xf9802000, "prfm pldl1keep, [x0, #64]", "prfm op, [x, i]"},
	{__LINE__, 0xe5800020, "str p0, [x1]", "str p, [x]"},
	{__LINE__, 0x1e6f1000, "fmov d0, #1.50000000", "fmov d, i"},
	{__LINE__, 0x9e660020, "fmov x0, d1", "fmov x, d"},
	{__LINE__, 0x1e220820, "fmul s0, s1, s2", "fmul s, s, s"},
	{__LINE__, 0x1e621820, "fdiv d0, d1, d2", "fdiv d, d, d"},
	{__LINE__, 0x1e612000, "fcmp d0, d1", "fcmp d, d"},
	{__LINE__, 0x1e611400, "fccmp d0, d1, #0, ne", "fccmp d, d, i, cond"},
	{__LINE__, 0x1e22c020, "fcvt d0, s1", "fcvt d, s"},
	{__LINE__, 0x1e780020, "fcvtzs w0, d1", "fcvtzs w, d"},
	{__LINE__, 0x4ea28420, "add v0.4s, v1.4s, v2.4s", "add v.4s, v.4s, v.4s"},
	{__LINE__, 0x4fa21020, "fmla v0.4s, v1.4s, v2.s[1]", "fmla v.4s, v.4s, v.s[]"},
	{__LINE__, 0x4e829420, "sdot v0.4s, v1.16b, v2.16b", "sdot v.4s, v.16b, v.16b"},
	{__LINE__, 0x6f435420, "sli v0.2d, v1.2d, #3", "sli v.2d, v.2d, i"},
	{__LINE__, 0x6e621c20, "bsl v0.16b, v1.16b, v2.16b", "bsl v.16b, v.16b, v.16b"},
	{__LINE__, 0x4f002420, "movi v0.4s, #1, lsl #8", "movi v.4s, i lsl"},
	{__LINE__, 0x4ea11c20, "mov v0.16b, v1.16b", "mov v.16b, v.16b"},
	{__LINE__, 0x6e180420, "mov v0.d[1], v1.d[0]", "mov v.d[], v.d[]"},
	{__LINE__, 0x4e040c20, "dup v0.4s, w1", "dup v.4s, w"},
	{__LINE__, 0x4e032020, "tbl v0.16b, { v1.16b, v2.16b }, v3.16b",
	 "tbl v.16b, {v.16b*2}, v.16b"},
	{__LINE__, 0x0e612820, "xtn v0.4h, v1.4s", "xtn v.4h, v.4s"},
	{__LINE__, 0x4eb1b820, "addv s0, v1.4s", "addv s, v.4s"},
	{__LINE__, 0x5e024020, "sha256h q0, q1, v2.4s", "sha256h q, q, v.4s"},
	{__LINE__, 0x4c407000, "ld1 { v0.16b }, [x0]", "ld1 {v.16b}, [x]"},
	{__LINE__, 0x4cdf2800, "ld1 { v0.4s, v1.4s, v2.4s, v3.4s }, [x0], #64",
	 "ld1 {v.4s*4}, [x], i"},
	{__LINE__, 0x4d40cc00, "ld1r { v0.2d }, [x0]", "ld1r {v.2d}, [x]"},
	{__LINE__, 0x0d603400, "ld4 { v0.b, v1.b, v2.b, v3.b }[5], [x0]", "ld4 {v.b*4}[], [x]"},
	{__LINE__, 0x4c004800, "st3 { v0.4s, v1.4s, v2.4s }, [x0]", "st3 {v.4s*3}, [x]"},
	{__LINE__, 0x04800020, "add z0.s, p0/m, z0.s, z1.s", "add z.s, p/m, z.s, z.s"},
	{__LINE__, 0x05910020, "mov z0.s, p1/z, #1", "mov z.s, p/z, i"},
	{__LINE__, 0x04800040, "add z0.s, p0/m, z0.s, z2.s", "add z.s, p/m, z.s, z.s"},
	{__LINE__, 0xa561a000, "ld1w { z0.d }, p0/z, [x0, #1, mul vl]",
	 "ld1w {z.d}, p/z, [x, i mul vl]"},
	{__LINE__, 0xa5c0e000, "ld3d { z0.d - z2.d }, p0/z, [x0]", "ld3d {z.d*3}, p/z, [x]"},
	{__LINE__, 0xc5e1c000, "ld1d { z0.d }, p0/z, [x0, z1.d, lsl #3]",
	 "ld1d {z.d}, p/z, [x, z.d lsl]"},
	{__LINE__, 0xe5c1a020, "st1d { z0.d }, p0, [z1.d, #8]", "st1d {z.d}, p, [z.d, i]"},
	{__LINE__, 0x85c00000, "prfb pldl1keep, p0, [x0]", "prfb op, p, [x]"},
	{__LINE__, 0x25e11c00, "whilelo p0.d, x0, x1", "whilelo p.d, x, x"},
	{__LINE__, 0x25034440, "and p0.b, p1/z, p2.b, p3.b", "and p.b, p/z, p.b, p.b"},
	{__LINE__, 0x04f0e3e0, "incd x0", "incd x"},
	{__LINE__, 0x04215020, "addvl x0, x1, #1", "addvl x, x, i"},
	{__LINE__, 0x65c02020, "faddv d0, p0, z1.d", "faddv d, p, z.d"},
	{__LINE__, 0x80812000, "fmopa za0.s, p0/m, p1/m, z0.s, z1.s",
	 "fmopa za.s, p/m, p/m, z.s, z.s"},
	{__LINE__, 0xc00800ff, "zero {za}", "zero za"},
};
/* clang-format on */

static const char *const kinds[] = {
#define X(text) text,
#include "isa/aarch64_kinds.def"
#undef X
};

static const char *const mnemonics[] = {
#define X(text) text,
#include "isa/aarch64_mnemonics.def"
#undef X
};

/* What is written is read again as the same. */
static bool is_stable(takt_form_key form)
{
	struct takt_text text = {0};
	size_t error_index;
	const char *error;
	bool same;

	takt_form_write(&takt_isa_aarch64, form, &text);
	same = takt_form_parse(&takt_isa_aarch64, takt_text_data(&text),
			       takt_text_size_bytes(&text), &error_index, &error) == form;
	takt_text_release(&text);
	return same;
}

/* Every kind, as any operand, before any other kind and with qualifiers. */
static void check_kinds(void)
{
	unsigned sorted = 0, stable = 0, addresses = 0;

	for (size_t i = 0; i < TAKT_COUNT_OF(kinds); i++) {
		struct takt_form form = {.is_foreign = true, .mnemonic = 1};
		bool all = true;

		sorted += i == 0 || strcmp(kinds[i - 1], kinds[i]) < 0;
		addresses += takt_kind_is_memory((enum takt_operand_kind)(TAKT_KIND_AARCH64 + i));
		form.kinds[0] = (uint8_t)(TAKT_KIND_AARCH64 + i);
		for (size_t other = 0; other < TAKT_COUNT_OF(kinds); other++) {
			/* A plain address is the last operand. */
			if (kinds[i][0] == '[' && kinds[i][strlen(kinds[i]) - 1] == ']')
				break;
			form.kinds[1] = (uint8_t)(TAKT_KIND_AARCH64 + other);
			all = all && is_stable(takt_form_pack(&form));
		}
		form.kinds[1] = TAKT_KIND_NONE;
		form.flags = TAKT_FORM_SAME | TAKT_FORM_SHORT;
		stable += all && is_stable(takt_form_pack(&form));
	}
	is_int(sorted, TAKT_COUNT_OF(kinds), "kinds are sorted");
	is_int(stable, TAKT_COUNT_OF(kinds), "kinds are read as written");
	ok(addresses > 20 && addresses < 40, "%u kinds are addresses", addresses);
}

static void check_mnemonics(void)
{
	unsigned sorted = 0, stable = 0;

	for (uint16_t i = 0; i < TAKT_COUNT_OF(mnemonics); i++) {
		struct takt_form form = {.is_foreign = true, .mnemonic = (uint16_t)(i + 1)};

		sorted += i == 0 || strcmp(mnemonics[i - 1], mnemonics[i]) < 0;
		stable += is_stable(takt_form_pack(&form));
	}
	is_int(sorted, TAKT_COUNT_OF(mnemonics), "mnemonics are sorted");
	is_int(stable, TAKT_COUNT_OF(mnemonics), "mnemonics are read as written");
}

static void check_errors(void)
{
	static const struct {
		int line;
		const char *text;
		size_t error_index;
	} errors[] = {
		{__LINE__, "", 0},
		{__LINE__, "ad x, x, x", 0},
		{__LINE__, "add x, r64, x", 7},
		{__LINE__, "add x, x,", 9},
		{__LINE__, "ldr x, [x, i", 7},
		{__LINE__, "add x, x, x [sam]", 12},
		{__LINE__, "add x, x, x, x, x, x", 19},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(errors); i++) {
		size_t error_index = 99;
		const char *error = "";
		takt_form_key form = takt_form_parse(&takt_isa_aarch64, errors[i].text,
						     strlen(errors[i].text), &error_index, &error);

		tap_ok_at(__FILE__, errors[i].line,
			  form == 0 && error_index == errors[i].error_index, "'%s': %s at %zu",
			  errors[i].text, error, error_index);
	}
}

static void check_row(const struct row *row)
{
	struct takt_text text = {0};
	struct takt_insn insn = {0};
	uint8_t bytes[4];

	if (!decode_row(row->line, row->word, row->text, bytes, &insn))
		return;
	takt_form_write(&takt_isa_aarch64, insn.form, &text);
	tap_is_string(__FILE__, row->line, takt_text_data(&text), row->form, row->text);
	tap_ok_at(__FILE__, row->line, is_stable(insn.form), "%s: read as written", row->text);
	takt_text_release(&text);
}

int main(void)
{
	check_kinds();
	check_mnemonics();
	check_errors();
	if (!can_decode()) {
		tap_skip("rows", AARCH64_MODULE);
		return tap_done();
	}
	for (size_t row = 0; row < TAKT_COUNT_OF(rows); row++)
		check_row(&rows[row]);
	return tap_done();
}
