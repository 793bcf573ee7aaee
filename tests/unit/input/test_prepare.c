/* SPDX-License-Identifier: MIT */
/* What LLVM is shown of a text. */
#include "fixture.h"

struct row {
	int line;
	const char *text, *want;
};

static const struct row rows[] = {
	{__LINE__, "\taddl\t%eax, %ebx\n", "\taddl\t%eax, %ebx\n"},
	{__LINE__, "nop", "nop\n"},
	{__LINE__, ".loc 1 2 3 view .LVU1\n.file \"x.c\"\n.cfi_startproc\nnop\n", "\n\n\nnop\n"},
	{__LINE__, "nop\n\t.section\t.debug_info,\"\",@progbits\n\t.long\t1\n.Lx:\n\t.text\nret\n",
	 "nop\n\n\n\n\t.text\nret\n"},
	{__LINE__, ".pushsection .debug_line\n.long 1\n.popsection\nnop\n", "\n\n\nnop\n"},
	{__LINE__, ".section .debug_line\n.long 1\n.section .text.f,\"ax\"\nnop\n",
	 "\n\n.section .text.f,\"ax\"\nnop\n"},
	{__LINE__, "\tmovsx\trax, ecx\n", "\tmovsxd\trax, ecx\n"},
	{__LINE__, "movsx r10, DWORD PTR [rdi]\n", "movsxd r10, DWORD PTR [rdi]\n"},
	{__LINE__, "movsx rax, cx\nmovsx eax, cl\n", "movsx rax, cx\nmovsx eax, cl\n"},
	{__LINE__, "mov edi, OFFSET FLAT:.LC0\n", "mov edi, OFFSET .LC0\n"},
	{__LINE__, "\tcall\t[QWORD PTR 16[rax]]\n", "\tcall\tQWORD PTR 16[rax]\n"},
	{__LINE__, "notrack jmp [QWORD PTR .L4[0+rax*8]]\n",
	 "notrack jmp QWORD PTR .L4[0+rax*8]\n"},
	{__LINE__, "# OSACA-BEGIN\n", ";.Ltakt_comment1:\n"},
	{__LINE__, "nop // LLVM-MCA-BEGIN a b\nnop /* OSACA-END */ nop\n",
	 "nop ;.Ltakt_comment1:\nnop ;.Ltakt_comment2: nop\n"},
	{__LINE__, "nop ; OSACA-END\n", "nop ;.Ltakt_comment1:\n"},
	{__LINE__, "# not OSACA-BEGIN\n# OSACA-BEGINS\n", "# not OSACA-BEGIN\n# OSACA-BEGINS\n"},
};

static void test_lines(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct takt_arena arena = {0};
		struct takt_source source = split(rows[i].text, &arena);
		struct takt_text text = {0};

		takt_source_prepare(&source, &takt_isa_x86, &arena, &text);
		tap_ok_at(__FILE__, rows[i].line, strcmp(text.data, rows[i].want) == 0, "prepared");
		if (strcmp(text.data, rows[i].want) != 0)
			tap_note("got: %s", text.data);
		takt_text_release(&text);
		takt_arena_release(&arena);
	}
}

/* Spellings of AArch64 that GNU as takes and LLVM does not. */
static void test_aarch64(void)
{
	static const struct row spellings[] = {
		{__LINE__, "\tfcmpe\td0, #0\n", "\tfcmpe\td0, #0.0\n"},
		{__LINE__, "\tfcmp\ts1, 0\n", "\tfcmp\ts1, 0.0\n"},
		{__LINE__, "fcmp d0, 0.0\nfcmp d0, d1\ncmp x0, 0\n",
		 "fcmp d0, 0.0\nfcmp d0, d1\ncmp x0, 0\n"},
		{__LINE__, "ins v0.2d[1], v1.2d[0]\n", "ins v0.d[1], v1.d[0]\n"},
		{__LINE__, "fmla v3.2d, v0.2d, v1.d[0]\n", "fmla v3.2d, v0.2d, v1.d[0]\n"},
		{__LINE__, "sdot v0.4s, v1.16b, v2.4b[1]\n", "sdot v0.4s, v1.16b, v2.4b[1]\n"},
		{__LINE__, "bfdot v1.2s, v2.4h, v3.2h[0]\n", "bfdot v1.2s, v2.4h, v3.2h[0]\n"},
		{__LINE__, "ldr x0, [x1, :lo12:.L0]\n.inst 0xd503201f\n",
		 "ldr x0, [x1, :lo12:.L0]\n\t.long 0xd503201f\n"},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(spellings); i++) {
		struct takt_arena arena = {0};
		struct takt_source source = split(spellings[i].text, &arena);
		struct takt_text text = {0};

		takt_source_prepare(&source, &takt_isa_aarch64, &arena, &text);
		tap_ok_at(__FILE__, spellings[i].line, strcmp(text.data, spellings[i].want) == 0,
			  "AArch64: prepared");
		if (strcmp(text.data, spellings[i].want) != 0)
			tap_note("got: %s", text.data);
		takt_text_release(&text);
		takt_arena_release(&arena);
	}
}

static void test_settings(void)
{
	static const char lines[] = "nop\n# LLVM-MCA-RISCV-LMUL M2 a name\n"
				    "\t/* LLVM-MCA-RISCV-SEW E32*/ nop\n# LLVM-MCA-END\n";
	static const struct takt_llvm_api *const *any = NULL;
	const struct takt_isa other = {.llvm = (const struct takt_llvm_api *)&any};
	struct takt_arena arena = {0};
	struct takt_source source = split(lines, &arena);
	struct takt_text text = {0};

	takt_source_prepare(&source, &takt_isa_x86, &arena, &text);
	is_size(source.setting_count, 0, "none on x86-64");
	takt_text_clear(&text);
	source = split(lines, &arena);
	takt_source_prepare(&source, &other, &arena, &text);
	is_string(text.data, "nop\n;.Ltakt_comment1:\n\t;.Ltakt_comment2: nop\n;.Ltakt_comment3:\n",
		  "labels");
	is_size(source.comment_count, 1, "settings are no regions");
	if (is_size(source.setting_count, 2, "settings")) {
		is_string(source.settings[0].keyword, "LLVM-MCA-RISCV-LMUL", "keyword");
		is_string(source.settings[0].name, "M2", "without the name");
		is_size(source.settings[1].line, 3, "line");
		is_size(source.settings[1].column, 5, "column");
		is_string(source.settings[1].name, "E32", "without the end of the comment");
	}
	takt_text_release(&text);
	takt_arena_release(&arena);
}

/* Versions of RISC-V's extensions are those of the compiler, and LLVM takes its own only. */
static void test_riscv_attributes(void)
{
	static const char lines[] = "\t.attribute 4, 16\n"
				    "\t.attribute 5, \"rv64i2p0_m2p0_f2p10_zve32f1p0\"\n"
				    "\t.attribute arch, \"rv32imac\"\n\t.attribute 5, \"rv\n";
	static const struct takt_llvm_api *const *any = NULL;
	const struct takt_isa other = {.llvm = (const struct takt_llvm_api *)&any};
	struct takt_arena arena = {0};
	struct takt_source source = split(lines, &arena);
	struct takt_text text = {0};

	takt_source_prepare(&source, &other, &arena, &text);
	is_string(text.data,
		  "\t.attribute 4, 16\n\t.attribute 5, \"rv64i_m_f_zve32f\"\n"
		  "\t.attribute arch, \"rv32imac\"\n\t.attribute 5, \"rv\n",
		  "sets without versions");
	takt_text_release(&text);
	takt_arena_release(&arena);
}

static void test_other_isa(void)
{
	static const struct row others[] = {
		{__LINE__, "\t.inst\t0xd503201f // x\n", "\t.long\t0xd503201f // x\n"},
		{__LINE__, "movsx rax, ecx\n", "movsx rax, ecx\n"},
		{__LINE__, "\t.cfi_startproc\n\t.loc 1 2\n", "\n\n"},
		{__LINE__, "\tnop\t// OSACA-BEGIN\n# LLVM-MCA-END\n",
		 "\tnop\t;.Ltakt_comment1:\n;.Ltakt_comment2:\n"},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(others); i++) {
		struct takt_arena arena = {0};
		struct takt_source source = split(others[i].text, &arena);
		struct takt_text text = {0};

		takt_source_prepare(&source, &takt_isa_aarch64, &arena, &text);
		tap_ok_at(__FILE__, others[i].line, strcmp(text.data, others[i].want) == 0,
			  "prepared for AArch64");
		takt_text_release(&text);
		takt_arena_release(&arena);
	}
}

static void test_comments(void)
{
	struct takt_arena arena = {0};
	struct takt_source source = split("nop\n  ## LLVM-MCA-BEGIN  a b \t\n"
					  "/* OSACA-END c*/\n; OSACA-BEGIN\n",
					  &arena);
	struct takt_text text = {0};

	takt_source_prepare(&source, &takt_isa_x86, &arena, &text);
	is_size(source.comment_count, 3, "comments");
	is_size(source.setting_count, 0, "none sets anything");
	ok(source.comments[0].mca && source.comments[0].begins && source.comments[0].line == 2 &&
		   source.comments[0].column == 6,
	   "the first");
	is_string(source.comments[0].name, "a b", "its name");
	ok(!source.comments[1].mca && !source.comments[1].begins, "the second");
	is_string(source.comments[1].name, "c", "its name");
	is_string(source.comments[2].name, "", "no name");
	takt_text_release(&text);
	takt_arena_release(&arena);
}

int main(void)
{
	test_lines();
	test_aarch64();
	test_settings();
	test_riscv_attributes();
	test_other_isa();
	test_comments();
	return tap_done();
}
