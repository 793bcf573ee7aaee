/* SPDX-License-Identifier: MIT */
/* What text is taken for. */
#include "fixture.h"

static const struct syntax_row {
	int line;
	const char *text;
	enum takt_syntax want;
} syntax_rows[] = {
	{__LINE__, "add %rax, %rbx", TAKT_SYNTAX_ATT},
	{__LINE__, "\tadd\trax, rbx", TAKT_SYNTAX_INTEL},
	{__LINE__, "l: mov eax, 5 # 100%", TAKT_SYNTAX_ATT}, /* no sign either way */
	{__LINE__, "nop", TAKT_SYNTAX_ATT},
	{__LINE__, "vaddpd zmm0, zmm1, zmm2", TAKT_SYNTAX_INTEL},
	{__LINE__, "inc dword ptr [rdi]", TAKT_SYNTAX_INTEL},
	{__LINE__, "push $1", TAKT_SYNTAX_ATT},
	{__LINE__, ".intel_syntax noprefix\nmov rax, rbx", TAKT_SYNTAX_ATT},
};

static const struct isa_row {
	int line;
	const char *text;
	const struct takt_isa *want;
} isa_rows[] = {
	{__LINE__, "\tldr\td31, [x15, x18, lsl 3]\n\tb\t.L3\n", &takt_isa_aarch64},
	{__LINE__, "loop:\n\tfmla\tv0.2d, v1.2d, v2.2d\n", &takt_isa_aarch64},
	{__LINE__, "ld1d {z2.d}, p0/z, [x1, x4, lsl 3]\n", &takt_isa_aarch64},
	{__LINE__, "LDP X0, X1, [SP], 16\n", &takt_isa_aarch64},
	{__LINE__, "addq %rax, %rbx\n", &takt_isa_x86},
	{__LINE__, "vaddpd zmm0, zmm1, zmm2\nmov rax, [x1]\n", &takt_isa_x86},
	{__LINE__, "mov r8, r9\njne .L3\n", &takt_isa_x86},
	{__LINE__, "call s1\nmov eax, 1\n", &takt_isa_x86},
	{__LINE__, "ld s1, 8(sp)\naddi a0, a0, 1\n", NULL},
	{__LINE__, "x0:\n.quad x0\n", NULL},
	{__LINE__, "", NULL},
};

/* Text of RISC-V, which needs a core that is named. */
static const struct {
	int line;
	const char *text;
	bool want;
} riscv_rows[] = {
	{__LINE__, "f:\n\tld a0, 0(a1)\n\tadd a2, a2, a0\n\tbne a1, a3, f\n", true},
	{__LINE__, "fld fa5, 0(s11)\nfadd.d fa0, fa0, fa5\n.L1:\nli t6, 1\n", true},
	{__LINE__, "addi a0, a0, 1\n", false},
	{__LINE__, "fadd s0, s1, s2\nfadd d0, d1, d2\nfadd v0.2d, v1.2d, v2.2d\n", false},
	{__LINE__, "lwz 0, 1(3)\nadd 1, 1, 2\n", false},
	{__LINE__, "mov eax, 1\ninc ax\n", false},
};

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(riscv_rows); i++) {
		struct takt_arena arena = {0};
		struct takt_source source = split(riscv_rows[i].text, &arena);

		tap_ok_at(__FILE__, riscv_rows[i].line,
			  takt_source_is_riscv(&source) == riscv_rows[i].want, "RISC-V, row %zu",
			  i);
		takt_arena_release(&arena);
	}
	for (size_t i = 0; i < TAKT_COUNT_OF(syntax_rows); i++) {
		struct takt_arena arena = {0};
		struct takt_source source = split(syntax_rows[i].text, &arena);

		tap_ok_at(__FILE__, syntax_rows[i].line,
			  takt_source_guess_syntax(&source) == syntax_rows[i].want,
			  "syntax, row %zu", i);
		takt_arena_release(&arena);
	}
	for (size_t i = 0; i < TAKT_COUNT_OF(isa_rows); i++) {
		struct takt_arena arena = {0};
		struct takt_source source = split(isa_rows[i].text, &arena);

		tap_ok_at(__FILE__, isa_rows[i].line,
			  takt_source_guess_isa(&source) == isa_rows[i].want,
			  "instruction set, row %zu", i);
		takt_arena_release(&arena);
	}
	return tap_done();
}
