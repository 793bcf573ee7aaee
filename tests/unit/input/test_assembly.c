/* SPDX-License-Identifier: MIT */
#include "children.h"
#include "fixture.h"

static const char att[] = "kernel:\n"
			  "\txorl %eax, %eax\n"
			  "1:\tvaddpd (%rsi,%rax,8), %zmm1, %zmm1 # sum\n"
			  "\taddq $8, %rax\n"
			  "\tcmpq %rax, %rdx\n"
			  "\tjne 1b\n"
			  "\tret\n";
static const char intel[] = "kernel:\n"
			    "\txor eax, eax\n"
			    "1:\tvaddpd zmm1, zmm1, [rsi+rax*8]\n"
			    "\tadd rax, 8\n"
			    "\tcmp rdx, rax\n"
			    "\tjne 1b\n"
			    "\tret\n";
static const char directive[] = ".intel_syntax noprefix\n1: inc eax\njne 1b\n";

struct row {
	int line;
	const char *text;
	enum takt_syntax syntax;
	uint64_t address;
	size_t size;
	enum takt_region_origin origin;
};

static const struct row rows[] = {
	{__LINE__, att, TAKT_SYNTAX_AUTO, 2, 16, TAKT_REGION_LOOP},
	{__LINE__, att, TAKT_SYNTAX_ATT, 2, 16, TAKT_REGION_LOOP},
	{__LINE__, intel, TAKT_SYNTAX_AUTO, 2, 16, TAKT_REGION_LOOP},
	{__LINE__, intel, TAKT_SYNTAX_INTEL, 2, 16, TAKT_REGION_LOOP},
	{__LINE__, directive, TAKT_SYNTAX_AUTO, 0, 4, TAKT_REGION_LOOP},
	{__LINE__, directive, TAKT_SYNTAX_ATT, 0, 4, TAKT_REGION_LOOP},
	/* the guess fails, the other succeeds */
	{__LINE__, "inc rax # %\nfoo: add ecx, 1", TAKT_SYNTAX_AUTO, 0, 6, TAKT_REGION_WHOLE},
	/* an excerpt: labels, functions and frames that are not there */
	{__LINE__, "addl $1, %eax\ncall f\njne .L99\n.size g, .-g\n.cfi_endproc", TAKT_SYNTAX_AUTO,
	 0, 14, TAKT_REGION_WHOLE},
	{__LINE__, ".globl g\ng: incl %eax\njne g", TAKT_SYNTAX_AUTO, 0, 8, TAKT_REGION_LOOP},
};

static void test_good(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct opened opened = open_text(
			rows[i].text, (struct takt_code_options){.syntax = rows[i].syntax});
		const struct takt_region *region = opened.count ? region_at(&opened, 0) : NULL;

		tap_ok_at(__FILE__, rows[i].line,
			  opened.count == 1 && region->address == rows[i].address &&
				  region->size_bytes == rows[i].size &&
				  region->origin == rows[i].origin,
			  "%zu regions, %zu bytes", opened.count, region ? region->size_bytes : 0);
		if (!opened.code)
			says(&opened, "nothing");
		close_opened(&opened);
	}
}

struct error_row {
	int line;
	const char *text;
	enum takt_syntax syntax;
	const char *error;
};

static const struct error_row error_rows[] = {
	{__LINE__, "nop\n\taddl %eax, %foo\n", TAKT_SYNTAX_AUTO,
	 "x:2:13: error: invalid register name\n    2 | \taddl %eax, %foo\n"
	 "      | \t           ^~~~\n"
	 "note: read as AT&T syntax; --syntax=intel reads it as Intel\n"},
	{__LINE__, "bogus %eax", TAKT_SYNTAX_ATT,
	 "x:1:1: error: invalid instruction mnemonic 'bogus'\n    1 | bogus %eax\n      | ^~~~~\n"},
	{__LINE__, "add rax, [rbx]]", TAKT_SYNTAX_AUTO, "x:1:15: error: "},
	{__LINE__, "add rax, [rbx]]", TAKT_SYNTAX_AUTO, "note: read as Intel syntax"},
	{__LINE__, "add rax, rbx\n", TAKT_SYNTAX_ATT, "x:1:"},
	{__LINE__, "f:\nnop\nf:\n", TAKT_SYNTAX_ATT, "x:3:1: error: symbol 'f' is already defined"},
	{__LINE__, "nop\n.space 0x7fffffffffff\n", TAKT_SYNTAX_ATT,
	 "x:2:8: error: more than 64 MiB of fill"},
	{__LINE__, ".data\n.long 1\n", TAKT_SYNTAX_AUTO, "error: no machine code in 'x'\n"},
};

static void test_bad(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(error_rows); i++) {
		struct opened opened =
			open_text(error_rows[i].text,
				  (struct takt_code_options){.syntax = error_rows[i].syntax});

		tap_ok_at(__FILE__, error_rows[i].line,
			  opened.status == TAKT_BAD_INPUT && says(&opened, error_rows[i].error),
			  "text that does not assemble");
		close_opened(&opened);
	}
}

/* Text as compilers write it for AArch64, guessed and asked for. */
static void test_aarch64(void)
{
	static const char text[] = "\t.arch armv8.2-a+sve\n\t.cpu neoverse-n1\n"
				   "\t.type f, %function\n\t.variant_pcs f\nf:\n"
				   "\t.cfi_startproc\n\tadrp x1, g\n\tldr x2, [x1, :lo12:g]\n"
				   "\tldr x3, =0x123456789abcdef\n.L2:\n"
				   "\tfmla v0.2d, v1.2d, v2.2d // sum\n"
				   "\t.inst 0x8b020020\n\tsubs w0, w0, #1 ; nop\n"
				   "\tbne .L2\n\tret\n\t.ltorg\n\t.size f, .-f\n";
	static const char *const sets[] = {NULL, "aarch64"};
	struct opened opened;

	for (size_t i = 0; i < TAKT_COUNT_OF(sets); i++) {
		opened = open_text(text, (struct takt_code_options){.isa = sets[i]});
		is_size(opened.count, 1, "a loop of AArch64 text");
		is_string(region_at(&opened, 0)->isa, "aarch64", "set");
		is_size(region_at(&opened, 0)->size_bytes, 20, "size");
		is_int(takt_code_line(opened.code, 0, 12).line, 11, "line");
		close_opened(&opened);
	}
	opened = open_text(text, (struct takt_code_options){.isa = "x86-64"});
	ok(opened.status == TAKT_BAD_INPUT &&
		   says(&opened, "error: 'x' looks like AArch64 text, but the core is for x86-64"),
	   "read as x86-64");
	close_opened(&opened);
	opened = open_text("\taddq %rax, %rbx\n", (struct takt_code_options){.isa = "aarch64"});
	ok(opened.status == TAKT_BAD_INPUT &&
		   says(&opened, "looks like x86-64 text, but the core is for AArch64"),
	   "the other way round");
	close_opened(&opened);
}

/* Some regions' markers are comments; the syntax of comments is the set's. */
static void test_aarch64_comments(void)
{
	struct opened opened =
		open_text("# note\n// LLVM-MCA-BEGIN a\n1: add x0, x0, 1\nb 1b\n"
			  "/* LLVM-MCA-END a */\n# OSACA-BEGIN\nadd x1, x1, 1\n# OSACA-END\n",
			  (struct takt_code_options){0});

	is_size(opened.count, 2, "regions by comments");
	is_string(region_at(&opened, 0)->name, "a", "name");
	is_size(region_at(&opened, 0)->size_bytes, 8, "size");
	close_opened(&opened);
}

static void test_sections(void)
{
	static const char text[] = ".text\n.type f,@function\nf: incl %eax\njne f\n"
				   ".section .text.startup,\"ax\"\n.type main,@function\n"
				   "main: nop\n1: incl %ecx\njne 1b\n"
				   ".section .text.g,\"axG\",@progbits,g,comdat\n"
				   ".weak g\n.type g,@function\n"
				   "g: nop\nnop\n2: incl %edx\njne 2b\n";
	struct opened opened = open_text(text, (struct takt_code_options){0});

	is_size(opened.count, 3, "loops in three sections");
	is_string(region_at(&opened, 1)->name, "main+0x1", "name");
	is_int(takt_code_line(opened.code, 0, 0).line, 3, "line of the first");
	is_int(takt_code_line(opened.code, 1, 1).line, 8, "line of the second");
	is_int(takt_code_line(opened.code, 2, 2).line, 15, "line of the third");
	is_string(takt_code_line(opened.code, 2, 2).text, "2: incl %edx", "its text");
	close_opened(&opened);
	opened = open_text(text, (struct takt_code_options){.function = "g", .whole = true});
	is_size(region_at(&opened, 0)->size_bytes, 6, "a function of a COMDAT section");
	close_opened(&opened);
}

/* Before any text: the process that is started ahead is the one that serves. */
static void test_prepared(void)
{
	struct takt_code_options options = {.data = att, .format = TAKT_INPUT_ASSEMBLY};
	struct opened opened;
	int started, serving;

	takt_code_prepare(&options);
	is_int(count_assemblers(&started), 0, "nothing to start without a set");
	options.isa = "x86-64";
	options.format = TAKT_INPUT_RAW;
	takt_code_prepare(&options);
	is_int(count_assemblers(&started), 0, "nor for bytes");
	options.format = TAKT_INPUT_ASSEMBLY;
	takt_code_prepare(&options);
	is_int(count_assemblers(&started), 1, "a process ahead of the text");
	opened = open_text(att, options);
	ok(opened.count == 1 && count_assemblers(&serving) == 1 && serving == started,
	   "which assembles it");
	close_opened(&opened);
}

/* A line of many instructions is not the text of each of them. */
static void test_long_line(void)
{
	struct takt_text text = {0};
	struct opened opened;

	takt_text_add_string(&text, "nop\n");
	for (int i = 0; i < 60; i++)
		takt_text_add_string(&text, "nop;");
	opened = open_text(takt_text_data(&text), (struct takt_code_options){0});
	is_string(takt_code_line(opened.code, 0, 0).text, "nop", "a short line");
	ok(!takt_code_line(opened.code, 0, 60).text, "no text of a long one");
	is_int(takt_code_line(opened.code, 0, 60).line, 2, "but its number");
	close_opened(&opened);
	takt_text_release(&text);
}

static void test_not_installed(void)
{
	const char *given = getenv("TAKT_MODULE_DIR");
	char *directory = given ? strdup(given) : NULL;
	struct opened opened;

	setenv("TAKT_MODULE_DIR", "/nowhere", 1);
	opened = open_text("nop\n", (struct takt_code_options){0});
	ok(opened.status == TAKT_UNAVAILABLE && says(&opened, "takt-llvm.so") &&
		   says(&opened, "note: it assembles text such as 'x': install"),
	   "without the module");
	close_opened(&opened);
	if (directory)
		setenv("TAKT_MODULE_DIR", directory, 1);
	else
		unsetenv("TAKT_MODULE_DIR");
	free(directory);
}

int main(void)
{
	test_not_installed();
	if (!have_shim())
		return tap_done();
	test_prepared();
	test_good();
	test_bad();
	test_long_line();
	test_aarch64();
	test_aarch64_comments();
	test_sections();
	return tap_done();
}
