/* SPDX-License-Identifier: MIT */
/* Operands out of texts, LLVM's and others. */
#include "../tap.h"
#include "isa/aarch64.h"

static const struct {
	int line;
	const char *text, *kinds; /* separated by semicolons */
} rows[] = {
	{__LINE__, "ret", ""},
	{__LINE__, "add x0, x1, w2, sxtw #2", "x;x;w sxtw"},
	{__LINE__, "add sp, sp, #16", "x;x;i"},
	{__LINE__, "movi v0.4s, #1, msl #8", "v.4s;i msl"},
	{__LINE__, "fmla v0.4s, v1.4s, v2.s[1]", "v.4s;v.4s;v.s[]"},
	{__LINE__, "ldr x0, [x1, x2, lsl #3]", "x;[x, x lsl]"},
	{__LINE__, "ldr x0, [x1], #8", "x;[x], i"},
	{__LINE__, "ldr x0, [sp, #8]!", "x;[x, i]!"},
	{__LINE__, "ld4 { v31.b, v0.b, v1.b, v2.b }[5], [x0], x1", "{v.b*4}[];[x], x"},
	{__LINE__, "st3d { z30.d - z0.d }, p0, [x0, #3, mul vl]", "{z.d*3};p;[x, i mul vl]"},
	{__LINE__, "ld1w {za0h.s[w12, 0]}, p0/z, [x0]", "za.s[];p/z;[x]"},
	{__LINE__, "ld1d { z0.d }, p0/z, [x0, z1.d, uxtw #3]", "{z.d};p/z;[x, z.d uxtw]"},
	{__LINE__, "cpyp [x0]!, [x1]!, x2!", "[x]!;[x]!;x!"},
	{__LINE__, "psel p0, p1, p2.s[w12, 1]", "p;p;p[]"},
	{__LINE__, "whilelo pn8.d, x0, x1, vlx2", "pn.d;x;x;op"},
	{__LINE__, "b.ne 0x1008", "label"},
	{__LINE__, "csel x0, x1, x2, ne", "x;x;x;cond"},
	{__LINE__, "swpa xzr, xzr, [x15] // without acquiring", "x;x;[x]"},
	/* What LLVM does not print. */
	{__LINE__, "add x32, x1", "op;x"},
	{__LINE__, "add", ""},
	{__LINE__, "add ,", ""},
	{__LINE__, "add x0, [", "x;?"},
	{__LINE__, "add x0, {", "x;op"},
	{__LINE__, "add x0, { x1 - }", "x;?"},
	{__LINE__, "add x0, { v0.4s - v9.4s }", "x;{v.4s*4}"},
	{__LINE__, "add v0., v0.x, v0[, v0]", "op;op;v[]"},
	{__LINE__, "add v0.4s[1][2], !, ]", "?;?;op"},
	{__LINE__, "add lsl #1", "op"},
	{__LINE__, "add [x0, lsl, lsl, lsl, lsl, lsl, lsl, lsl, lsl, lsl]", "?"},
	{__LINE__, "add x0, x1, x2, x3, x4, x5, x6, x7, x8, x9", "x;x;x;x;x;x;x;x"},
	{__LINE__, "add #99999999999999999999999", "i"},
};

static void check(unsigned row)
{
	struct takt_llvm_insn llvm = {0};
	struct takt_aarch64 a64 = {.llvm = &llvm};
	struct takt_text kinds = {0};

	snprintf(llvm.text, sizeof(llvm.text), "%s", rows[row].text);
	takt_aarch64_read_text(&a64);
	for (unsigned i = 0; i < a64.operand_count; i++) {
		takt_text_add_string(&kinds, i ? ";" : "");
		takt_text_add_string(&kinds, takt_kind_text(a64.operands[i].kind));
	}
	tap_is_string(__FILE__, rows[row].line, kinds.data ? kinds.data : "", rows[row].kinds,
		      rows[row].text);
	takt_text_release(&kinds);
}

/* Any characters. */
static void check_random_texts(void)
{
	static const char letters[] = "xwvzp0123456789.bhsd[]{}!#,- /lmsltx";
	uint64_t state = 1;
	unsigned most = 0;

	for (unsigned i = 0; i < 100000; i++) {
		struct takt_llvm_insn llvm = {.text = "add "};
		struct takt_aarch64 a64 = {.llvm = &llvm};

		for (size_t at = 4; at < 40; at++) {
			state = takt_hash64(state + i);
			llvm.text[at] = letters[state % (sizeof(letters) - 1)];
		}
		takt_aarch64_read_text(&a64);
		most = a64.operand_count > most ? a64.operand_count : most;
	}
	ok(most <= TAKT_AARCH64_OPERANDS_MAX, "random texts: %u operands at most", most);
}

int main(void)
{
	for (unsigned row = 0; row < TAKT_COUNT_OF(rows); row++)
		check(row);
	check_random_texts();
	return tap_done();
}
