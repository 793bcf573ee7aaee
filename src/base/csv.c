/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"

#define NUMBER_MAX 40u

static void fail_at(struct csv_reader *reader, const char *at, size_t width, const char *what)
{
	struct takt_place place = {.file = reader->path, .line = reader->lines.number};
	char *excerpt;

	if (reader->failed)
		return;
	reader->failed = true;
	if (reader->line) {
		excerpt = takt_arena_copy(reader->arena, reader->line, reader->line_size);
		place.excerpt = excerpt;
		place.column = at ? (uint32_t)(at - reader->line) + 1 : 1;
		place.width = width ? (uint32_t)width : 1;
	}
	takt_error_at(reader->diag, &place, "%s", what);
}

void takt_csv_fail(struct csv_reader *reader, uint32_t field, const char *what)
{
	fail_at(reader, reader->fields[field].text, reader->fields[field].size, what);
}

static bool next_line(struct csv_reader *reader)
{
	return takt_lines_next(&reader->lines, &reader->line, &reader->line_size);
}

static bool is_line(const struct csv_reader *reader, const char *text)
{
	return reader->line_size == strlen(text) &&
	       memcmp(reader->line, text, reader->line_size) == 0;
}

/* Parse a note: "# name: text". */
static void take_note(struct csv_reader *reader)
{
	char *copy = takt_arena_copy(reader->arena, reader->line + 1, reader->line_size - 1);
	char *name = copy + strspn(copy, " "), *colon = strstr(name, ": ");

	if (!colon || !reader->note)
		return;
	*colon = '\0';
	reader->note(reader->context, name, colon + 2);
}

bool takt_csv_begin(struct csv_reader *reader, const void *data, size_t size_bytes,
		    const char *first, const char *columns)
{
	char *message;

	takt_lines_init(&reader->lines, data, size_bytes);
	if (!next_line(reader) || !is_line(reader, first)) {
		message = takt_arena_printf(reader->arena, "the first line is not '%s'", first);
		fail_at(reader, NULL, 0, message);
		return false;
	}
	while (next_line(reader) && reader->line_size && reader->line[0] == '#')
		take_note(reader);
	if (reader->line && is_line(reader, columns))
		return true;
	message = takt_arena_printf(reader->arena, "the columns are not '%s'", columns);
	fail_at(reader, NULL, 0, message);
	return false;
}

static bool split(struct csv_reader *reader)
{
	const char *next = reader->line, *end = next + reader->line_size;

	reader->field_count = 0;
	for (;;) {
		const char *comma = memchr(next, ',', (size_t)(end - next));
		const char *stop = comma ? comma : end;

		if (reader->field_count == CSV_FIELDS_MAX)
			return false;
		reader->fields[reader->field_count].text = next;
		reader->fields[reader->field_count++].size = (size_t)(stop - next);
		if (!comma)
			return true;
		next = comma + 1;
	}
}

bool takt_csv_next(struct csv_reader *reader)
{
	uint32_t columns = reader->field_count;

	if (reader->failed || !next_line(reader))
		return false;
	if (++reader->rows > CSV_ROWS_MAX) {
		fail_at(reader, NULL, 0, "too many rows");
		return false;
	}
	if (!split(reader) || (columns && reader->field_count != columns)) {
		fail_at(reader, NULL, 0,
			"the number of fields in the row is not the number of columns");
		return false;
	}
	return true;
}

const char *takt_csv_text(struct csv_reader *reader, uint32_t field)
{
	const struct csv_field *f = &reader->fields[field];

	for (size_t i = 0; i < f->size; i++)
		if (!takt_is_print(f->text[i])) {
			takt_csv_fail(reader, field, "not printable");
			return "";
		}
	return takt_arena_copy(reader->arena, f->text, f->size);
}

static bool copy_number(const struct csv_reader *reader, uint32_t field, bool is_signed,
			char number[NUMBER_MAX])
{
	const struct csv_field *f = &reader->fields[field];

	size_t first = f->size && f->text[0] == '-' && is_signed;

	if (f->size <= first || f->size >= NUMBER_MAX || !isdigit((unsigned char)f->text[first]))
		return false;
	memcpy(number, f->text, f->size);
	number[f->size] = '\0';
	return strlen(number) == f->size;
}

double takt_csv_number(struct csv_reader *reader, uint32_t field)
{
	char number[NUMBER_MAX], *end = number;
	double value = 0;

	if (copy_number(reader, field, true, number))
		value = takt_strtod(number, &end);
	if (end != number && *end == '\0' && isfinite(value))
		return value;
	takt_csv_fail(reader, field, "not a number");
	return 0;
}

uint64_t takt_csv_integer(struct csv_reader *reader, uint32_t field, uint64_t most)
{
	char number[NUMBER_MAX], *end = number;
	unsigned long long value = 0;

	if (copy_number(reader, field, false, number))
		value = strtoull(number, &end, 10);
	if (end != number && *end == '\0' && value <= most)
		return value;
	takt_csv_fail(reader, field, "not an integer in the range allowed here");
	return 0;
}

uint32_t takt_csv_word(struct csv_reader *reader, uint32_t field, const char *const *words,
		       uint32_t count)
{
	const struct csv_field *f = &reader->fields[field];

	for (uint32_t i = 0; i < count; i++)
		if (strlen(words[i]) == f->size && memcmp(words[i], f->text, f->size) == 0)
			return i;
	takt_csv_fail(reader, field, "not a word that is allowed here");
	return 0;
}
