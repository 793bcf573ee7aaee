/* SPDX-License-Identifier: MIT */
/* Operands of llvm-objdump --symbolize-operands --no-show-raw-insn. */
#include "fixture.h"
#include "input/listing.h"

/* Two functions of real output, whose labels have the same numbers. */
static const char text[] = "\nk.o:\tfile format elf64-x86-64\n\nDisassembly of section .text:\n\n"
			   "0000000000000000 <first>:\n"
			   "       0:      \tje\t <L0>\n"
			   "<L1>:\n"
			   "       2:      \tdecq\t%rax\n"
			   "       5:      \tjne\t <L1>\n"
			   "<L0>:\n"
			   "       7:      \tretq\n"
			   "\n"
			   "0000000000000008 <second>:\n"
			   "       8:      \tcallq\t <first>\n"
			   "<L0>:\n"
			   "       d:      \tleaq\t, %rcx <first+0x25>\n"
			   "      14:      \tmovl\t%eax,  <glob>\n"
			   "      1a:      \tjmpq\t* <_GLOBAL_OFFSET_TABLE_+0x10>\n"
			   "      20:      \tpushq\t <glob>\n"
			   "      26:      \timulq\t$0x7d0, , %rax <glob> # imm = 0x7D0\n"
			   "      31:      \tjne\t <L0>\n"
			   "      33:      \tjne\t0xd <second+0x5>\n"
			   "      35:      \tcallq\t <puts@plt>\n"
			   "      3a:      \tmovl\t0x8(%rdi), %eax # 0x40 <glob>\n"
			   "      3d:      \tmov\teax, dword ptr  <glob>\n"
			   "      43:      \tmov\tdword ptr , eax <glob>\n"
			   "      49:      \tlea\trcx,  <first+0x25>\n"
			   "      50:      \tmovq\t, %rax\n"
			   "      57:      \tretq\n"
			   "      58:      \tpushq\n"
			   "      5e:      \tldr\td2, [x10], #0x10\n";

/* Lines, counted from 1, and what they become. */
static const struct line_row {
	int line;
	uint32_t number;
	const char *want;
} line_rows[] = {
	{__LINE__, 7, "je\t 0x7 <L0>"},
	{__LINE__, 8, ""},
	{__LINE__, 10, "jne\t 0x2 <L1>"},
	{__LINE__, 15, "callq\t 0x0 <first>"},
	{__LINE__, 17, "leaq\t first_0x25(%rip), %rcx"},
	{__LINE__, 18, "movl\t%eax, glob(%rip)"},
	{__LINE__, 19, "jmpq\t* _GLOBAL_OFFSET_TABLE__0x10(%rip)"},
	{__LINE__, 20, "pushq glob(%rip)"},
	{__LINE__, 21, "imulq\t$0x7d0,  glob(%rip), %rax # imm = 0x7D0"},
	{__LINE__, 22, "jne\t 0xd <L0>"},
	{__LINE__, 23, "jne\t0xd <second+0x5>"},
	{__LINE__, 24, "callq\t puts_plt"},
	{__LINE__, 25, "movl\t0x8(%rdi), %eax # 0x40 <glob>"},
	{__LINE__, 26, "mov\teax, dword ptr [rip + glob]"},
	{__LINE__, 27, "mov\tdword ptr [rip + glob] , eax"},
	{__LINE__, 29, "movq\t takt_unnamed_29(%rip), %rax"},
	{__LINE__, 30, "retq"},
	{__LINE__, 31, "pushq takt_unnamed_31(%rip)"},
	{__LINE__, 32, "ldr\td2, [x10], #0x10"},
	{__LINE__, 28, "lea\trcx, [rip + first_0x25]"},
};

static void test_lines(void)
{
	struct takt_arena arena = {0};
	struct takt_source source = split(text, &arena);

	ok(takt_listing_read(&source, &arena), "a disassembly");
	for (size_t i = 0; i < TAKT_COUNT_OF(line_rows); i++) {
		const char *line = source.lines[line_rows[i].number - 1];
		size_t size = strcspn(line, "\n");
		const char *want = line_rows[i].want;

		tap_ok_at(__FILE__, line_rows[i].line,
			  size == strlen(want) && memcmp(line, want, size) == 0, "'%s': '%.*s'",
			  want, (int)size, line);
	}
	takt_arena_release(&arena);
}

/* With bytes but without addresses, labels look like headings, and are none. */
static void test_bare_labels(void)
{
	static const char bare[] = "Disassembly of section .text:\n\n<first>:\n"
				   " 48 ff c9                     \tdecq\t%rcx\n"
				   "<L0>:\n"
				   " 48 ff c8                     \tdecq\t%rax\n"
				   " 75 fb                        \tjne\t <L0>\n"
				   " c3                           \tretq\n"
				   "\n<L7>:\n"
				   " c3                           \tretq\n";
	struct opened opened = open_text(bare, (struct takt_code_options){0});

	ok(opened.count == 1 && region_at(&opened, 0)->size_bytes == 5, "the loop");
	if (opened.count)
		is_string(region_at(&opened, 0)->function, "first", "the function");
	close_opened(&opened);
	opened = open_text(bare, (struct takt_code_options){.function = "L7", .whole = true});
	ok(opened.count == 1 && region_at(&opened, 0)->size_bytes == 1,
	   "a function with such a name, behind an empty line");
	close_opened(&opened);
}

int main(void)
{
	test_lines();
	test_bare_labels();
	return tap_done();
}
