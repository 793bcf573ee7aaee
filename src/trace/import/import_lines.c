/* SPDX-License-Identifier: MIT */
/* Reads the lines of a stream of any length, and words and numbers in them. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/import/import.h"

#define BUFFER_BYTES (2 * IMPORT_LINE_BYTES_MAX)

enum takt_status takt_import_lines_open(struct import_lines *lines, const char *path,
					struct takt_diag *diag)
{
	bool is_stdin = strcmp(path, "-") == 0;
	int descriptor = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);

	if (descriptor < 0) {
		takt_error(diag, "cannot open '%s': %s", path, strerror(errno));
		return TAKT_BAD_INPUT;
	}
	*lines = (struct import_lines){
		.name = is_stdin ? "standard input" : path,
		.diag = diag,
		.descriptor = descriptor,
		.buffer = takt_xcalloc(BUFFER_BYTES + 1, 1), /* 1: for a NUL after the data */
	};
	return TAKT_OK;
}

void takt_import_lines_close(struct import_lines *lines)
{
	if (lines->descriptor > STDIN_FILENO)
		close(lines->descriptor);
	free(lines->buffer);
}

/* Read once into the buffer, which must have room after what was not returned yet. */
static enum takt_status fill(struct import_lines *lines)
{
	ssize_t got;

	if (lines->begin) {
		memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
		lines->end -= lines->begin;
		lines->begin = 0;
	}
	got = takt_read(lines->descriptor, lines->buffer + lines->end, BUFFER_BYTES - lines->end);
	if (got < 0) {
		takt_error(lines->diag, "cannot read '%s': %s", lines->name, strerror(errno));
		return TAKT_BAD_INPUT;
	}
	lines->end += (size_t)got;
	lines->buffer[lines->end] = '\0';
	lines->at_end = got == 0;
	return TAKT_OK;
}

enum takt_status takt_import_lines_peek(struct import_lines *lines)
{
	enum takt_status status = TAKT_OK;

	while (status == TAKT_OK && !lines->at_end && lines->end < IMPORT_LINE_BYTES_MAX)
		status = fill(lines);
	return status;
}

enum takt_status takt_import_lines_next(struct import_lines *lines)
{
	size_t searched = 0;

	lines->at = 0;
	if (lines->number < UINT32_MAX)
		lines->number++;
	if (lines->signal && *lines->signal) {
		lines->line = NULL;
		return TAKT_OK;
	}
	for (;;) {
		const char *start = lines->buffer + lines->begin;
		size_t left = lines->end - lines->begin;
		const char *newline = memchr(start + searched, '\n', left - searched);

		if (newline || (lines->at_end && left)) {
			lines->line = start;
			lines->size = newline ? (size_t)(newline - start) : left;
			lines->begin += lines->size + (newline != NULL);
			if (lines->size && start[lines->size - 1] == '\r')
				lines->size--;
			return TAKT_OK;
		}
		if (lines->at_end) {
			lines->line = NULL;
			return TAKT_OK;
		}
		searched = left;
		if (left >= IMPORT_LINE_BYTES_MAX) {
			takt_error(lines->diag, "'%s': line %u is longer than %zu KiB", lines->name,
				   lines->number, IMPORT_LINE_BYTES_MAX >> 10);
			return TAKT_BAD_INPUT;
		}
		if (fill(lines) != TAKT_OK)
			return TAKT_BAD_INPUT;
	}
}

enum takt_status takt_import_lines_complain(const struct import_lines *lines, size_t at,
					    size_t width, const char *format, ...)
{
	const struct takt_place place = {
		.file = lines->name,
		.line = lines->number,
		.column = (uint32_t)at + 1,
		.width = width ? (uint32_t)width : 1,
		.excerpt = lines->line,
	};
	va_list args;

	assert(at <= lines->size && width <= lines->size);
	va_start(args, format);
	takt_verror_at(lines->diag, &place, format, args);
	va_end(args);
	return TAKT_BAD_INPUT;
}

/* ---- words and numbers in a line ---- */

void takt_import_skip_blanks(struct import_lines *lines)
{
	while (lines->at < lines->size && (takt_is_blank(lines->line[lines->at])))
		lines->at++;
}

bool takt_import_take(struct import_lines *lines, const char *word)
{
	size_t size = strlen(word);

	if (lines->size - lines->at < size || memcmp(lines->line + lines->at, word, size) != 0)
		return false;
	lines->at += size;
	return true;
}

bool takt_import_hex(struct import_lines *lines, uint64_t *ret_number)
{
	size_t start = lines->at, digits;
	uint64_t number = 0;

	if (lines->size - start > 2 && lines->line[start] == '0' &&
	    (lines->line[start + 1] | 0x20) == 'x')
		start += 2;
	for (digits = 0; start + digits < lines->size; digits++) {
		int digit = takt_hex_digit(lines->line[start + digits]);

		if (digit < 0)
			break;
		if (number >> 60)
			return false;
		number = number << 4 | (uint64_t)digit;
	}
	if (digits == 0)
		return false;
	lines->at = start + digits;
	*ret_number = number;
	return true;
}

bool takt_import_decimal(struct import_lines *lines, uint64_t *ret_number)
{
	size_t at = lines->at;
	uint64_t number = 0;

	for (; at < lines->size && takt_is_digit(lines->line[at]); at++) {
		if (number > (UINT64_MAX - 9) / 10)
			return false;
		number = number * 10 + (uint64_t)(lines->line[at] - '0');
	}
	if (at == lines->at)
		return false;
	lines->at = at;
	*ret_number = number;
	return true;
}

bool takt_import_at_end(const struct import_lines *lines)
{
	return lines->at == lines->size;
}
