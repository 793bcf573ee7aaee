/* SPDX-License-Identifier: MIT */
/* Single lines that disassemblers print. */
#include "../tap.h"
#include "input/listed_line.h"

static struct cursor cursor_of(const char *text)
{
	return (struct cursor){text, text + strlen(text)};
}

static bool equals(struct cursor c, const char *text)
{
	return (size_t)(c.end - c.at) == strlen(text) && memcmp(c.at, text, strlen(text)) == 0;
}

/* Lines with addresses, and the parts of them; without an instruction, no such line. */
static const struct insn_row {
	int line;
	const char *text, *insn, *name;
	uint64_t address;
	uint8_t size_bytes;
} insn_rows[] = {
	{__LINE__, "  401136:\t48 ff c8             \tdec    %rax", "dec    %rax", "", 0x401136, 3},
	{__LINE__, "   0x402ff4 <f+8>:\tdec    %rax", "dec    %rax", "", 0x402ff4, 0},
	{__LINE__, "=> 0x402fec <f>:\taddsd  %xmm1,%xmm0", "addsd  %xmm1,%xmm0", "", 0x402fec, 0},
	{__LINE__, "0000000000401136 <f> dec    %rax", "dec    %rax", "f", 0x401136, 0},
	{__LINE__, "   99.50 :   1040:   dec    %eax", "dec    %eax", "", 0x1040, 0},
	{__LINE__, "  10:\tf1000508 \tsubs\tx8, x8, #0x1", "subs\tx8, x8, #0x1", "", 0x10, 4},
	{__LINE__, "   2:\t/-X--> 7e 02 \tjle 6 <f+0x6>", "jle 6 <f+0x6>", "", 2, 2},
	{__LINE__, "  401136:\t48 8b", "", "", 0x401136, 2},
	{__LINE__, "  401136:\t", NULL, "", 0, 0},
	{__LINE__, "\t\t0000000000000262:  IMAGE_REL_AMD64_REL32\tg", NULL, "", 0, 0},
	{__LINE__, "\t\t0000000000000262:  X86_64_RELOC_BRANCH\t_g", NULL, "", 0, 0},
	{__LINE__, "\t\t0000000000000260:  ARM64_RELOC_PAGE21\t_g", NULL, "", 0, 0},
	{__LINE__, "\tdec %rax", NULL, "", 0, 0},
	{__LINE__, "   0x402fff:\tCannot access memory at address 0x402fff", NULL, "", 0, 0},
	{__LINE__, "   4:\tAddress 0x4 is out of bounds.", NULL, "", 0, 0},
};

static void test_insns(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(insn_rows); i++) {
		const struct insn_row *row = &insn_rows[i];
		struct cursor c = cursor_of(row->text), name;
		struct takt_listed listed = {0};
		bool is_insn = takt_listed_insn_line(&c, &listed, &name);

		tap_ok_at(__FILE__, row->line, is_insn == (row->insn != NULL), "'%s'", row->text);
		if (!is_insn || !row->insn)
			continue;
		tap_ok_at(__FILE__, row->line,
			  equals(c, row->insn) && equals(name, row->name) &&
				  listed.address == row->address &&
				  listed.size_bytes == row->size_bytes,
			  "its parts");
	}
}

/* Headings, and what they name. */
static const struct heading_row {
	int line;
	const char *text;
	bool (*read)(struct cursor c, struct cursor *ret_name);
	const char *name; /* NULL: it is none */
} heading_rows[] = {
	{__LINE__, "0000000000001040 <f>:", takt_listed_function_line, "f"},
	{__LINE__, "0000000000001040 <f> (File Offset: 0x40):", takt_listed_function_line, "f"},
	{__LINE__, "Dump of assembler code for function f(int):", takt_listed_function_line,
	 "f(int)"},
	{__LINE__, "1040 <f>:", takt_listed_function_line, NULL},
	{__LINE__, "<f>:", takt_listed_bare_function_line, "f"},
	{__LINE__, "f:", takt_listed_bare_function_line, NULL},
	{__LINE__, "Disassembly of section .text:", takt_listed_section_line, ".text"},
	{__LINE__, "section .text:", takt_listed_section_line, NULL},
};

static void test_headings(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(heading_rows); i++) {
		const struct heading_row *row = &heading_rows[i];
		struct cursor name;
		bool is_there = row->read(cursor_of(row->text), &name);

		tap_ok_at(__FILE__, row->line, is_there == (row->name != NULL), "'%s'", row->text);
		if (is_there && row->name)
			tap_ok_at(__FILE__, row->line, equals(name, row->name), "its name");
	}
}

int main(void)
{
	test_insns();
	test_headings();
	return tap_done();
}
