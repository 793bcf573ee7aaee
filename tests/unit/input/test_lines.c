/* SPDX-License-Identifier: MIT */
#include "fixture.h"

static const char text[] = "kernel:\n"
			   "1:\taddl %ecx, %eax\t# one\n"
			   "\timull %eax, %eax\n"
			   "\tnop\n"
			   "\tjne 1b\n"
			   ".section .text.b,\"ax\"\n"
			   "\tnop\n";

struct row {
	int line;
	struct takt_line_range ranges[2];
	size_t range_count, size;
	const char *name_or_error;
};

static const struct row rows[] = {
	{__LINE__, {{2, 3}}, 1, 5, "lines 2-3"},
	{__LINE__, {{3, 3}}, 1, 3, "line 3"},
	{__LINE__, {{2, 3}, {5, 5}}, 2, 7, "lines 2-3, 5"},
	{__LINE__, {{5, 5}, {2, 2}}, 2, 4, "lines 5, 2"}, /* in the text's order */
	{__LINE__, {{1, 1}}, 1, 0, "error: no instruction on line 1 of 'x'\nnote: "},
	{__LINE__, {{100, 200}}, 1, 0, "error: no instruction on lines 100-200 of 'x'\n"},
	{__LINE__,
	 {{4, 7}},
	 1,
	 0,
	 "error: lines 4-7 are in section '.text' and in '.text.b'\nnote: "},
};

static void test_selection(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct opened opened = open_text(
			text, (struct takt_code_options){.lines = rows[i].ranges,
							 .line_count = rows[i].range_count});
		bool right;

		if (rows[i].size)
			right = opened.count == 1 &&
				region_at(&opened, 0)->origin == TAKT_REGION_LINES &&
				region_at(&opened, 0)->size_bytes == rows[i].size &&
				strcmp(region_at(&opened, 0)->name, rows[i].name_or_error) == 0;
		else
			right = opened.status == TAKT_BAD_INPUT &&
				says(&opened, rows[i].name_or_error);
		tap_ok_at(__FILE__, rows[i].line, right, "%s",
			  opened.count ? region_at(&opened, 0)->name : "error");
		close_opened(&opened);
	}
}

/* Lines of instructions that were copied together, and a branch that still closes. */
static void test_copied(void)
{
	static const struct takt_line_range ranges[] = {{2, 2}, {5, 5}};
	static const unsigned char want[] = {0x01, 0xc8, 0x75, 0xfc};
	struct opened opened =
		open_text(text, (struct takt_code_options){.lines = ranges, .line_count = 2});
	struct takt_source_line line;

	ok(memcmp(region_at(&opened, 0)->bytes, want, sizeof(want)) == 0,
	   "the branch leads to the first line");
	line = takt_code_line(opened.code, 0, 0);
	is_int(line.line, 2, "first line");
	is_string(line.text, "1:\taddl %ecx, %eax\t# one", "its text");
	is_string(line.file, "x", "its file");
	is_int(takt_code_line(opened.code, 0, 2).line, 5, "second line");
	is_int(takt_code_line(opened.code, 0, 1).line, 0, "no instruction starts here");
	ok(takt_code_line(opened.code, 0, 0).text == line.text, "made once");
	close_opened(&opened);
}

static void test_without_lines(void)
{
	static const struct takt_line_range range = {1, 2};
	struct takt_code_options options = {
		.lines = &range,
		.line_count = 1,
		.format = TAKT_INPUT_RAW,
	};
	struct opened opened = open_data("\x90", 1, options);

	ok(opened.status == TAKT_BAD_INPUT && says(&opened, "error: 'x' has no line numbers\n"),
	   "raw bytes have no lines");
	close_opened(&opened);
}

int main(void)
{
	if (!have_shim())
		return tap_done();
	test_selection();
	test_copied();
	test_without_lines();
	return tap_done();
}
