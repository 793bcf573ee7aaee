/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "import_fixture.h"

static void check_lines(void)
{
	static const char text[] = "one\n\r\ntwo\r\n\nlast";
	static const char *const wanted[] = {"one", "", "two", "", "last"};
	struct fixture_file file = fixture_file(text, sizeof(text) - 1);
	struct import_lines lines;

	if (!ok(takt_import_lines_open(&lines, file.path, NULL) == TAKT_OK, "opened"))
		return;
	ok(takt_import_lines_peek(&lines) == TAKT_OK && lines.end == sizeof(text) - 1, "peeked");
	for (unsigned i = 0; i < TAKT_COUNT_OF(wanted); i++)
		ok(takt_import_lines_next(&lines) == TAKT_OK && lines.line &&
			   lines.size == strlen(wanted[i]) &&
			   memcmp(lines.line, wanted[i], lines.size) == 0 && lines.number == i + 1,
		   "line %u", i + 1);
	ok(takt_import_lines_next(&lines) == TAKT_OK && !lines.line, "the end");
	ok(takt_import_lines_next(&lines) == TAKT_OK && !lines.line, "still the end");
	takt_import_lines_close(&lines);
	close(file.descriptor);
}

/* More than the buffer holds, and the longest line that may be, and one longer. */
static void check_long(void)
{
	size_t size = 5 * IMPORT_LINE_BYTES_MAX, count = 0, sum = 0;
	char *text = malloc(size);
	struct fixture_file file;
	struct import_lines lines;
	enum takt_status status;

	memset(text, 'x', size);
	for (size_t at = 1000; at < size - 2 * IMPORT_LINE_BYTES_MAX; at += 1000)
		text[at] = '\n';
	text[size - IMPORT_LINE_BYTES_MAX - 1] = '\n';
	file = fixture_file(text, size);
	if (!ok(takt_import_lines_open(&lines, file.path, NULL) == TAKT_OK, "opened"))
		return;
	while ((status = takt_import_lines_next(&lines)) == TAKT_OK && lines.line) {
		count++;
		sum += lines.size + 1;
	}
	ok(status == TAKT_BAD_INPUT, "a line that is too long");
	is_int((long long)count, (long long)((size - 2 * IMPORT_LINE_BYTES_MAX - 1) / 1000),
	       "lines before it");
	ok(sum < size, "not all");
	takt_import_lines_close(&lines);
	close(file.descriptor);
	free(text);
}

static void check_numbers(void)
{
	static const struct {
		int line;
		const char *text;
		bool hex, fine;
		uint64_t number;
		size_t at;
	} rows[] = {
		{__LINE__, "0x10,", true, true, 16, 4},
		{__LINE__, "ffffffffffffffff", true, true, UINT64_MAX, 16},
		{__LINE__, "10000000000000000", true, false, 0, 0},
		{__LINE__, "0x", true, true, 0, 1},
		{__LINE__, "x", true, false, 0, 0},
		{__LINE__, "", true, false, 0, 0},
		{__LINE__, "18446744073709551615", false, false, 0, 0},
		{__LINE__, "1844674407370955161", false, true, 1844674407370955161, 19},
		{__LINE__, "12a", false, true, 12, 2},
		{__LINE__, "-1", false, false, 0, 0},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct import_lines lines = {.line = rows[i].text, .size = strlen(rows[i].text)};
		uint64_t number = 0;
		bool fine = rows[i].hex ? takt_import_hex(&lines, &number)
					: takt_import_decimal(&lines, &number);

		ok(fine == rows[i].fine && number == rows[i].number && lines.at == rows[i].at,
		   "row %d: %d %llu, to %zu", rows[i].line, fine, (unsigned long long)number,
		   lines.at);
	}
}

int main(void)
{
	struct import_lines lines;

	check_lines();
	check_long();
	check_numbers();
	ok(takt_import_lines_open(&lines, "/nonexistent", NULL) == TAKT_BAD_INPUT, "no file");
	return tap_done();
}
