/* SPDX-License-Identifier: MIT */
/* Streaming JSON writer. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/base.h"

#define SIGNIFICANT 6
#define DECIMALS_LEAST 3
/* Numbers below SMALL, and from LARGE on, are written with an exponent. */
#define SMALL 1e-6
#define LARGE 1e21
#define NUMBER_BYTES_MAX 40 /* sign, 21 digits, point, 12 decimals at most */

void takt_json_init(struct takt_json *json, struct takt_text *text)
{
	*json = (struct takt_json){.text = text, .first = true};
}

/* Return the length of the well-formed UTF-8 sequence at `text`, or 0. */
static size_t utf8_length(const char *text)
{
	const unsigned char *bytes = (const unsigned char *)text;
	size_t length = bytes[0] < 0x80	  ? 1
			: bytes[0] < 0xc2 ? 0
			: bytes[0] < 0xe0 ? 2
			: bytes[0] < 0xf0 ? 3
			: bytes[0] < 0xf5 ? 4
					  : 0;

	for (size_t i = 1; i < length; i++)
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
	if ((bytes[0] == 0xe0 && bytes[1] < 0xa0) || (bytes[0] == 0xed && bytes[1] > 0x9f) ||
	    (bytes[0] == 0xf0 && bytes[1] < 0x90) || (bytes[0] == 0xf4 && bytes[1] > 0x8f))
		return 0;
	return length;
}

/* Append a quoted string. Names may hold any bytes: what is not UTF-8 becomes U+FFFD. */
static void write_string(struct takt_text *text, const char *value)
{
	takt_text_add_string(text, "\"");
	for (const char *c = value; *c; c++) {
		size_t length = utf8_length(c);

		if (length != 1) {
			takt_text_add(text, length ? c : "\xef\xbf\xbd", length ? length : 3);
			c += length ? length - 1 : 0;
			continue;
		}
		if (*c == '"' || *c == '\\')
			takt_text_printf(text, "\\%c", *c);
		else if (*c == '\n')
			takt_text_add_string(text, "\\n");
		else if (*c == '\t')
			takt_text_add_string(text, "\\t");
		else if ((unsigned char)*c < ' ')
			takt_text_printf(text, "\\u%04x", (unsigned char)*c);
		else
			takt_text_add(text, c, 1);
	}
	takt_text_add_string(text, "\"");
}

static void line_break(struct takt_json *json)
{
	if (json->compact)
		return;
	takt_text_add_string(json->text, "\n");
	takt_text_pad(json->text, ' ', (size_t)2 * json->depth);
}

/* Append what precedes a value: comma, line break, key. */
static void begin(struct takt_json *json, const char *key)
{
	if (!json->first)
		takt_text_add_string(json->text, json->compact ? ", " : ",");
	if (json->depth)
		line_break(json);
	json->first = false;
	if (key) {
		write_string(json->text, key);
		takt_text_add_string(json->text, ": ");
	}
}

static void open_nest(struct takt_json *json, const char *key, const char *bracket)
{
	begin(json, key);
	takt_text_add_string(json->text, bracket);
	json->depth++;
	json->first = true;
}

static void close_nest(struct takt_json *json, const char *bracket)
{
	json->depth--;
	if (!json->first)
		line_break(json);
	takt_text_add_string(json->text, bracket);
	json->first = false;
	if (!json->depth)
		takt_text_add_string(json->text, "\n");
}

void takt_json_open_object(struct takt_json *json, const char *key)
{
	open_nest(json, key, "{");
}

void takt_json_open_array(struct takt_json *json, const char *key)
{
	open_nest(json, key, "[");
}

void takt_json_close_object(struct takt_json *json)
{
	close_nest(json, "}");
}

void takt_json_close_array(struct takt_json *json)
{
	close_nest(json, "]");
}

void takt_json_string(struct takt_json *json, const char *key, const char *value)
{
	if (!value) {
		takt_json_null(json, key);
		return;
	}
	begin(json, key);
	write_string(json->text, value);
}

void takt_json_bool(struct takt_json *json, const char *key, bool value)
{
	begin(json, key);
	takt_text_add_string(json->text, value ? "true" : "false");
}

void takt_json_integer(struct takt_json *json, const char *key, int64_t value)
{
	begin(json, key);
	takt_text_printf(json->text, "%" PRId64, value);
}

/* Return the decimals that give SIGNIFICANT digits, but at least DECIMALS_LEAST. */
static int decimals_of(double value)
{
	int decimals = SIGNIFICANT;
	double bound = 1;

	while (bound <= fabs(value) && decimals > DECIMALS_LEAST) {
		bound *= 10;
		decimals--;
	}
	bound = 0.1;
	while (bound > fabs(value)) {
		bound /= 10;
		decimals++;
	}
	return decimals;
}

static void write_number(struct takt_text *text, double value)
{
	char digits[NUMBER_BYTES_MAX];
	size_t length;

	if (fabs(value) < SMALL || fabs(value) >= LARGE) {
		takt_text_printf(text, "%.*g", SIGNIFICANT, value == 0 ? 0 : value);
		return;
	}
	takt_snprintf(digits, sizeof(digits), "%.*f", decimals_of(value), value);
	length = strlen(digits);
	while (digits[length - 1] == '0')
		length--;
	if (digits[length - 1] == '.')
		length--;
	takt_text_add(text, digits, length);
}

void takt_json_number(struct takt_json *json, const char *key, double value)
{
	if (!isfinite(value)) {
		takt_json_null(json, key);
		return;
	}
	begin(json, key);
	write_number(json->text, value);
}

void takt_json_raw(struct takt_json *json, const char *key, const char *value)
{
	begin(json, key);
	takt_text_add_string(json->text, value);
}

void takt_json_null(struct takt_json *json, const char *key)
{
	begin(json, key);
	takt_text_add_string(json->text, "null");
}

void takt_json_compact(struct takt_json *json, bool compact)
{
	json->compact = compact;
}

void takt_json_open_row(struct takt_json *json)
{
	takt_json_open_object(json, NULL);
	takt_json_compact(json, true);
}

void takt_json_close_row(struct takt_json *json)
{
	takt_json_close_object(json);
	takt_json_compact(json, false);
}
