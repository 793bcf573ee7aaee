/* SPDX-License-Identifier: MIT */
/* Functions, sections and address ranges. */
#include "fixture.h"

/* kernel: inc eax; jne kernel; ret    other: inc eax; ret */
static const unsigned char text[] = {0xff, 0xc0, 0x75, 0xfc, 0xc3, 0xff, 0xc0, 0xc3};
static const struct fixture_symbol symbols[] = {
	{"kernel", 0, 5, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), FX_TEXT},
	{"straight", 5, 0, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), FX_TEXT},
	{"twin", 0, 5, ELF64_ST_INFO(STB_LOCAL, STT_FUNC), FX_TEXT},
	{"twin", 0, 5, ELF64_ST_INFO(STB_LOCAL, STT_FUNC), FX_COLD},
};

struct row {
	int line;
	struct takt_code_options options;
	enum takt_status status;
	size_t count;
	const char *text; /* name of the first region, or part of the diagnostics */
};

static const struct row rows[] = {
	{__LINE__, {0}, TAKT_OK, 2, "kernel"},
	{__LINE__, {.function = "kernel"}, TAKT_OK, 1, "kernel"},
	{__LINE__, {.function = "twin"}, TAKT_OK, 2, "kernel"},
	{__LINE__, {.function = "twin", .section = ".text.cold"}, TAKT_OK, 1, "twin"},
	{__LINE__,
	 {.function = "straight"},
	 TAKT_BAD_INPUT,
	 0,
	 "error: no loop and no marker in function 'straight' of 'x'\nnote: choose code with "
	 "--function, --range or --lines, or take all of it as one block with --whole\n"},
	{__LINE__, {.function = "straight", .whole = true}, TAKT_OK, 1, "straight"},
	{__LINE__,
	 {.function = "kernal"},
	 TAKT_NOT_FOUND,
	 0,
	 "error: no function 'kernal' in 'x'\nnote: did you mean 'kernel'?\n"},
	{__LINE__, {.function = "q"}, TAKT_NOT_FOUND, 0, "note: there are 'kernel', 'twin', "},
	{__LINE__, {.section = ".text.cold"}, TAKT_OK, 1, "twin"},
	{__LINE__, {.section = ".tex"}, TAKT_NOT_FOUND, 0, "did you mean '.text'"},
	{__LINE__,
	 {.section = ".symtab"},
	 TAKT_NOT_FOUND,
	 0,
	 "error: no executable section '.symtab' in 'x'"},
	{__LINE__, {.whole = true}, TAKT_OK, 2, "kernel"},
	{__LINE__, {.range_begin = 5, .range_end = 8}, TAKT_OK, 1, "0x5-0x8"},
	{__LINE__,
	 {.range_begin = 0, .range_end = 4},
	 TAKT_BAD_INPUT,
	 0,
	 "error: 0x0-0x4 is in several sections of 'x'\nnote: name one with --section"},
	{__LINE__, {.range_begin = 0, .range_end = 4, .section = ".text"}, TAKT_OK, 1, "0x0-0x4"},
	{__LINE__, {.range_begin = 0, .range_end = 4, .function = "kernel"}, TAKT_OK, 1, "0x0-0x4"},
	{__LINE__,
	 {.range_begin = 5, .range_end = 9},
	 TAKT_BAD_INPUT,
	 0,
	 "error: 0x5-0x9 is not within the code of 'x'\nnote: code to choose from: .text 0x0-0x8, "
	 ".text.cold 0x0-0x5\n"},
	{__LINE__,
	 {.range_begin = UINT64_MAX - 1, .range_end = UINT64_MAX},
	 TAKT_BAD_INPUT,
	 0,
	 "is not within the code of 'x'"},
};

/* Names of C++ are found as people read them; a demangler may be missing. */
static void test_names(void)
{
	static const struct {
		int line;
		const char *symbol, *wanted;
		bool is;
	} calls[] = {
		{__LINE__, "main", "main", true},
		{__LINE__, "main", "mai", false},
		{__LINE__, "_ZN1a1bEi", "_ZN1a1bEi", true},
		{__LINE__, "_ZN1a1bEi", "a::b", true},
		{__LINE__, "_ZN1a1bEi", "a::b(int)", true},
		{__LINE__, "_ZN1a1bEi", "a", false},
		{__LINE__, "_ZN1a1bEi", "int", false},
		{__LINE__, "_ZN1a1bEi", "", false},
		{__LINE__, "_Z3sumIdET_PKS0_i", "sum", true},
		{__LINE__, "_Z3sumIdET_PKS0_i", "sum<double>", true},
		{__LINE__, "_Z3sumIdET_PKS0_i", "sum<float>", false},
		{__LINE__, "double sum<double>(double const*, int)", "sum", true},
		{__LINE__, "f(int)", "f", true},
	};
	struct takt_arena arena = {0};

	is_string(takt_demangle("main", &arena), "main", "no name of C++");
	is_string(takt_demangle("_Znonsense", &arena), "_Znonsense", "nor this");
	if (strcmp(takt_demangle("_ZN1a1bEi", &arena), "_ZN1a1bEi") == 0)
		tap_skip("names of C++", "no C++ library");
	else
		for (size_t i = 0; i < TAKT_COUNT_OF(calls); i++)
			tap_ok_at(__FILE__, calls[i].line,
				  takt_symbol_is_called(calls[i].symbol, calls[i].wanted, &arena) ==
					  calls[i].is,
				  "'%s' and '%s'", calls[i].symbol, calls[i].wanted);
	takt_arena_release(&arena);
}

/* In a compiler's text with demangled names and no directives, each label is a function. */
static void test_demangled_text(void)
{
	static const char two[] = "f(int):\n.L2:\n\tdecl %edi\n\tjne .L2\n\tret\n"
				  "main:\n.L5:\n\tdecl %esi\n\tjne .L5\n\tret\n";
	struct opened opened = open_text(two, (struct takt_code_options){.function = "f"});

	ok(opened.count == 1 && strcmp(region_at(&opened, 0)->name, "f(int)") == 0,
	   "the first of two functions alone");
	close_opened(&opened);
	opened = open_text(two, (struct takt_code_options){.function = "main"});
	is_size(opened.count, 1, "and the second");
	close_opened(&opened);
}

/* So it is in C's, by the compiler's labels; in hand-written text, a label may be a place. */
static void test_plain_text(void)
{
	static const char compilers[] = "leaf:\n\tlea 7(%rdi), %eax\n\tret\n"
					"main:\n.L5:\n\tdecl %esi\n\tjne .L5\n\tret\n";
	static const char hand[] = "f:\n\tdecl %edi\nagain:\n\tdecl %esi\n\tjne again\n\tret\n";
	struct opened opened = open_text(compilers, (struct takt_code_options){.function = "leaf"});

	ok(opened.count == 1 && region_at(&opened, 0)->insns == 2,
	   "a function of C ends at the next one");
	close_opened(&opened);
	opened = open_text(hand, (struct takt_code_options){.function = "f"});
	ok(opened.count == 1 && region_at(&opened, 0)->insns == 2,
	   "the loop behind a label is the function's");
	close_opened(&opened);
}

int main(void)
{
	struct fixture_spec spec = {
		.text = text,
		.text_size = sizeof(text),
		.cold = text,
		.cold_size = 5,
		.symbols = symbols,
		.symbol_count = TAKT_COUNT_OF(symbols),
	};
	struct fixture f;

	fixture_build(&f, &spec);
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct opened opened = open_data(f.data, f.size, rows[i].options);
		bool right = opened.status == rows[i].status && opened.count == rows[i].count;

		if (right && opened.count)
			right = strcmp(region_at(&opened, 0)->name, rows[i].text) == 0;
		else if (right)
			right = says(&opened, rows[i].text);
		tap_ok_at(__FILE__, rows[i].line, right, "status %d, %zu regions, '%s'",
			  (int)opened.status, opened.count,
			  opened.count ? region_at(&opened, 0)->name : "");
		close_opened(&opened);
	}
	test_names();
	test_demangled_text();
	test_plain_text();
	return tap_done();
}
