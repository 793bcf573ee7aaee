/* SPDX-License-Identifier: MIT */
/* What is JSON is read, and nothing else. */
#include "trace/result/json_read.h"
#include "../tap.h"

static struct takt_arena arena;

static struct json_reader reader_of(const char *text)
{
	struct json_reader reader;

	json_reader_init(&reader, text, strlen(text), "test", &arena, NULL);
	return reader;
}

static void read_numbers(void)
{
	static const struct {
		int line;
		const char *text;
		bool fine;
		uint64_t value;
	} rows[] = {
		{__LINE__, "0", true, 0},
		{__LINE__, " 42 ", true, 42},
		{__LINE__, "null", true, 0},
		{__LINE__, "18446744073709551615", true, UINT64_MAX},
		{__LINE__, "18446744073709551616", false, 0},
		{__LINE__, "99999999999999999999999", false, 0},
		{__LINE__, "1.5", false, 0},
		{__LINE__, "1e3", false, 0},
		{__LINE__, "-1", false, 0},
		{__LINE__, "\"1\"", false, 0},
		{__LINE__, "", false, 0},
		{__LINE__, "1 2", false, 0},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct json_reader reader = reader_of(rows[i].text);
		uint64_t value = 1;
		bool fine = json_read_unsigned(&reader, &value) && json_read_end(&reader);

		tap_ok_at(__FILE__, rows[i].line,
			  fine == rows[i].fine && (!fine || value == rows[i].value), "number '%s'",
			  rows[i].text);
	}
}

static void read_strings(void)
{
	static const struct {
		int line;
		const char *text, *value; /* NULL: it is refused */
	} rows[] = {
		{__LINE__, "\"\"", ""},
		{__LINE__, "\"a b\"", "a b"},
		{__LINE__, "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
		{__LINE__, "\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac"},
		{__LINE__, "\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80"},
		{__LINE__, "\"\\ud83d\"", "\xef\xbf\xbd"},
		{__LINE__, "\"\\ude00x\"", "\xef\xbf\xbdx"},
		{__LINE__, "\"\\u0000\"", "\xef\xbf\xbd"},
		{__LINE__, "\"\\u12g4\"", NULL},
		{__LINE__, "\"\\u12", NULL},
		{__LINE__, "\"\\x\"", NULL},
		{__LINE__, "\"\\", NULL},
		{__LINE__, "\"abc", NULL},
		{__LINE__, "\"a\nb\"", NULL},
		{__LINE__, "abc", NULL},
		{__LINE__, "", NULL},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct json_reader reader = reader_of(rows[i].text);
		const char *value = NULL;
		bool fine = json_read_string(&reader, &value) && json_read_end(&reader);

		tap_ok_at(__FILE__, rows[i].line,
			  fine == (rows[i].value != NULL) &&
				  (!fine || !strcmp(value, rows[i].value)),
			  "string %zu", i);
	}
}

static void skip_values(void)
{
	static const struct {
		int line;
		const char *text;
		bool fine;
	} rows[] = {
		{__LINE__, "{}", true},
		{__LINE__, "[]", true},
		{__LINE__, "[1, -2.5e-3, \"x\", true, false, null, {\"a\": [{}]}]", true},
		{__LINE__, "[1,]", false},
		{__LINE__, "[1 2]", false},
		{__LINE__, "[,1]", false},
		{__LINE__, "[", false},
		{__LINE__, "[1", false},
		{__LINE__, "[1}", false},
		{__LINE__, "{\"a\" 1}", false},
		{__LINE__, "{\"a\": 1,}", false},
		{__LINE__, "{1: 1}", false},
		{__LINE__, "{\"a\": }", false},
		{__LINE__, "nul", false},
		{__LINE__, "", false},
		{__LINE__, "{} {}", false},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct json_reader reader = reader_of(rows[i].text);
		bool fine = json_read_skip(&reader) && json_read_end(&reader);

		tap_ok_at(__FILE__, rows[i].line, fine == rows[i].fine, "value %s", rows[i].text);
	}
}

static void refuse_depth(void)
{
	char text[100001];
	struct json_reader reader;

	memset(text, '[', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	reader = reader_of(text);
	ok(!json_read_skip(&reader), "nested too deep");
}

static void read_nested(void)
{
	struct json_reader reader =
		reader_of("{\"first\": [1, 2, 3], \"long key of many\": \"x\"}");
	uint64_t sum = 0, value;
	const char *text = NULL;
	char key[6];

	json_read_begin(&reader, '{');
	ok(json_read_member(&reader, key, sizeof(key)), "a member");
	is_string(key, "first", "its key");
	json_read_begin(&reader, '[');
	while (json_read_element(&reader)) {
		json_read_unsigned(&reader, &value);
		sum += value;
	}
	is_int((long long)sum, 6, "elements");
	ok(json_read_member(&reader, key, sizeof(key)), "another member");
	is_string(key, "long ", "a key is cut");
	json_read_string(&reader, &text);
	ok(text && strcmp(text, "x") == 0, "a string");
	ok(!json_read_member(&reader, key, sizeof(key)) && json_read_end(&reader), "the end");
}

static void report_places(void)
{
	static const char text[] = "{\n  \"a\": 1,\n  \"b\": x\n}";
	struct takt_diag *diag = takt_diag_new();
	struct json_reader reader;

	json_reader_init(&reader, text, sizeof(text) - 1, "file.json", &arena, diag);
	ok(!json_read_skip(&reader) && !json_read_skip(&reader), "refused");
	is_int((long long)takt_diag_error_count(diag), 1, "one error");
	is_string(takt_diag_text(diag),
		  "file.json:3:8: error: a value is expected here\n    3 |   \"b\": x\n      |     "
		  "   ^\n",
		  "its place");
	takt_diag_free(diag);
}

int main(void)
{
	takt_arena_init(&arena);
	read_numbers();
	read_strings();
	skip_values();
	refuse_depth();
	read_nested();
	report_places();
	takt_arena_release(&arena);
	return tap_done();
}
