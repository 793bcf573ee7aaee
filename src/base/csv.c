/* SPDX-License-Identifier: MIT */
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

static void fail_field(struct csv_reader *reader, uint32_t field, const char *what)
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
		    const char *first, const struct takt_record *record)
{
	struct takt_text columns = {0};
	char *message;
	bool found;

	reader->record = record;
	takt_lines_init(&reader->lines, data, size_bytes);
	if (!next_line(reader) || !is_line(reader, first)) {
		message = takt_arena_printf(reader->arena, "the first line is not '%s'", first);
		fail_at(reader, NULL, 0, message);
		return false;
	}
	while (next_line(reader) && reader->line_size && reader->line[0] == '#')
		take_note(reader);
	takt_record_write_csv_header(record, &columns);
	columns.data[columns.size_bytes - 1] = '\0'; /* without its newline */
	found = reader->line && is_line(reader, columns.data);
	if (!found) {
		message =
			takt_arena_printf(reader->arena, "the columns are not '%s'", columns.data);
		fail_at(reader, NULL, 0, message);
	}
	for (const char *c = columns.data; found && *c; c++)
		reader->column_count += *c == ',';
	reader->column_count++;
	takt_text_release(&columns);
	return found;
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
	if (reader->failed || !next_line(reader))
		return false;
	if (++reader->rows > CSV_ROWS_MAX) {
		fail_at(reader, NULL, 0, "too many rows");
		return false;
	}
	if (!split(reader) || reader->field_count != reader->column_count) {
		fail_at(reader, NULL, 0,
			"the number of fields in the row is not the number of columns");
		return false;
	}
	return true;
}

static const char *read_text(struct csv_reader *reader, uint32_t field)
{
	const struct csv_field *f = &reader->fields[field];

	for (size_t i = 0; i < f->size; i++)
		if (!takt_is_print(f->text[i])) {
			fail_field(reader, field, "not printable");
			return "";
		}
	return takt_arena_copy(reader->arena, f->text, f->size);
}

static bool copy_number(const struct csv_reader *reader, uint32_t field, bool is_signed,
			char number[NUMBER_MAX])
{
	const struct csv_field *f = &reader->fields[field];

	size_t first = f->size && f->text[0] == '-' && is_signed;

	if (f->size <= first || f->size >= NUMBER_MAX || !takt_is_digit(f->text[first]))
		return false;
	memcpy(number, f->text, f->size);
	number[f->size] = '\0';
	return strlen(number) == f->size;
}

static double read_number(struct csv_reader *reader, uint32_t field)
{
	char number[NUMBER_MAX], *end = number;
	double value = 0;

	if (copy_number(reader, field, true, number))
		value = takt_strtod(number, &end);
	if (end != number && *end == '\0' && isfinite(value))
		return value;
	fail_field(reader, field, "not a number");
	return 0;
}

/* Read an integer up to `most`, which is at most what a record can write again: INT64_MAX. */
static uint64_t read_integer(struct csv_reader *reader, uint32_t field, uint64_t most)
{
	char number[NUMBER_MAX], *end = number;
	unsigned long long value = 0;

	if (copy_number(reader, field, false, number))
		value = strtoull(number, &end, 10);
	if (end != number && *end == '\0' && value <= most)
		return value;
	fail_field(reader, field, "not an integer in the range allowed here");
	return 0;
}

static uint32_t read_word(struct csv_reader *reader, uint32_t column,
			  const struct takt_field *field)
{
	const struct csv_field *f = &reader->fields[column];

	for (uint32_t i = 0; i < field->word_count; i++)
		if (takt_string_is(field->word(i), f->text, f->size))
			return field->flags & TAKT_ONE_BIT ? 1u << i : i;
	fail_field(reader, column, "not a word that is allowed here");
	return 0;
}

static void read_field(struct csv_reader *reader, uint32_t column, const struct takt_field *field,
		       void *place)
{
	uint64_t integer;

	if (field->word) {
		*(uint32_t *)place = read_word(reader, column, field);
	} else if (field->type == TAKT_FIELD_STRING) {
		*(const char **)place = read_text(reader, column);
	} else if (field->type == TAKT_FIELD_DOUBLE) {
		if (reader->fields[column].size || !(field->flags & TAKT_NULLABLE))
			*(double *)place = read_number(reader, column);
	} else {
		integer = read_integer(reader, column,
				       field->type == TAKT_FIELD_UINT32 ? UINT32_MAX : INT64_MAX);
		if (field->type == TAKT_FIELD_UINT32)
			*(uint32_t *)place = (uint32_t)integer;
		else
			*(uint64_t *)place = integer;
	}
}

void takt_csv_read(struct csv_reader *reader, void *data)
{
	uint32_t column = 0;

	for (uint32_t i = 0; i < reader->record->field_count; i++) {
		const struct takt_field *field = &reader->record->fields[i];

		if (!(field->flags & TAKT_NO_CSV))
			read_field(reader, column++, field, (char *)data + field->offset);
	}
}

void takt_csv_fail(struct csv_reader *reader, const char *key, const char *what)
{
	uint32_t column = 0;

	for (uint32_t i = 0; i < reader->record->field_count; i++) {
		const struct takt_field *field = &reader->record->fields[i];

		if (field->flags & TAKT_NO_CSV)
			continue;
		if (strcmp(field->key, key) == 0)
			fail_field(reader, column, what);
		column++;
	}
}
