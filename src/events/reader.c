/* SPDX-License-Identifier: MIT */
#include "events/reader.h"

#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

void takt_events_reader_init(struct events_reader *reader, const struct events_text *text,
			     struct takt_arena *arena, struct takt_diag *diag)
{
	*reader = (struct events_reader){
		.arena = arena, .diag = diag, .path = text->path, .line = ""};
	takt_lines_init(&reader->lines, text->text, text->size_bytes);
}

bool takt_events_reader_line(struct events_reader *reader)
{
	while (takt_lines_next(&reader->lines, &reader->line, &reader->size)) {
		const char *comment = memchr(reader->line, '#', reader->size);

		if (comment)
			reader->size = (size_t)(comment - reader->line);
		while (reader->size && is_blank(reader->line[reader->size - 1]))
			reader->size--;
		reader->at = 0;
		if (reader->size)
			return true;
	}
	reader->line = "";
	reader->size = reader->at = 0;
	return false;
}

struct events_word takt_events_reader_rest(struct events_reader *reader)
{
	size_t start = reader->at;

	while (start < reader->size && is_blank(reader->line[start]))
		start++;
	reader->at = reader->size;
	return (struct events_word){reader->line + start, reader->size - start};
}

struct events_word takt_events_reader_word(struct events_reader *reader)
{
	struct events_word word = takt_events_reader_rest(reader);
	size_t size = 0;

	while (size < word.size && !is_blank(word.data[size]))
		size++;
	reader->at = (size_t)(word.data - reader->line) + size;
	return (struct events_word){word.data, size};
}

bool takt_events_reader_header(struct events_reader *reader, const char *kind)
{
	struct events_word word = {0};

	if (takt_events_reader_line(reader)) {
		word = takt_events_reader_rest(reader);
		if (word.size == strlen(kind) + 7 && memcmp(word.data, "takt ", 5) == 0 &&
		    memcmp(word.data + 5, kind, strlen(kind)) == 0 &&
		    memcmp(word.data + word.size - 2, " 1", 2) == 0)
			return true;
	}
	takt_events_reader_error(reader, word, "not a file of %s", kind);
	takt_note(reader->diag, "its first line must be 'takt %s 1'", kind);
	return false;
}

bool takt_events_reader_error(struct events_reader *reader, struct events_word word,
			      const char *format, ...)
{
	struct takt_place place = {
		.file = reader->path,
		.line = reader->lines.number,
		.column = word.data ? (uint32_t)(word.data - reader->line) + 1 : 0,
		.width = word.size ? (uint32_t)word.size : 1,
		.excerpt = takt_arena_copy(reader->arena, reader->line, reader->size),
	};
	struct takt_text message;
	va_list args;

	reader->error_count++;
	takt_text_init(&message);
	va_start(args, format);
	takt_text_vprintf(&message, format, args);
	va_end(args);
	takt_error_at(reader->diag, &place, "%s", takt_text_data(&message));
	takt_text_release(&message);
	return false;
}

char *takt_events_word_copy(struct events_reader *reader, struct events_word word)
{
	return takt_arena_copy(reader->arena, word.data, word.size);
}

bool takt_events_word_is(struct events_word word, const char *text)
{
	return strlen(text) == word.size && memcmp(word.data, text, word.size) == 0;
}

bool takt_events_word_is_name(struct events_word word, const char *others)
{
	for (size_t i = 0; i < word.size; i++) {
		char c = word.data[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      (c && strchr(others, c))))
			return false;
	}
	return word.size > 0;
}
