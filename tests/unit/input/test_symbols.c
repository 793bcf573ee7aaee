/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#define FUNCTION ELF64_ST_INFO(STB_LOCAL, STT_FUNC)
#define GLOBAL_FUNCTION ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)
#define LABEL ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE)
#define GLOBAL_LABEL ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE)

static const unsigned char text[64] = {0xc3};
static const struct fixture_symbol symbols[] = {
	{"sized", 0, 8, GLOBAL_FUNCTION, FX_TEXT},
	{"open", 8, 0, FUNCTION, FX_TEXT},
	{"inside", 12, 0, LABEL, FX_TEXT},
	{"entry", 32, 0, GLOBAL_LABEL, FX_TEXT},
	{"loop", 40, 0, LABEL, FX_TEXT},
	{".L5", 41, 0, LABEL, FX_TEXT},
	{"sized_alias", 0, 8, FUNCTION, FX_TEXT},
	{"huge", 8, UINT64_MAX, FUNCTION, FX_COLD},
	{"outside", 64, 4, FUNCTION, FX_TEXT},
	{"data", 0, 4, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), FX_TEXT},
	{"undefined", 0, 0, GLOBAL_LABEL, 0},
	{"beyond", 0, 0, FUNCTION, 200},
};

struct row {
	int line;
	uint32_t section;
	uint64_t address;
	const char *name; /* NULL: no symbol */
	uint64_t begin, size;
};

static const struct row rows[] = {
	{__LINE__, 0, 0, "sized", 0, 8},
	{__LINE__, 0, 7, "sized", 0, 8},
	{__LINE__, 0, 8, "open", 8, 24},  /* to the next global symbol */
	{__LINE__, 0, 20, "open", 8, 24}, /* a label inside is no function */
	{__LINE__, 0, 32, "entry", 32, 32},
	{__LINE__, 0, 45, "entry", 32, 32}, /* global before local */
	{__LINE__, 1, 0, NULL, 0, 0},
	{__LINE__, 1, 63, "huge", 8, 56}, /* cut to the section */
};

static void test_around(const struct takt_image *image)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		const struct row *row = &rows[i];
		const struct takt_symbol *symbol =
			takt_symbol_around(image, row->section, row->address);

		tap_ok_at(__FILE__, row->line,
			  row->name ? symbol && strcmp(symbol->name, row->name) == 0 &&
					      symbol->address == row->begin &&
					      symbol->size_bytes == row->size
				    : !symbol,
			  "around %llu: %s", (unsigned long long)row->address,
			  symbol ? symbol->name : "none");
	}
}

int main(void)
{
	struct fixture_spec spec = {
		.text = text,
		.text_size = sizeof(text),
		.cold = text,
		.cold_size = sizeof(text),
		.symbols = symbols,
		.symbol_count = TAKT_COUNT_OF(symbols),
	};
	struct opened opened;
	struct fixture f;

	fixture_build(&f, &spec);
	opened = open_data(f.data, f.size, (struct takt_code_options){.whole = true});
	is_int(opened.status, TAKT_OK, "opens");
	is_size(opened.code->image.symbol_count, 7, "functions and labels of executable sections");
	test_around(&opened.code->image);
	is_size(takt_symbol_after(&opened.code->image, 0, 33), 5, "first symbol after an address");
	is_size(takt_symbol_after(&opened.code->image, 2, 0), 7, "none after the last section");
	is_int(takt_section_find(&opened.code->image, FX_COLD), 1, "section by index");
	is_int(takt_section_find(&opened.code->image, FX_SYMTAB), 2, "no such section");
	close_opened(&opened);
	return tap_done();
}
