/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "../tap.h"
#include "base/base.h"

static const char file[] =
	"\n# nothing\ntakt thing 1\r\n  two words \t# and this\n\n17 rest of it ";

static void check_words(struct takt_arena *arena)
{
	struct takt_reader reader;
	uint32_t number = 0;

	takt_reader_init(&reader, "f", file, strlen(file), arena, NULL);
	ok(takt_reader_header(&reader, "thing"), "header, behind blank lines and comments");
	ok(takt_reader_line(&reader), "a line");
	is_string(takt_word_copy(&reader, takt_reader_word(&reader)), "two", "a word");
	is_string(takt_word_copy(&reader, takt_reader_word(&reader)), "words", "the next one");
	is_int((long long)takt_reader_word(&reader).size, 0, "no more");
	ok(takt_reader_line(&reader) && reader.lines.number == 6, "a line, its number");
	ok(takt_word_number(takt_reader_word(&reader), 17, &number) && number == 17, "a number");
	is_string(takt_word_copy(&reader, takt_reader_rest(&reader)), "rest of it", "the rest");
	ok(!takt_reader_line(&reader) && !takt_reader_rest(&reader).size, "the end");
	is_int((long long)reader.error_count, 0, "no errors");
}

static void check_kinds(void)
{
	uint32_t number = 5;

	ok(takt_word_is_name((struct takt_word){"a-B.9", 5}, "-."), "a name");
	ok(!takt_word_is_name((struct takt_word){"a-B.9", 5}, "-"), "no name");
	ok(!takt_word_is_name((struct takt_word){"", 0}, "-"), "nothing is none");
	ok(!takt_word_number((struct takt_word){"18", 2}, 17, &number) &&
		   !takt_word_number((struct takt_word){"1x", 2}, 17, &number) &&
		   !takt_word_number((struct takt_word){"00000000001", 11}, 17, &number) &&
		   number == 5,
	   "no numbers");
}

static const struct {
	int line;
	const char *file, *message;
} headers[] = {
	{__LINE__, "", "f: error: empty file\nnote: its first line must be 'takt thing 1'\n"},
	{__LINE__, "takt other 1\n",
	 "f:1:1: error: not of the format 'takt thing'\n    1 | takt other 1\n      | ^~~~\n"
	 "note: its first line must be 'takt thing 1'\n"},
	{__LINE__, "takt thing 2\n",
	 "f:1:12: error: unknown format version '2'\n    1 | takt thing 2\n"
	 "      |            ^\nnote: this takt reads version 1\n"},
};

int main(void)
{
	struct takt_arena arena = {0};

	check_words(&arena);
	check_kinds();
	for (size_t i = 0; i < TAKT_COUNT_OF(headers); i++) {
		struct takt_diag *diag = takt_diag_new();
		struct takt_reader reader;

		takt_reader_init(&reader, "f", headers[i].file, strlen(headers[i].file), &arena,
				 diag);
		tap_ok_at(__FILE__, headers[i].line, !takt_reader_header(&reader, "thing"),
			  "refused");
		tap_is_string(__FILE__, headers[i].line, takt_diag_text(diag), headers[i].message,
			      "message");
		takt_diag_free(diag);
	}
	takt_arena_release(&arena);
	return tap_done();
}
