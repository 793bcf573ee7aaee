/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "../tap.h"
#include "base/base.h"

static void test_text(void)
{
	struct takt_text *text = takt_text_new();
	char wide[1000];

	is_string(takt_text_data(text), "", "empty");
	memset(wide, 'x', sizeof(wide) - 1);
	wide[sizeof(wide) - 1] = '\0';
	takt_text_printf(text, "%s|%d", wide, 5);
	is_int((long long)takt_text_size_bytes(text), 1001, "long printf");
	takt_text_pad(text, '.', 3);
	ok(strcmp(takt_text_data(text) + 999, "|5...") == 0, "pad");
	takt_text_clear(text);
	is_string(takt_text_data(text), "", "cleared");
	takt_text_free(text);
}

static void test_count(void)
{
	struct takt_text text = {0};

	takt_text_count(&text, 0, "slot, ", "slots, ");
	takt_text_count(&text, 1, "slot, ", "slots, ");
	takt_text_count(&text, 2, "slot", "slots");
	is_string(takt_text_data(&text), "0 slots, 1 slot, 2 slots", "counted nouns");
	takt_text_release(&text);
}

static void test_json(void)
{
	struct takt_text text = {0};
	struct takt_json json;

	takt_json_init(&json, &text);
	takt_json_open_object(&json, NULL);
	takt_json_string(&json, "name", "a\"b\\\n\x01\xff é");
	takt_json_number(&json, "third", 1.0 / 3);
	takt_json_number(&json, "whole", 4.0);
	takt_json_number(&json, "none", NAN);
	takt_json_number(&json, "minus_zero", -0.0);
	takt_json_open_array(&json, "list");
	takt_json_compact(&json, true);
	takt_json_integer(&json, NULL, 1);
	takt_json_bool(&json, NULL, true);
	takt_json_close_array(&json);
	takt_json_compact(&json, false);
	takt_json_open_object(&json, "empty");
	takt_json_close_object(&json);
	takt_json_close_object(&json);
	is_string(
		takt_text_data(&text),
		"{\n  \"name\": \"a\\\"b\\\\\\n\\u0001\xef\xbf\xbd é\",\n  \"third\": 0.333333,\n"
		"  \"whole\": 4,\n  \"none\": null,\n  \"minus_zero\": 0,\n  \"list\": [1, true],\n"
		"  \"empty\": {}\n}\n",
		"json");
	takt_text_release(&text);
}

static void test_numbers(void)
{
	static const struct {
		int line;
		double value;
		const char *text;
	} rows[] = {
		{__LINE__, 0.1 + 0.2, "0.3"},
		{__LINE__, 933, "933"},
		{__LINE__, 10.0 / 3, "3.33333"},
		{__LINE__, -200.0 / 3, "-66.6667"},
		{__LINE__, 9.9999999, "10"},
		{__LINE__, 1234.5678, "1234.568"},
		{__LINE__, 123456789.0627, "123456789.063"},
		{__LINE__, 9007199254740991, "9007199254740991"},
		{__LINE__, 0.000123456789, "0.000123457"},
		{__LINE__, 1e-6, "0.000001"},
		{__LINE__, -4.5e-9, "-4.5e-09"},
		{__LINE__, 2e300, "2e+300"},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct takt_text text = {0};
		struct takt_json json;
		double read;

		takt_json_init(&json, &text);
		takt_json_number(&json, NULL, rows[i].value);
		tap_is_string(__FILE__, rows[i].line, takt_text_data(&text), rows[i].text,
			      "number");
		read = strtod(takt_text_data(&text), NULL);
		/* Half of the last of six digits. */
		ok(fabs(read - rows[i].value) <= 5e-6 * fabs(rows[i].value), "%s: read back",
		   rows[i].text);
		takt_text_release(&text);
	}
}

int main(void)
{
	test_numbers();
	test_text();
	test_count();
	test_json();
	return tap_done();
}
