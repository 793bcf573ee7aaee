/* SPDX-License-Identifier: MIT */
/*
 * Reader of data files that people write, line by line and word by word; errors point at the
 * offending word.
 */
#include <string.h>

#include "base/base.h"

void takt_reader_init(struct takt_reader *reader, const char *path, const void *data,
		      size_t size_bytes, struct takt_arena *arena, struct takt_diag *diag)
{
	*reader = (struct takt_reader){.arena = arena, .diag = diag, .path = path, .line = ""};
	takt_lines_init(&reader->lines, data, size_bytes);
}

bool takt_reader_line(struct takt_reader *reader)
{
	while (takt_lines_next(&reader->lines, &reader->line, &reader->size)) {
		const char *comment = memchr(reader->line, '#', reader->size);

		if (comment)
			reader->size = (size_t)(comment - reader->line);
		reader->size = takt_trimmed_size(reader->line, reader->size);
		reader->at = 0;
		while (reader->at < reader->size && takt_is_line_blank(reader->line[reader->at]))
			reader->at++;
		if (reader->at < reader->size)
			return true;
	}
	reader->line = "";
	reader->size = reader->at = 0;
	return false;
}

struct takt_word takt_reader_word(struct takt_reader *reader)
{
	size_t start;

	while (reader->at < reader->size && takt_is_line_blank(reader->line[reader->at]))
		reader->at++;
	start = reader->at;
	while (reader->at < reader->size && !takt_is_line_blank(reader->line[reader->at]))
		reader->at++;
	return (struct takt_word){reader->line + start, reader->at - start};
}

struct takt_word takt_reader_rest(struct takt_reader *reader)
{
	size_t start = reader->at;

	while (start < reader->size && takt_is_line_blank(reader->line[start]))
		start++;
	reader->at = reader->size;
	return (struct takt_word){reader->line + start, reader->size - start};
}

char *takt_word_copy(struct takt_reader *reader, struct takt_word word)
{
	return takt_arena_copy(reader->arena, word.data, word.size);
}

bool takt_word_is(struct takt_word word, const char *text)
{
	return takt_string_is(text, word.data, word.size);
}

bool takt_word_number(struct takt_word word, uint32_t most, uint32_t *ret_number)
{
	uint64_t number = 0;

	if (word.size == 0 || word.size > 10)
		return false;
	for (size_t i = 0; i < word.size; i++) {
		if (word.data[i] < '0' || word.data[i] > '9')
			return false;
		number = number * 10 + (uint64_t)(word.data[i] - '0');
	}
	if (number > most)
		return false;
	*ret_number = (uint32_t)number;
	return true;
}

bool takt_reader_error(struct takt_reader *reader, struct takt_word word, const char *format, ...)
{
	/* The line without its comment is inside the file; the copy ends it with NUL. */
	struct takt_place place = {
		.file = reader->path,
		.line = reader->lines.number,
		.column = word.data ? (uint32_t)(word.data - reader->line) + 1 : 0,
		.width = word.size ? (uint32_t)word.size : 1,
		.excerpt = takt_arena_copy(reader->arena, reader->line, reader->size),
	};
	va_list args;

	reader->error_count++;
	va_start(args, format);
	takt_verror_at(reader->diag, &place, format, args);
	va_end(args);
	return false;
}

bool takt_reader_header(struct takt_reader *reader, const char *kind)
{
	struct takt_word word, name;

	if (!takt_reader_line(reader)) {
		takt_reader_error(reader, (struct takt_word){0}, "empty file");
		takt_note(reader->diag, "its first line must be 'takt %s 1'", kind);
		return false;
	}
	word = takt_reader_word(reader);
	name = takt_reader_word(reader);
	if (!takt_word_is(word, "takt") || !takt_word_is(name, kind)) {
		takt_reader_error(reader, word, "not of the format 'takt %s'", kind);
		takt_note(reader->diag, "its first line must be 'takt %s 1'", kind);
		return false;
	}
	word = takt_reader_word(reader);
	if (!takt_word_is(word, "1")) {
		takt_reader_error(reader, word, "unknown format version '%.*s'",
				  TAKT_PRINTED(word));
		takt_note(reader->diag, "this takt reads version 1");
		return false;
	}
	return true;
}

bool takt_word_is_name(struct takt_word word, const char *others)
{
	for (size_t i = 0; i < word.size; i++) {
		char c = word.data[i];

		if (!(takt_is_alnum(c) || (c && strchr(others, c))))
			return false;
	}
	return word.size > 0;
}
