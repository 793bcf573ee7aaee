/* SPDX-License-Identifier: MIT */
/* Disassembly in both syntaxes. */
#include "isa/isa.h"
#include "../tap.h"
#include "hex.h"

static const struct {
	int line;
	const char *hex, *intel, *att;
} rows[] = {
	{__LINE__, "488b4608", "mov rax, qword ptr [rsi+0x8]", "mov 0x8(%rsi), %rax"},
	{__LINE__, "800005", "add byte ptr [rax], 0x5", "addb $0x5, (%rax)"},
	{__LINE__, "740a", "je 0x100c", "je 0x100c"},
	{__LINE__, "0f45c1", "cmovne eax, ecx", "cmovne %ecx, %eax"},
	{__LINE__, "488b0510000000", "mov rax, qword ptr [rip+0x10]", "mov 0x10(%rip), %rax"},
	{__LINE__, "f0480fc118", "lock xadd qword ptr [rax], rbx", "lock xadd %rbx, (%rax)"},
	{__LINE__, "f3a4", "rep movsb", "rep movsb"},
	{__LINE__, "f20f1000", "movsd xmm0, qword ptr [rax]", "movsd (%rax), %xmm0"},
	{__LINE__, "f2480f2a00", "cvtsi2sd xmm0, qword ptr [rax]", "cvtsi2sdq (%rax), %xmm0"},
	{__LINE__, "c5fbe600", "vcvtpd2dq xmm0, xmmword ptr [rax]", "vcvtpd2dqx (%rax), %xmm0"},
	{__LINE__, "c5ffe600", "vcvtpd2dq xmm0, ymmword ptr [rax]", "vcvtpd2dqy (%rax), %xmm0"},
	{__LINE__, "dd00", "fld qword ptr [rax]", "fldl (%rax)"},
	{__LINE__, "d900", "fld dword ptr [rax]", "flds (%rax)"},
	{__LINE__, "db28", "fld tbyte ptr [rax]", "fldt (%rax)"},
	{__LINE__, "df28", "fild qword ptr [rax]", "fildll (%rax)"},
	{__LINE__, "d928", "fldcw word ptr [rax]", "fldcw (%rax)"},
	{__LINE__, "0f1f00", "nop dword ptr [rax]", "nopl (%rax)"},
	{__LINE__, "660f3814ca", "blendvps xmm1, xmm2, xmm0", "blendvps %xmm0, %xmm2, %xmm1"},
	{__LINE__, "c5f458c2", "vaddps ymm0, ymm1, ymm2", "vaddps %ymm2, %ymm1, %ymm0"},
	{__LINE__, "62f174c958c2", "vaddps zmm0 {k1} {z}, zmm1, zmm2",
	 "vaddps %zmm2, %zmm1, %zmm0 {%k1} {z}"},
	{__LINE__, "62f1f51858c2", "vaddpd zmm0, zmm1, zmm2, {rn-sae}",
	 "vaddpd {rn-sae}, %zmm2, %zmm1, %zmm0"},
	{__LINE__, "62f1f518c2ca03", "vcmppd k1, zmm1, zmm2, {sae}, 0x3",
	 "vcmppd $0x3, {sae}, %zmm2, %zmm1, %k1"},
	{__LINE__, "62f1742858c2", "{evex} vaddps ymm0, ymm1, ymm2",
	 "{evex} vaddps %ymm2, %ymm1, %ymm0"},
	{__LINE__, "c4e26d920488", "vgatherdps ymm0, [rax+ymm1*4], ymm2",
	 "vgatherdps %ymm2, (%rax,%ymm1,4), %ymm0"},
	{__LINE__, "fe00", "inc byte ptr [rax]", "incb (%rax)"},
	{__LINE__, "48d320", "shl qword ptr [rax], cl", "shlq %cl, (%rax)"},
	{__LINE__, "480fb600", "movzx rax, byte ptr [rax]", "movzbq (%rax), %rax"},
	{__LINE__, "4863c3", "movsxd rax, ebx", "movslq %ebx, %rax"},
	{__LINE__, "ff10", "call qword ptr [rax]", "callq *(%rax)"},
	{__LINE__, "ffe0", "jmp rax", "jmp *%rax"},
	{__LINE__, "f3ab", "rep stosd", "rep stosl"},
	{__LINE__, "dec1", "faddp st(1), st(0)", "faddp %st(0), %st(1)"},
	{__LINE__, "dee9", "fsubp st(1), st(0)", "fsubrp %st(0), %st(1)"},
	{__LINE__, "0fae38", "clflush [rax]", "clflush (%rax)"},
	{__LINE__, "a08877665544332211", "mov al, byte ptr [0x1122334455667788]",
	 "movabs 0x1122334455667788, %al"},
};

int main(void)
{
	struct takt_text text = {0};
	struct takt_insn insn;
	uint8_t bytes[16];

	for (size_t index = 0; index < TAKT_COUNT_OF(rows); index++) {
		size_t size_bytes = from_hex(rows[index].hex, bytes, sizeof(bytes));

		if (!tap_ok_at(__FILE__, rows[index].line,
			       takt_decode(&takt_isa_x86, bytes, size_bytes, 0x1000, &insn) ==
				       TAKT_OK,
			       "%s decodes", rows[index].hex))
			continue;
		takt_text_clear(&text);
		takt_insn_write(&insn, TAKT_SYNTAX_INTEL, &text);
		tap_ok_at(__FILE__, rows[index].line, strcmp(text.data, rows[index].intel) == 0,
			  "got \"%s\", want \"%s\"", text.data, rows[index].intel);
		takt_text_clear(&text);
		takt_insn_write(&insn, TAKT_SYNTAX_ATT, &text);
		tap_ok_at(__FILE__, rows[index].line, strcmp(text.data, rows[index].att) == 0,
			  "got \"%s\", want \"%s\"", text.data, rows[index].att);
	}
	takt_text_release(&text);
	return tap_done();
}
