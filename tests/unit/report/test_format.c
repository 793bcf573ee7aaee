/* SPDX-License-Identifier: MIT */
#include "../tap.h"
#include "report/format.h"

static const struct {
	int line;
	double cycles;
	const char *two, *one, *brief;
} figures[] = {
	{__LINE__, 0, "", "", ""},
	{__LINE__, 0.004, "", "", ""},
	{__LINE__, 0.005001, "0.01", "", "0.01"},
	{__LINE__, 0.5, "0.50", "0.5", "0.5"},
	{__LINE__, 4, "4.00", "4.0", "4"},
	{__LINE__, 99.995, "100.00", "100.0", "100"},
	{__LINE__, 123.456, "123.5", "123.5", "123.5"},
	{__LINE__, 1000, "1000", "1000", "1000"},
	{__LINE__, 1e7, "10000000", "10000000", "10000000"},
};

static void test_figures(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(figures); i++) {
		char two[TAKT_FIGURE_SIZE], one[TAKT_FIGURE_SIZE], brief[TAKT_FIGURE_SIZE];

		takt_format_cycles(two, figures[i].cycles, 2);
		takt_format_cycles(one, figures[i].cycles, 1);
		takt_format_short(brief, figures[i].cycles);
		tap_is_string(__FILE__, figures[i].line, two, figures[i].two, "two decimals");
		tap_is_string(__FILE__, figures[i].line, one, figures[i].one, "one decimal");
		tap_is_string(__FILE__, figures[i].line, brief, figures[i].brief, "short");
	}
}

static const struct {
	int line;
	const char *string;
	uint32_t columns, used;
	const char *want;
} cleans[] = {
	{__LINE__, "add rax", 20, 7, "add rax"},
	{__LINE__, "add rax", 7, 7, "add rax"},
	{__LINE__, "add rax", 6, 6, "add r…"},
	{__LINE__, "add\trax\x1b[0m", 20, 11, "add rax?[0m"},
	{__LINE__, "µµµµ", 3, 3, "µµ…"},
	{__LINE__, "µµµµ", 4, 4, "µµµµ"},
	{__LINE__, "ab", 1, 1, "…"},
	{__LINE__, "ab", 0, 0, ""},
};

static void test_clean(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(cleans); i++) {
		struct takt_text text = {0};
		uint32_t used = takt_text_clean(&text, cleans[i].string, cleans[i].columns);

		tap_is_string(__FILE__, cleans[i].line, takt_text_data(&text), cleans[i].want,
			      "cleaned");
		tap_is_int(__FILE__, cleans[i].line, used, cleans[i].used, "columns used");
		takt_text_release(&text);
	}
}

static void test_wrap(void)
{
	struct takt_text text = {0};

	takt_format_wrap(&text, "one two three four", 2, 10);
	is_string(takt_text_data(&text), "one two\n  three\n  four\n", "wrapped and indented");
	takt_text_clear(&text);
	takt_format_wrap(&text, "incomprehensibilities are kept", 0, 10);
	is_string(takt_text_data(&text), "incomprehensibilities\nare kept\n", "long words stay");
	takt_text_release(&text);
}

int main(void)
{
	test_figures();
	test_clean();
	test_wrap();
	return tap_done();
}
