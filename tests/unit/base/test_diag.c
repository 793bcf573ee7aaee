/* SPDX-License-Identifier: MIT */
#include "../tap.h"
#include "base/base.h"

static void test_place(struct takt_diag *diag)
{
	struct takt_place place = {.file = "skl.core",
				   .line = 2,
				   .column = 10,
				   .width = 3,
				   .excerpt = "\tports: [p9x]\nnext"};

	takt_error_at(diag, &place, "unknown port '%s'", "p9x");
	takt_note(diag, "ports are p0 to p7");
	is_string(takt_diag_text(diag),
		  "skl.core:2:10: error: unknown port 'p9x'\n"
		  "    2 | \tports: [p9x]\n"
		  "      | \t        ^~~\n"
		  "note: ports are p0 to p7\n",
		  "text place");
	takt_diag_clear(diag);
}

static void test_bytes(struct takt_diag *diag)
{
	static const uint8_t row[] = {0x48, 0x89, 0xc3, 0x06};
	struct takt_bytes_place place = {.file = "a.out",
					 .section = ".text",
					 .offset = 0x43,
					 .row = row,
					 .row_size_bytes = 4,
					 .row_index = 3};

	takt_error_in_bytes(diag, &place, "byte 0x06 starts no instruction");
	is_string(takt_diag_text(diag),
		  "a.out:.text+0x43: error: byte 0x06 starts no instruction\n"
		  "      0x40 | 48 89 c3 06\n"
		  "           |          ^~\n",
		  "bytes place");
	takt_diag_clear(diag);
}

static void test_limit(struct takt_diag *diag)
{
	size_t size;

	for (int i = 0; i < 50; i++)
		takt_error(diag, "e");
	size = strlen(takt_diag_text(diag));
	for (int i = 0; i < 500; i++) {
		takt_error(diag, "e");
		takt_note(diag, "n");
	}
	ok(strlen(takt_diag_text(diag)) < size + 60, "errors beyond the limit are not kept");
	is_int((long long)takt_diag_error_count(diag), 550, "but counted");
	takt_diag_clear(diag);
	takt_error(NULL, "nobody listens");
}

static void test_nearest(void)
{
	static const char *const names[] = {"skylake", "skx", "skl", "haswell", "znver3"};
	struct takt_text text = {0};

	is_int((long long)takt_nearest_names("sklx", names, TAKT_COUNT_OF(names), 3, &text), 2,
	       "count");
	is_string(takt_text_data(&text), "'skl' or 'skx'", "nearest first");
	takt_text_clear(&text);
	is_int((long long)takt_nearest_names("Has", names, TAKT_COUNT_OF(names), 3, &text), 1,
	       "prefix");
	takt_text_clear(&text);
	is_int((long long)takt_nearest_names("slk", names, TAKT_COUNT_OF(names), 1, &text), 1,
	       "a swap is one edit");
	is_string(takt_text_data(&text), "'skl'", "so this is nearest");
	takt_text_clear(&text);
	is_int((long long)takt_nearest_names("quux", names, TAKT_COUNT_OF(names), 3, &text), 0,
	       "none");
	takt_text_release(&text);
}

int main(void)
{
	struct takt_diag *diag = takt_diag_new();

	test_place(diag);
	test_bytes(diag);
	test_limit(diag);
	test_nearest();
	takt_diag_free(diag);
	is_string(takt_status_text(TAKT_OK), "fine", "status");
	return tap_done();
}
