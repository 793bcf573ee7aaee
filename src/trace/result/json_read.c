/* SPDX-License-Identifier: MIT */
/* Reads JSON value by value; see json_read.h. */
#include <math.h>
#include <string.h>

#include "trace/result/json_read.h"

#define DEPTH_MAX 64u
#define EXCERPT_BYTES 60u

void json_reader_init(struct json_reader *reader, const void *data, size_t size_bytes,
		      const char *name, struct takt_arena *arena, struct takt_diag *diag)
{
	*reader = (struct json_reader){
		.start = data,
		.next = data,
		.end = size_bytes ? (const char *)data + size_bytes : data,
		.name = name,
		.diag = diag,
		.arena = arena,
		.first = true,
	};
}

/* Report an error with the text around it, since a line may be as long as the file. */
bool json_read_fail(struct json_reader *reader, const char *what)
{
	struct takt_place place = {.file = reader->name, .line = 1, .width = 1};
	const char *line = reader->start, *from;
	size_t size;
	char excerpt[2 * EXCERPT_BYTES + 1];

	if (reader->failed)
		return false;
	for (const char *c = reader->start; c < reader->next; c++)
		if (*c == '\n') {
			place.line++;
			line = c + 1;
		}
	from = (size_t)(reader->next - line) > EXCERPT_BYTES ? reader->next - EXCERPT_BYTES : line;
	size = (size_t)(reader->end - from);
	size = size < sizeof(excerpt) - 1 ? size : sizeof(excerpt) - 1;
	for (size_t i = 0; i < size; i++)
		excerpt[i] = (unsigned char)from[i] < ' ' && from[i] != '\n' ? ' ' : from[i];
	excerpt[size] = '\0';
	place.column = (uint32_t)(reader->next - from) + 1;
	place.excerpt = excerpt;
	takt_error_at(reader->diag, &place, "%s", what);
	reader->failed = true;
	return false;
}

static void skip_space(struct json_reader *reader)
{
	while (reader->next < reader->end && (*reader->next == ' ' || *reader->next == '\n' ||
					      *reader->next == '\t' || *reader->next == '\r'))
		reader->next++;
}

/* Skip white space, and consume `c` if it comes next. */
static bool take(struct json_reader *reader, char c)
{
	skip_space(reader);
	if (reader->next == reader->end || *reader->next != c)
		return false;
	reader->next++;
	return true;
}

static bool take_word(struct json_reader *reader, const char *word)
{
	size_t size = strlen(word);

	skip_space(reader);
	if ((size_t)(reader->end - reader->next) < size || memcmp(reader->next, word, size) != 0)
		return false;
	reader->next += size;
	return true;
}

static bool take_null(struct json_reader *reader)
{
	return !reader->failed && take_word(reader, "null");
}

char json_read_peek(struct json_reader *reader)
{
	skip_space(reader);
	if (reader->failed || reader->next == reader->end)
		return 0;
	if (*reader->next == '-' || takt_is_digit(*reader->next))
		return '0';
	return *reader->next;
}

/* ---- arrays and objects ---- */

bool json_read_begin(struct json_reader *reader, char bracket)
{
	if (reader->failed)
		return false;
	if (!take(reader, bracket))
		return json_read_fail(reader, bracket == '{' ? "an object is expected here"
							     : "an array is expected here");
	if (++reader->depth > DEPTH_MAX)
		return json_read_fail(reader, "nested too deep");
	reader->first = true;
	return true;
}

/* True if another element follows in the array or object that `bracket` ends. */
static bool more(struct json_reader *reader, char bracket)
{
	if (reader->failed)
		return false;
	if (take(reader, bracket)) {
		reader->depth--;
		reader->first = false;
		return false;
	}
	if (!reader->first && !take(reader, ','))
		return json_read_fail(reader, bracket == '}' ? "',' or '}' is missing"
							     : "',' or ']' is missing");
	reader->first = false;
	return true;
}

bool json_read_element(struct json_reader *reader)
{
	return more(reader, ']');
}

/* ---- strings ---- */

static bool read_hex(struct json_reader *reader, uint32_t *ret_value)
{
	*ret_value = 0;
	if (reader->end - reader->next < 4)
		return json_read_fail(reader, "four hexadecimal digits are expected");
	for (int i = 0; i < 4; i++) {
		int digit = takt_hex_digit(*reader->next);

		if (digit < 0)
			return json_read_fail(reader, "four hexadecimal digits are expected");
		*ret_value = *ret_value << 4 | (uint32_t)digit;
		reader->next++;
	}
	return true;
}

static size_t put_utf8(char *to, uint32_t code)
{
	static const uint8_t leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	for (size_t i = size; i-- > 1; code >>= 6)
		to[i] = (char)(0x80 | (code & 63));
	to[0] = (char)(leads[size] | code);
	return size;
}

/*
 * Read the digits after "\u" and, for the first half of a surrogate pair, the second half, too. A
 * half without the other becomes U+FFFD.
 */
static bool read_code(struct json_reader *reader, uint32_t *ret_code)
{
	uint32_t low;

	if (!read_hex(reader, ret_code))
		return false;
	if (*ret_code >= 0xd800 && *ret_code < 0xdc00 && reader->end - reader->next >= 6 &&
	    memcmp(reader->next, "\\u", 2) == 0) {
		reader->next += 2;
		if (!read_hex(reader, &low))
			return false;
		if (low >= 0xdc00 && low < 0xe000) {
			*ret_code = 0x10000 + ((*ret_code - 0xd800) << 10) + (low - 0xdc00);
			return true;
		}
		*ret_code = 0xfffd;
	}
	/* U+0000 becomes U+FFFD, too: a zero would end the string. */
	if ((*ret_code >= 0xd800 && *ret_code < 0xe000) || *ret_code == 0)
		*ret_code = 0xfffd;
	return true;
}

/* Read an escape, after its backslash; return the number of bytes written, or 0. */
static size_t read_escape(struct json_reader *reader, char *to)
{
	static const char letters[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	const char *found;
	uint32_t code;

	if (reader->next < reader->end && *reader->next == 'u') {
		reader->next++;
		return read_code(reader, &code) ? put_utf8(to, code) : 0;
	}
	found = reader->next < reader->end && *reader->next ? strchr(letters, *reader->next) : NULL;
	if (!found)
		return json_read_fail(reader, "no such escape") ? 1 : 0;
	reader->next++;
	*to = values[found - letters];
	return 1;
}

/* Read a string into `to`, from its opening quote on; it is cut to `size` bytes with the 0. */
static bool read_text(struct json_reader *reader, char *to, size_t size)
{
	size_t used = 0;

	reader->next++;
	for (;;) {
		char bytes[4];
		size_t count = 1;

		if (reader->next == reader->end || (unsigned char)*reader->next < ' ')
			return json_read_fail(reader, "'\"' is missing");
		bytes[0] = *reader->next++;
		if (bytes[0] == '"')
			break;
		if (bytes[0] == '\\')
			count = read_escape(reader, bytes);
		if (!count)
			return false;
		if (used + count < size) {
			memcpy(to + used, bytes, count);
			used += count;
		}
	}
	to[used] = '\0';
	return true;
}

bool json_read_member(struct json_reader *reader, char *ret_key, size_t size)
{
	if (!more(reader, '}'))
		return false;
	if (json_read_peek(reader) != '"')
		return json_read_fail(reader, "a key is expected here");
	if (!read_text(reader, ret_key, size))
		return false;
	return take(reader, ':') || json_read_fail(reader, "':' is missing");
}

/* Return the bytes up to the closing quote; the string's value is not longer. */
static size_t text_size(const struct json_reader *reader)
{
	const char *c = reader->next + 1;

	while (c < reader->end && *c != '"')
		c += *c == '\\' && reader->end - c > 1 ? 2 : 1;
	return (size_t)(c - reader->next);
}

bool json_read_string(struct json_reader *reader, const char **ret_value)
{
	size_t size;
	char *text;

	*ret_value = NULL;
	if (take_null(reader))
		return true;
	if (json_read_peek(reader) != '"')
		return json_read_fail(reader, "a string is expected here");
	size = text_size(reader);
	text = takt_arena_alloc(reader->arena, size + 1, 1);
	if (!read_text(reader, text, size + 1))
		return false;
	*ret_value = text;
	return true;
}

/* ---- numbers and words ---- */

static bool is_digit(const struct json_reader *reader)
{
	return reader->next < reader->end && takt_is_digit(*reader->next);
}

bool json_read_unsigned(struct json_reader *reader, uint64_t *ret_value)
{
	uint64_t value = 0;

	*ret_value = 0;
	if (take_null(reader))
		return true;
	skip_space(reader);
	if (reader->failed || !is_digit(reader))
		return json_read_fail(reader, "a whole number from 0 on is expected here");
	for (; is_digit(reader); reader->next++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*reader->next - '0'), &value))
			return json_read_fail(reader, "this number is too large");
	if (reader->next < reader->end && strchr(".eE", *reader->next) && *reader->next)
		return json_read_fail(reader, "a whole number is expected here");
	*ret_value = value;
	return true;
}

bool json_read_signed(struct json_reader *reader, int64_t *ret_value)
{
	bool negative = json_read_peek(reader) == '0' && take(reader, '-');
	uint64_t value;

	*ret_value = 0;
	if (!json_read_unsigned(reader, &value))
		return false;
	if (value > INT64_MAX)
		return json_read_fail(reader, "this number is too large");
	*ret_value = negative ? -(int64_t)value : (int64_t)value;
	return true;
}

bool json_read_real(struct json_reader *reader, double *ret_value)
{
	char digits[64], *end;
	size_t count = 0;

	*ret_value = 0;
	json_read_peek(reader);
	if (reader->failed)
		return false;
	while (reader->next < reader->end && *reader->next && count < sizeof(digits) - 1 &&
	       strchr("+-.eE0123456789", *reader->next))
		digits[count++] = *reader->next++;
	digits[count] = '\0';
	*ret_value = takt_strtod(digits, &end);
	if (!count || *end || !isfinite(*ret_value))
		return json_read_fail(reader, "a number is expected before this");
	return true;
}

bool json_read_bool(struct json_reader *reader, bool *ret_value)
{
	*ret_value = false;
	if (reader->failed)
		return false;
	if (take_word(reader, "true"))
		*ret_value = true;
	else if (!take_word(reader, "false"))
		return json_read_fail(reader, "true or false is expected here");
	return true;
}

static bool skip_number(struct json_reader *reader)
{
	while (reader->next < reader->end && *reader->next &&
	       strchr("+-.eE0123456789", *reader->next))
		reader->next++;
	return true;
}

static bool skip_text(struct json_reader *reader)
{
	char none[1];

	return read_text(reader, none, sizeof(none));
}

bool json_read_skip(struct json_reader *reader)
{
	char key[1];

	switch (json_read_peek(reader)) {
	case '{':
		for (json_read_begin(reader, '{'); json_read_member(reader, key, sizeof(key));)
			json_read_skip(reader);
		return !reader->failed;
	case '[':
		for (json_read_begin(reader, '['); json_read_element(reader);)
			json_read_skip(reader);
		return !reader->failed;
	case '"':
		return skip_text(reader);
	case '0':
		return skip_number(reader);
	default:
		if (!reader->failed && (take_word(reader, "true") || take_word(reader, "false") ||
					take_word(reader, "null")))
			return true;
		return json_read_fail(reader, "a value is expected here");
	}
}

bool json_read_end(struct json_reader *reader)
{
	skip_space(reader);
	return !reader->failed &&
	       (reader->next == reader->end || json_read_fail(reader, "something follows the end"));
}
