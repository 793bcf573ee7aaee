/* SPDX-License-Identifier: MIT */
/* Diagnostics: messages with position, excerpt, caret and remedy. */
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"

#define ERRORS_KEPT_MAX 50u
#define EXCERPT_COLUMNS_MAX 200u
#define BYTES_PER_ROW 16u

struct takt_diag {
	struct takt_text text;
	size_t error_count;
	bool muted; /* the last error was beyond the limit, so its notes are dropped, too */
};

const char *takt_version(void)
{
	return TAKT_VERSION;
}

const char *takt_status_text(enum takt_status status)
{
	static const char *const texts[] = {
#define X(name, text) text,
		TAKT_STATUS_LIST(X)
#undef X
	};

	return (unsigned)status < TAKT_STATUS_COUNT ? texts[status] : "unknown status";
}

const char *takt_origin_word(enum takt_origin origin)
{
	static const char *const words[] = {
#define X(name, word, text) word,
		TAKT_ORIGIN_LIST(X)
#undef X
	};

	return (unsigned)origin < TAKT_ORIGIN_COUNT ? words[origin] : "unknown";
}

struct takt_diag *takt_diag_new(void)
{
	return takt_xcalloc(1, sizeof(struct takt_diag));
}

void takt_diag_free(struct takt_diag *diag)
{
	if (!diag)
		return;
	takt_text_release(&diag->text);
	free(diag);
}

const char *takt_diag_text(struct takt_diag *diag)
{
	return takt_text_data(&diag->text);
}

size_t takt_diag_error_count(const struct takt_diag *diag)
{
	return diag->error_count;
}

void takt_diag_clear(struct takt_diag *diag)
{
	takt_text_clear(&diag->text);
	diag->error_count = 0;
	diag->muted = false;
}

/* Count an error; false if it is beyond the limit and must not be written. */
static bool count_error(struct takt_diag *diag)
{
	diag->error_count++;
	diag->muted = diag->error_count > ERRORS_KEPT_MAX;
	if (diag->error_count == ERRORS_KEPT_MAX + 1)
		takt_text_printf(&diag->text, "note: further errors are not shown\n");
	return !diag->muted;
}

static void write_place(struct takt_text *text, const struct takt_place *place)
{
	if (place->file)
		takt_text_printf(text, "%s:", place->file);
	if (place->line)
		takt_text_printf(text, "%u:", place->line);
	if (place->line && place->column)
		takt_text_printf(text, "%u:", place->column);
	if (text->size_bytes && text->data[text->size_bytes - 1] == ':')
		takt_text_add_string(text, " ");
}

static uint32_t excerpt_length(const char *excerpt)
{
	uint32_t length = 0;

	while (excerpt[length] && excerpt[length] != '\n' && excerpt[length] != '\r' &&
	       length < EXCERPT_COLUMNS_MAX)
		length++;
	return length;
}

/*
 * Append the source line and a row with a caret below it:
 *     2 | the line as it stands
 *       |     ^~~~
 * Tabs of the line are repeated in the caret row, so that both align.
 */
static void write_excerpt(struct takt_text *text, const struct takt_place *place)
{
	uint32_t length, caret, width;

	if (!place->excerpt || !place->line)
		return;
	length = excerpt_length(place->excerpt);
	takt_text_printf(text, "%5u | ", place->line);
	for (uint32_t i = 0; i < length; i++) {
		char c = place->excerpt[i];

		takt_text_add(text, (unsigned char)c < ' ' && c != '\t' ? "?" : &c, 1);
	}
	takt_text_add_string(text, "\n");
	if (!place->column || place->column > length + 1)
		return;
	caret = place->column - 1;
	takt_text_add_string(text, "      | ");
	for (uint32_t i = 0; i < caret; i++)
		takt_text_add_string(text, place->excerpt[i] == '\t' ? "\t" : " ");
	width = place->width ? place->width : 1;
	if (caret + width > length && length > caret)
		width = length - caret;
	takt_text_add_string(text, "^");
	takt_text_pad(text, '~', width - 1);
	takt_text_add_string(text, "\n");
}

static void write_message(struct takt_diag *diag, const struct takt_place *place,
			  const char *severity, const char *format, va_list args)
{
	if (place)
		write_place(&diag->text, place);
	takt_text_printf(&diag->text, "%s: ", severity);
	takt_text_vprintf(&diag->text, format, args);
	takt_text_add_string(&diag->text, "\n");
	if (place)
		write_excerpt(&diag->text, place);
}

void takt_verror_at(struct takt_diag *diag, const struct takt_place *place, const char *format,
		    va_list args)
{
	if (diag && count_error(diag))
		write_message(diag, place, "error", format, args);
}

void takt_error(struct takt_diag *diag, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	takt_verror_at(diag, NULL, format, args);
	va_end(args);
}

void takt_warning(struct takt_diag *diag, const char *format, ...)
{
	va_list args;

	if (!diag)
		return;
	diag->muted = false; /* the notes of a warning are always kept */
	va_start(args, format);
	write_message(diag, NULL, "warning", format, args);
	va_end(args);
}

void takt_error_at(struct takt_diag *diag, const struct takt_place *place, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	takt_verror_at(diag, place, format, args);
	va_end(args);
}

/*
 * Append the bytes and a row with a caret below the offending one:
 *   a.out:.text+0x4a: error: …
 *     0x40 | 48 89 c3 06 ff
 *          |          ^~
 */
static void write_hex_row(struct takt_text *text, const struct takt_bytes_place *place)
{
	size_t count =
		place->row_size_bytes < BYTES_PER_ROW ? place->row_size_bytes : BYTES_PER_ROW;
	char label[32];
	int width;

	width = snprintf(label, sizeof(label), "0x%llx",
			 (unsigned long long)(place->offset - place->row_index));
	takt_text_printf(text, "%10s |", label);
	for (size_t i = 0; i < count; i++)
		takt_text_printf(text, " %02x", place->row[i]);
	takt_text_add_string(text, "\n");
	if (place->row_index >= count)
		return;
	takt_text_pad(text, ' ', width > 10 ? (size_t)width : 10);
	takt_text_add_string(text, " | ");
	takt_text_pad(text, ' ', 3 * place->row_index);
	takt_text_add_string(text, "^~\n");
}

void takt_error_in_bytes(struct takt_diag *diag, const struct takt_bytes_place *place,
			 const char *format, ...)
{
	va_list args;

	if (!diag || !count_error(diag))
		return;
	takt_text_printf(&diag->text, "%s:%s+0x%llx: error: ", place->file ? place->file : "input",
			 place->section ? place->section : "", (unsigned long long)place->offset);
	va_start(args, format);
	takt_text_vprintf(&diag->text, format, args);
	va_end(args);
	takt_text_add_string(&diag->text, "\n");
	if (place->row && place->row_size_bytes)
		write_hex_row(&diag->text, place);
}

void takt_note(struct takt_diag *diag, const char *format, ...)
{
	va_list args;

	if (!diag || diag->muted)
		return;
	va_start(args, format);
	write_message(diag, NULL, "note", format, args);
	va_end(args);
}
