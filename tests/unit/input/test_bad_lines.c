/* SPDX-License-Identifier: MIT */
/* Lines that do not assemble: inside the chosen code, outside of it, and everywhere. */
#include "fixture.h"

static const char text[] = "\tfrobnicate %rax\n" /* 1 */
			   "f:\txorl %eax, %eax\n"
			   ".L2:\n"
			   "\tfutureop (%rdi), %xmm1\n" /* 4: the first of the loop */
			   "\taddsd (%rdi,%rax,8), %xmm0\n"
			   "\tbogus\n" /* 6 */
			   "\tincq %rax\n"
			   "\tcmpq %rax, %rsi\n"
			   "\tjne .L2\n"
			   "\tworse\n" /* 10 */
			   "# OSACA-BEGIN\n"
			   "\taddq %rax, %rbx\n"
			   "\tnever\n" /* 13: the last between the marks */
			   "# OSACA-END\n"
			   "\tret\n";

/* The text up to the first mark. */
static struct takt_code_options loop_only(struct takt_code_options options)
{
	static char part[sizeof(text)];
	const char *end = strstr(text, "# OSACA");

	memcpy(part, text, (size_t)(end - text));
	options.data = part;
	options.data_size_bytes = (size_t)(end - text);
	options.path = "x";
	return options;
}

/* A line before the label at which a region begins, and before all code, is outside of it. */
static void test_first_line(void)
{
	static const char first[] = "bogus x9\nf:\n# OSACA-BEGIN\n\taddq $8, %rdi\n# OSACA-END\n"
				    "\tjne f\n";
	struct opened opened = open_text(first, (struct takt_code_options){0});

	ok(opened.count == 1 && region_at(&opened, 0)->size_bytes == 4, "before the first mark");
	close_opened(&opened);
	opened = open_text(first, (struct takt_code_options){.function = "f"});
	ok(opened.count == 1, "before the first function");
	close_opened(&opened);
}

/* A line in front of a loop is inside only if the loop's label is in front of its statement. */
static void test_first_of_loop(void)
{
	static const char same[] = ".L1: bogus $1, %rax\n\tdecq %rcx\n\tjne .L1\n";
	static const char before[] = "f:\n\tbogus $1, %rax\n.L1:\n\tdecq %rcx\n\tjne .L1\n";
	static const char both[] = "f:\n.L1:\n\tbogus $1, %rax\n.L10:\n\tdecq %rcx\n\tjne .L1\n";
	struct opened opened = open_text(same, (struct takt_code_options){0});

	ok(!opened.code && says(&opened, "x:1:6: error"),
	   "behind the label of a loop, in its line");
	close_opened(&opened);
	opened = open_text(before, (struct takt_code_options){0});
	is_size(opened.count, 1, "in front of the label that the loop goes back to");
	close_opened(&opened);
	opened = open_text(both, (struct takt_code_options){0});
	ok(!opened.code && says(&opened, "x:3:2: error"), "behind it, in front of another");
	close_opened(&opened);
}

/* The remedy of the other syntax is no remedy if the text says its own. */
static void test_syntax(void)
{
	static const char said[] = "\t.intel_syntax noprefix\n.L1:\n\tmovl $111, %ebx\n"
				   "\tdec rcx\n\tjne .L1\n";
	static const char guessed[] = ".L1:\n\tbogus $1, %rax\n\tdec %rcx\n\tjne .L1\n";
	struct opened opened = open_text(said, (struct takt_code_options){0});

	ok(!opened.code && says(&opened, "x:3:7: error") && !says(&opened, "reads it as"),
	   "a syntax that the text says");
	close_opened(&opened);
	opened = open_text(guessed, (struct takt_code_options){0});
	ok(!opened.code && says(&opened, "--syntax=intel reads it as Intel"),
	   "one that is guessed");
	close_opened(&opened);
}

static void test_loop(void)
{
	struct takt_code_options options = loop_only((struct takt_code_options){0});
	struct opened opened = open_with(&options);

	ok(!opened.code && says(&opened, "x:4:2: error: invalid instruction mnemonic 'futureop'") &&
		   says(&opened, "x:6:2: error: invalid instruction mnemonic 'bogus'"),
	   "lines in the loop are errors");
	ok(!strstr(takt_diag_text(opened.diag), "frobnicate") &&
		   !strstr(takt_diag_text(opened.diag), "worse"),
	   "others are not");
	ok(says(&opened, "'--ignore-unknown' leaves out lines"), "with the remedy");
	close_opened(&opened);
	options.ignore_unknown = true;
	opened = open_with(&options);
	is_size(opened.count, 1, "ignored");
	if (opened.count) {
		is_size(takt_code_note_count(opened.code), 2, "notes");
		is_string(takt_code_note(opened.code, 0),
			  "2 lines do not assemble and are left out: line 4 'futureop (%rdi), "
			  "%xmm1', 6 "
			  "'bogus'",
			  "which name them");
		is_string(takt_code_note(opened.code, 1),
			  "2 lines outside of the code taken do not assemble: first line 1",
			  "and those elsewhere");
	}
	close_opened(&opened);
}

static void test_choices(void)
{
	static const struct takt_line_range good = {7, 9}, bad = {5, 7};
	struct opened opened = open_text(text, (struct takt_code_options){0});

	ok(!opened.code && says(&opened, "x:13:2: error") &&
		   !strstr(takt_diag_text(opened.diag), "bogus"),
	   "between marks");
	close_opened(&opened);
	opened = open_text(text, (struct takt_code_options){.lines = &good, .line_count = 1});
	is_size(opened.count, 1, "lines without any");
	close_opened(&opened);
	opened = open_text(text, (struct takt_code_options){.lines = &bad, .line_count = 1});
	ok(!opened.code && says(&opened, "x:6:2: error"), "lines with one");
	close_opened(&opened);
}

static void test_function(void)
{
	static const char two[] = "\t.globl f\nf:\tbogus\n\tincl %eax\n\tret\n"
				  "\t.globl g\ng:\tincl %eax\n\tret\n";
	struct opened opened =
		open_text(two, (struct takt_code_options){.function = "g", .whole = true});

	is_size(opened.count, 1, "a function without any");
	close_opened(&opened);
	opened = open_text(two, (struct takt_code_options){.function = "f", .whole = true});
	ok(!opened.code && says(&opened, "x:2:4: error: invalid instruction mnemonic 'bogus'"),
	   "a function with one, behind its label");
	close_opened(&opened);
}

/* Text of few lines, that is no assembly, and such that has mistakes. */
static const struct foreign_row {
	int line;
	const char *text;
	bool is_foreign;
} foreign_rows[] = {
	{__LINE__, "A text about nothing.\nIt has three lines.\nNothing here is assembly.\n", true},
	{__LINE__, "Hello world\n", true},
	{__LINE__, "Dear all,\n\nplease find the file attached.\n", true},
	{__LINE__, "Note:\n  this is (nearly) 50% of it.\r\n", true},
	{__LINE__, "{\"a\": 1,\n \"b\": [1,2,3]\n}\n", true},
	{__LINE__, "a,b,c\n1,2,3\n", true},
	{__LINE__, "import os\nprint(1)\n", true},
	{__LINE__, "vzeroupperr\n", false},
	{__LINE__, "ad rax, 1\n", false},
	{__LINE__, "adddl %eax, %ebx\nmovv (%rax,%rbx), %xmm31\n", false},
	{__LINE__, "fmlaa v0.2d, v1.2d, v2.2d\n", false},
	{__LINE__, "addi a0, a0, 1\nbnez a1, .L2\n", false},
	{__LINE__, "nop\nthis is wrong\n", false},
};

static void test_foreign(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(foreign_rows); i++) {
		const struct foreign_row *row = &foreign_rows[i];
		struct opened opened = open_text(row->text, (struct takt_code_options){0});
		const char *said = takt_diag_text(opened.diag), *end = strchr(said, '\n');
		bool refused = strstr(said, "'x' is not assembly text: ") && end && !end[1];

		tap_ok_at(__FILE__, row->line, !opened.code && refused == row->is_foreign,
			  "foreign text, row %zu", i);
		if (refused != row->is_foreign)
			tap_note("%s", said);
		close_opened(&opened);
	}
}

static void test_garbage(void)
{
	struct opened opened =
		open_text("This is a letter.\nIt has (some) lines,\nand [some] more, "
			  "but\nno code (at all).\n{And} an end.\n",
			  (struct takt_code_options){0});
	const char *line;

	ok(!opened.code && says(&opened, "'x' is not assembly text: "), "no assembly");
	line = strchr(takt_diag_text(opened.diag), '\n');
	ok(line && !line[1], "in one line");
	close_opened(&opened);
	opened = open_text("f:\nnop\nf:\nbogus\n", (struct takt_code_options){.whole = true});
	ok(!opened.code && says(&opened, "x:3:1: error: symbol 'f' is already defined"),
	   "labels cannot be left out");
	close_opened(&opened);
	opened = open_text("bogus\n", (struct takt_code_options){.ignore_unknown = true});
	ok(!opened.code && says(&opened, "x:1:1: error: invalid instruction mnemonic"),
	   "nothing would be left");
	close_opened(&opened);
}

int main(void)
{
	if (have_shim()) {
		test_first_line();
		test_first_of_loop();
		test_syntax();
		test_loop();
		test_choices();
		test_function();
		test_garbage();
		test_foreign();
	}
	return tap_done();
}
