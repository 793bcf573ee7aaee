/* SPDX-License-Identifier: MIT */
/* Reads machine code as hexadecimal digits: "4801d8", "48 01 d8", "0x48, 0x01, 0xd8". */

#include "input/code.h"

struct hex_reader {
	const char *file, *line;
	size_t line_size_bytes, at; /* within the line */
	uint32_t line_number;
	struct takt_diag *diag;
	uint8_t *bytes;
	size_t count;
};

static bool is_separator(char c)
{
	return takt_is_blank(c) || c == ',' || c == '\r' || c == '\f' || c == '\v';
}

static struct takt_place place_at(const struct hex_reader *r, size_t column, size_t width)
{
	return (struct takt_place){
		.file = r->file,
		.line = r->line_number,
		.column = (uint32_t)column + 1,
		.width = (uint32_t)width,
		.excerpt = r->line,
	};
}

/* Read a run of digits without separators. */
static enum takt_status read_word(struct hex_reader *r)
{
	size_t begin = r->at, digits;
	struct takt_place place;

	if (r->line_size_bytes - r->at >= 2 && r->line[r->at] == '0' &&
	    (r->line[r->at + 1] == 'x' || r->line[r->at + 1] == 'X'))
		r->at += 2;
	digits = r->at;
	while (r->at < r->line_size_bytes && takt_hex_digit(r->line[r->at]) >= 0)
		r->at++;
	if (r->at < r->line_size_bytes && !is_separator(r->line[r->at])) {
		place = place_at(r, r->at, 1);
		takt_error_at(r->diag, &place, "not a hexadecimal digit");
		takt_note(r->diag, "write bytes as \"48 01 d8\", \"4801d8\" or \"0x48, 0x01, "
				   "0xd8\"");
		return TAKT_BAD_INPUT;
	}
	if ((r->at - digits) % 2 || r->at == digits) {
		place = place_at(r, begin, r->at - begin);
		takt_error_at(r->diag, &place, "%s",
			      r->at == digits ? "no digits after '0x'" : "odd number of digits");
		takt_note(r->diag, "a byte is two digits");
		return TAKT_BAD_INPUT;
	}
	for (; digits < r->at; digits += 2)
		r->bytes[r->count++] = (uint8_t)(takt_hex_digit(r->line[digits]) << 4 |
						 takt_hex_digit(r->line[digits + 1]));
	return TAKT_OK;
}

enum takt_status takt_hex_read(struct takt_word text, const char *file, struct takt_arena *arena,
			       struct takt_diag *diag, uint8_t **ret_bytes, size_t *ret_count)
{
	struct hex_reader r = {.file = file, .diag = diag};
	struct takt_lines lines;

	r.bytes = TAKT_NEW_ARRAY(arena, text.size / 2 + 1, uint8_t);
	takt_lines_init(&lines, text.data, text.size);
	while (takt_lines_next(&lines, &r.line, &r.line_size_bytes)) {
		r.line_number = lines.number;
		for (r.at = 0; r.at < r.line_size_bytes;) {
			enum takt_status status = TAKT_OK;

			if (is_separator(r.line[r.at]))
				r.at++;
			else
				status = read_word(&r);
			if (status)
				return status;
		}
	}
	if (!r.count) {
		takt_error(diag, "no hexadecimal digits in '%s'", file);
		return TAKT_BAD_INPUT;
	}
	*ret_bytes = r.bytes;
	*ret_count = r.count;
	return TAKT_OK;
}
