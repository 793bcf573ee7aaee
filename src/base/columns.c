/* SPDX-License-Identifier: MIT */
/* Writes tables of declared records as text. */
#include "base/columns.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

const char *takt_text_grouped(uint64_t number, char buffer[TAKT_GROUPED_SIZE])
{
	char *next = buffer + TAKT_GROUPED_SIZE - 1;
	unsigned digits = 0;

	*next = '\0';
	do {
		if (digits && digits % 3 == 0)
			*--next = ',';
		*--next = (char)('0' + number % 10);
		number /= 10;
		digits++;
	} while (number);
	return next;
}

static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

uint32_t takt_text_width(const char *string)
{
	uint32_t width = 0;

	for (; *string; string++)
		width += !continues(*string);
	return width;
}

uint32_t takt_text_clean(struct takt_text *text, const char *string, uint32_t columns)
{
	uint32_t width = takt_text_width(string), used = 0;
	bool cut = width > columns;

	for (; *string; string++) {
		bool control = (unsigned char)*string < ' ' || *string == 0x7f;

		if (!continues(*string) && cut && used + 1 >= columns)
			break;
		used += !continues(*string);
		takt_text_add(text, *string == '\t' ? " " : control ? "?" : string, 1);
	}
	if (cut && columns)
		takt_text_add_string(text, "…");
	return cut ? columns : width;
}

static void write_cell(const struct takt_column *column, const char *string, struct takt_text *text)
{
	uint32_t cut = column->most ? column->most : UINT32_MAX;
	uint32_t width = takt_text_width(string), least = (uint32_t)abs(column->width);
	uint32_t blanks = width < least ? least - width : 0;

	takt_text_pad(text, ' ', column->gap + (column->width > 0 ? blanks : 0));
	takt_text_clean(text, string, cut);
	takt_text_pad(text, ' ', column->width < 0 ? blanks : 0);
}

/* End a line, without the blanks at its end. */
static void end_line(struct takt_text *text)
{
	while (text->size_bytes && text->data[text->size_bytes - 1] == ' ')
		text->size_bytes--;
	takt_text_add_string(text, "\n");
}

static void write_value(const struct takt_column *column, const struct takt_value *value,
			struct takt_text *cell)
{
	char grouped[TAKT_GROUPED_SIZE];

	switch (value->kind) {
	case TAKT_VALUE_NULL:
		takt_text_add_string(cell, column->null ? column->null : "");
		break;
	case TAKT_VALUE_STRING:
		takt_text_add_string(cell, value->string);
		break;
	case TAKT_VALUE_BOOL:
		takt_text_add_string(cell, value->boolean ? "yes" : "no");
		break;
	case TAKT_VALUE_INTEGER:
		if (column->grouped)
			takt_text_add_string(cell,
					     takt_text_grouped((uint64_t)value->integer, grouped));
		else
			takt_text_printf(cell, "%" PRId64, value->integer);
		break;
	case TAKT_VALUE_NUMBER:
		if (value->number == 0 && column->zero)
			takt_text_add_string(cell, column->zero);
		else
			takt_text_printf(cell, column->format ? column->format : "%.6g",
					 value->number);
		break;
	}
}

void takt_columns_write_head(const struct takt_column *columns, size_t count,
			     struct takt_text *text)
{
	for (size_t i = 0; i < count; i++)
		write_cell(&columns[i], columns[i].head, text);
	end_line(text);
}

static void write_row(const struct takt_column *columns, size_t count,
		      const struct takt_record *record, const void *row, const void *root,
		      struct takt_text *text)
{
	struct takt_text scratch = {0}, cell = {0};
	const struct takt_view view = {.root = root, .scratch = &scratch};

	for (size_t i = 0; i < count; i++) {
		void *data;
		const struct takt_field *field =
			takt_record_find(record, columns[i].key, (void *)(uintptr_t)row, &data);
		struct takt_value value;

		assert(field);
		value = takt_field_value(&view, field, data);
		takt_text_clear(&cell);
		write_value(&columns[i], &value, &cell);
		write_cell(&columns[i], takt_text_data(&cell), text);
	}
	end_line(text);
	takt_text_release(&cell);
	takt_text_release(&scratch);
}

void takt_columns_write_row(const struct takt_column *columns, size_t count,
			    const struct takt_record *record, const void *row,
			    struct takt_text *text)
{
	write_row(columns, count, record, row, row, text);
}

void takt_columns_write(const struct takt_column *columns, size_t count,
			const struct takt_table_rows *rows, struct takt_text *text)
{
	const char *row = rows->first;

	takt_columns_write_head(columns, count, text);
	for (size_t i = 0; i < rows->count; i++, row += rows->size_bytes)
		write_row(columns, count, rows->record, row, rows->first, text);
}
