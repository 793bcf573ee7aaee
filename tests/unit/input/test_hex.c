/* SPDX-License-Identifier: MIT */
#include "fixture.h"

struct row {
	int line;
	const char *text;
	size_t count; /* of bytes; 0 means an error */
	const char *bytes_or_error;
};

static const struct row rows[] = {
	{__LINE__, "4801d8", 3, "\x48\x01\xd8"},
	{__LINE__, "48 01 D8\n0f af\tc0\n", 6, "\x48\x01\xd8\x0f\xaf\xc0"},
	{__LINE__, "0x48, 0x01,0xd8", 3, "\x48\x01\xd8"},
	{__LINE__, "0X4801 d8\r\n", 3, "\x48\x01\xd8"},
	{__LINE__, "", 0, "no hexadecimal digits in 'x'"},
	{__LINE__, " \n, \n", 0, "no hexadecimal digits in 'x'"},
	{__LINE__, "48\n01 d\n", 0, "x:2:4: error: odd number of digits\n    2 | 01 d\n"},
	{__LINE__, "48 0x", 0, "x:1:4: error: no digits after '0x'"},
	{__LINE__, "48 0g 01", 0,
	 "x:1:5: error: not a hexadecimal digit\n    1 | 48 0g 01\n"
	 "      |     ^\n"},
	{__LINE__, "\xff\xfe", 0, "not a hexadecimal digit"},
};

static void check(const struct row *row)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_arena arena = {0};
	uint8_t *bytes = NULL;
	size_t count = 0;
	enum takt_status status = takt_hex_read((struct takt_word){row->text, strlen(row->text)},
						"x", &arena, diag, &bytes, &count);

	if (row->count)
		tap_ok_at(__FILE__, row->line,
			  !status && count == row->count &&
				  memcmp(bytes, row->bytes_or_error, count) == 0,
			  "%zu bytes", row->count);
	else
		tap_ok_at(__FILE__, row->line,
			  status == TAKT_BAD_INPUT && !bytes &&
				  strstr(takt_diag_text(diag), row->bytes_or_error) != NULL,
			  "error");
	takt_arena_release(&arena);
	takt_diag_free(diag);
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check(&rows[i]);
	return tap_done();
}
