/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <unistd.h>

#include "../tap.h"
#include "page/page.h"

static const char *write_source(char *path)
{
	FILE *file = fdopen(mkstemp(path), "w");

	fputs("one\ntwo \"2\"\nthree\nfour\nfive\n", file);
	fclose(file);
	return path;
}

static void test_lines(void)
{
	char path[] = "/tmp/takt-sources-XXXXXX", expected[200];
	const char *file = write_source(path);
	const struct takt_source_place places[] = {{file, 2}, {NULL, 3},   {"/nowhere/a.c", 1},
						   {file, 5}, {"/dev", 1}, {file, 0}};
	struct takt_text *text = takt_text_new();

	snprintf(
		expected, sizeof(expected),
		"[\n  {\n    \"file\": \"%s\",\n    \"lines\": {\n      \"2\": \"two \\\"2\\\"\",\n"
		"      \"5\": \"five\"\n    }\n  }\n]\n",
		path);
	takt_write_sources_json(places, 6, 0, text);
	is_string(takt_text_data(text), expected, "lines of readable files");
	takt_text_clear(text);
	takt_write_sources_json(places, 1, 1, text);
	ok(strstr(takt_text_data(text), "\"1\": \"one\"") &&
		   strstr(takt_text_data(text), "\"3\": \"three\"") &&
		   !strstr(takt_text_data(text), "four"),
	   "lines around them");
	takt_text_clear(text);
	takt_write_sources_json(NULL, 0, 3, text);
	is_string(takt_text_data(text), "[]\n", "no lines");
	takt_text_free(text);
	unlink(path);
}

int main(void)
{
	test_lines();
	return tap_done();
}
