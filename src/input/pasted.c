/* SPDX-License-Identifier: MIT */
/*
 * Removes what copying leaves in text: colours of terminals, spaces of browsers, byte order marks
 * and UTF-16 of Windows' shells, line ends of old programs, NULs at the end, line numbers, marks of
 * quotations, and lines with a shell's prompt.
 */
#include <string.h>

#include "input/code.h"
#include "input/token.h"

/* Fewest lines that show that "12:" is a line's number, as from grep -n, and no label. */
#define COLON_LINES_MIN 8u
#define NUMBER_DIGITS_MAX 7u

/* ---- characters --------------------------------------------------------------------- */

/* Return the size of a colour or the like as terminals get it, "\33[31m"; 0: there is none. */
static size_t escape_size(const char *text, size_t size)
{
	size_t at = 2;

	if (size < 3 || text[0] != '\33' || text[1] != '[')
		return 0;
	while (at < size && (text[at] == ';' || text[at] == '?' || takt_is_digit(text[at])))
		at++;
	return at < size && text[at] >= '@' && text[at] <= '~' ? at + 1 : 0;
}

bool takt_pasted_is_utf16(const uint8_t *data, size_t size_bytes)
{
	return size_bytes >= 4 && size_bytes % 2 == 0 && data[0] == 0xff && data[1] == 0xfe &&
	       (data[2] || data[3]);
}

static char *add_utf8(char *to, uint32_t unit)
{
	if (unit < 0x80) {
		*to++ = (char)unit;
	} else if (unit < 0x800) {
		*to++ = (char)(0xc0 | unit >> 6);
		*to++ = (char)(0x80 | (unit & 0x3f));
	} else {
		*to++ = (char)(0xe0 | unit >> 12);
		*to++ = (char)(0x80 | (unit >> 6 & 0x3f));
		*to++ = (char)(0x80 | (unit & 0x3f));
	}
	return to;
}

/* Convert little-endian UTF-16; rare characters beyond 16 bits and zeros become '?'. */
static char *convert_utf16(struct takt_arena *arena, const uint8_t *data, size_t size_bytes,
			   size_t *ret_size)
{
	char *text = TAKT_NEW_ARRAY(arena, size_bytes / 2 * 3 + 1, char), *to = text;

	for (size_t i = 2; i + 1 < size_bytes; i += 2) {
		uint32_t unit = data[i] | (uint32_t)data[i + 1] << 8;

		to = add_utf8(to, !unit || (unit >= 0xd800 && unit < 0xe000) ? '?' : unit);
	}
	*to = '\0';
	*ret_size = (size_t)(to - text);
	return text;
}

size_t takt_pasted_text_size(const uint8_t *data, size_t size_bytes)
{
	while (size_bytes && !data[size_bytes - 1])
		size_bytes--;
	return size_bytes;
}

/* Make the ends of lines those of Unix, if they are carriage returns alone. */
static void convert_line_ends(char *text, size_t size)
{
	const char *feed = memchr(text, '\n', size);

	if (feed && feed + 1 != text + size)
		return;
	if (feed && size > 1 && text[size - 2] == '\r' &&
	    !memchr(text, '\r', size - 2)) /* one line as Windows ends it */
		return;
	for (size_t i = 0; i < size; i++)
		if (text[i] == '\r')
			text[i] = '\n';
}

const char *takt_pasted_copy(struct takt_arena *arena, const uint8_t *data, size_t size_bytes,
			     size_t *ret_size)
{
	bool is_utf16 = takt_pasted_is_utf16(data, size_bytes);
	size_t size = is_utf16 ? size_bytes : takt_pasted_text_size(data, size_bytes);
	char *text = is_utf16 ? convert_utf16(arena, data, size_bytes, &size)
			      : takt_arena_copy(arena, (const char *)data, size);
	const char *from = text, *end = text + size;
	char *to = text;

	if (size >= 3 && memcmp(from, "\xef\xbb\xbf", 3) == 0)
		from += 3;
	while (from < end) {
		size_t escape = escape_size(from, (size_t)(end - from));

		if (escape) {
			from += escape;
		} else if (end - from >= 2 && memcmp(from, "\xc2\xa0", 2) == 0) {
			*to++ = ' ';
			from += 2;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	*ret_size = (size_t)(to - text);
	convert_line_ends(text, *ret_size);
	return text;
}

/* ---- prompts ---------------------------------------------------------------------------- */

/* True if a character ends a prompt, and a blank or the end of the line is after it. */
static bool ends_prompt(const char *at, const char *end)
{
	return strchr("$#%>", *at) && (at + 1 == end || takt_is_line_blank(at[1]));
}

/* True for "user@host:~$ command", "[user@host folder]# command" and the like. */
static bool is_login_prompt(const char *line, const char *end)
{
	const char *at = line + (*line == '['), *sign = at;

	while (sign < end && takt_is_name_char(*sign))
		sign++;
	if (sign == at || sign == end || *sign != '@')
		return false;
	for (at = sign + 1; at < end; at++)
		if (!takt_is_blank(at[-1]) && ends_prompt(at, end))
			return true;
	return false;
}

/* True for "PS C:\folder> command" and "C:\folder>command". */
static bool is_windows_prompt(const char *line, const char *end)
{
	if (end - line > 3 && memcmp(line, "PS ", 3) == 0)
		line += 3;
	return end - line > 3 && ((*line | 0x20) >= 'a' && (*line | 0x20) <= 'z') &&
	       line[1] == ':' && line[2] == '\\' && memchr(line, '>', (size_t)(end - line));
}

static bool is_prompt(const char *line)
{
	const char *end = line + strcspn(line, "\n");

	return line < end && ((strchr("$%", *line) && ends_prompt(line, end)) ||
			      is_login_prompt(line, end) || is_windows_prompt(line, end));
}

/* ---- columns in front of lines ---------------------------------------------------------- */

static bool is_empty(const char *line)
{
	line += strspn(line, " \t\r");
	return !*line || *line == '\n';
}

/* Return what is after a line's number and one tab, colon or blank; NULL if it has no number. */
static const char *skip_number(const char *line, uint32_t *ret_number, bool *ret_colon)
{
	size_t digits;

	line += strspn(line, " \t");
	digits = strspn(line, "0123456789");
	if (!digits || digits > NUMBER_DIGITS_MAX)
		return NULL;
	*ret_number = 0;
	for (size_t i = 0; i < digits; i++)
		*ret_number = 10 * *ret_number + (uint32_t)(line[i] - '0');
	line += digits;
	*ret_colon = *line == ':';
	if (*line == ':' || takt_is_blank(*line))
		return line + 1;
	return !*line || *line == '\n' || *line == '\r' ? line : NULL;
}

/* True if each line that is not empty has a number, one more than the one before. */
static bool has_numbers(const struct takt_source *source)
{
	uint32_t count = 0, last = 0, number, colons = 0;
	bool colon;

	for (uint32_t i = 0; i < source->line_count; i++) {
		if (is_empty(source->lines[i]))
			continue;
		if (!skip_number(source->lines[i], &number, &colon) ||
		    (count && number != last + 1))
			return false;
		last = number;
		colons += colon;
		count++;
	}
	return count >= (colons ? COLON_LINES_MIN : 2);
}

/* True if each line that is not empty is quoted, as in a mail. */
static bool is_quoted(const struct takt_source *source)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < source->line_count; i++) {
		if (is_empty(source->lines[i]))
			continue;
		if (*source->lines[i] != '>')
			return false;
		count++;
	}
	return count > 0;
}

void takt_pasted_strip(struct takt_source *source)
{
	bool colon, quoted;
	uint32_t number;

	for (uint32_t i = 0; i < source->line_count; i++)
		if (is_prompt(source->lines[i]))
			source->lines[i] = "";
	while ((quoted = is_quoted(source)) || has_numbers(source))
		for (uint32_t i = 0; i < source->line_count; i++) {
			const char *line = source->lines[i];

			if (is_empty(line))
				continue;
			source->lines[i] = !quoted	    ? skip_number(line, &number, &colon)
					   : line[1] == ' ' ? line + 2
							    : line + 1;
		}
}
