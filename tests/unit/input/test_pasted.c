/* SPDX-License-Identifier: MIT */
/* What copying leaves in text, and what remains of it. */
#include "fixture.h"

static const struct row {
	int line;
	const char *text, *want; /* NULL: the same */
} rows[] = {
	{__LINE__, "\33[31mdec\33[m %eax\33[0;1;34m\33[K\n", "dec %eax\n"},
	{__LINE__, "dec \33 %eax\n", NULL},
	{__LINE__,
	 "\xef\xbb\xbf"
	 "dec\xc2\xa0%eax\n",
	 "dec %eax\n"},
	{__LINE__, "# f\xc3\xbcr\n", NULL},
	/* cat -n, nl, grep -n, and quotations of them */
	{__LINE__, "     1\tf:\n     2\t\tdec %eax\n\n     3\n", "f:\n\tdec %eax\n\n\n"},
	{__LINE__, " 99 dec %eax\n100 jne f\n", "dec %eax\njne f\n"},
	{__LINE__, "7:f:\n8:\tnop\n9:1:\n10:\tnop\n11:\tnop\n12:\tnop\n13:\tnop\n14:jne 1b\n",
	 "f:\n\tnop\n1:\n\tnop\n\tnop\n\tnop\n\tnop\njne 1b\n"},
	{__LINE__, "> f:\n>\tnop\n>\n", "f:\n\tnop\n\n"},
	{__LINE__, "> > 1 f:\n> > 2 nop\n", "f:\nnop\n"},
	/* carriage returns as the ends of lines, but not beside line feeds */
	{__LINE__, "f:\r\tnop\r\rret\r", "f:\n\tnop\n\nret\n"},
	{__LINE__, "f:\r\tnop\n", "f:\n\tnop\n"},
	{__LINE__, "nop\r\nret\r\n", NULL},
	{__LINE__, "nop\r\n", NULL},
	/* prompts of shells */
	{__LINE__, "$ cat f.s\nnop\n$ \n", "\nnop\n\n"},
	{__LINE__, "ada@box:~/src$ cat f.s\nnop\nada@box:~/src$\n", "\nnop\n\n"},
	{__LINE__, "[root@box src]# cat f.s\nnop\n", "\nnop\n"},
	{__LINE__, "PS C:\\src> type f.s\nnop\n", "\nnop\n"},
	{__LINE__, "C:\\src>type f.s\nnop\n", "\nnop\n"},
	{__LINE__, "call f@plt # nothing\nmovl $1, %eax\n$LL4@f:\n", NULL},
	/* neither numbers of lines nor quotations */
	{__LINE__, "1:\tdec %eax\n2:\tjne 1b\n3:\tret\n", NULL},
	{__LINE__, "1 nop\n3 nop\n", NULL},
	{__LINE__, "1 nop\nnop\n", NULL},
	{__LINE__, "> nop\nnop\n", NULL},
	{__LINE__, "  10:\tdec %eax\n  12:\tjne 0x10\n", NULL},
	{__LINE__, "0.50 : 1: dec\n1.50 : 2: nop\n", NULL},
	{__LINE__, "\n\n", NULL},
};

static void check(const struct row *row)
{
	struct takt_arena arena = {0};
	struct takt_text text = {0};
	struct takt_source source;
	size_t size;
	const char *copy =
		takt_pasted_copy(&arena, (const uint8_t *)row->text, strlen(row->text), &size);

	source = split(copy, &arena);
	takt_pasted_strip(&source);
	for (uint32_t i = 0; i < source.line_count; i++) {
		takt_text_add(&text, source.lines[i], strcspn(source.lines[i], "\n"));
		takt_text_add_string(&text, "\n");
	}
	tap_ok_at(__FILE__, row->line,
		  strcmp(takt_text_data(&text), row->want ? row->want : row->text) == 0 &&
			  size == strlen(copy),
		  "pasted");
	takt_text_release(&text);
	takt_arena_release(&arena);
}

static void test_utf16(void)
{
	static const uint8_t text[] = "\xff\xfe"
				      "#\0\xfc\0 \0\x13\x20\n\0n\0o\0p\0\n";
	struct takt_arena arena = {0};
	size_t size;

	ok(takt_pasted_is_utf16(text, sizeof(text)) && !takt_pasted_is_utf16(text + 2, 6),
	   "UTF-16 is known");
	is_string(takt_pasted_copy(&arena, text, sizeof(text), &size),
		  "#\xc3\xbc \xe2\x80\x93\nnop\n", "and read");
	takt_arena_release(&arena);
}

static void test_zeros(void)
{
	static const uint8_t text[] = {'n', 'o', 'p', '\n', 0, 0};
	struct takt_arena arena = {0};
	size_t size;

	is_string(takt_pasted_copy(&arena, text, sizeof(text), &size), "nop\n", "NULs at the end");
	is_size(size, 4, "are no part of the text");
	is_size(takt_pasted_text_size(text + 4, 2), 0, "nor of a text without anything else");
	takt_arena_release(&arena);
}

static void test_open(void)
{
	static const char text[] = "\xff\xfe"
				   "n\0o\0p\0\r\0\n";
	struct opened opened;

	if (!have_shim())
		return;
	opened = open_data(text, sizeof(text), (struct takt_code_options){.whole = true});
	ok(opened.count == 1 && region_at(&opened, 0)->size_bytes == 1, "text of Windows' shells");
	close_opened(&opened);
	opened = open_data("nop\n", 5, (struct takt_code_options){.whole = true});
	ok(opened.count == 1 && region_at(&opened, 0)->size_bytes == 1, "a NUL at the end");
	close_opened(&opened);
	opened = open_data("\0\0", 2, (struct takt_code_options){.whole = true});
	ok(!opened.code && says(&opened, "'x' is neither ELF nor text"), "NULs alone");
	close_opened(&opened);
	opened = open_text("> 1\tnop\n> 2\tbogus\n", (struct takt_code_options){.whole = true});
	ok(!opened.code && says(&opened, "x:2:1: error: invalid instruction mnemonic 'bogus'"),
	   "lines keep their numbers");
	close_opened(&opened);
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check(&rows[i]);
	test_utf16();
	test_zeros();
	test_open();
	return tap_done();
}
