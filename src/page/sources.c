/* SPDX-License-Identifier: MIT */
/* Reads source lines for reports. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sources.h"
#include "page/page.h"

#define LINE_BYTES_MAX 1000

/* Wanted lines of one file, sorted. */
struct wanted {
	const struct takt_source_place *places;
	size_t count;
	uint32_t context;
};

TAKT_ORDER(compare_places, struct takt_source_place, TAKT_ALPHABETIC(file), TAKT_UP(line));

/* Skip the places that end before the line, and return true if the next one includes it. */
static bool is_wanted(struct wanted *wanted, uint32_t line)
{
	while (wanted->count && wanted->places->line + wanted->context < line) {
		wanted->places++;
		wanted->count--;
	}
	return wanted->count && line + wanted->context >= wanted->places->line;
}

static void write_line(uint32_t number, const char *line, size_t size_bytes, struct takt_json *json)
{
	struct takt_text text = {0};
	char key[16];

	snprintf(key, sizeof(key), "%u", number);
	takt_text_add(&text, line, size_bytes < LINE_BYTES_MAX ? size_bytes : LINE_BYTES_MAX);
	takt_json_string(json, key, text.data ? text.data : "");
	takt_text_release(&text);
}

static void write_file(struct wanted wanted, const struct takt_file *file, struct takt_json *json)
{
	struct takt_lines lines;
	const char *line;
	size_t size_bytes;

	takt_json_open_object(json, NULL);
	takt_json_string(json, "file", wanted.places->file);
	takt_json_open_object(json, "lines");
	takt_lines_init(&lines, file->data, file->size_bytes);
	while (wanted.count && takt_lines_next(&lines, &line, &size_bytes))
		if (is_wanted(&wanted, lines.number))
			write_line(lines.number, line, size_bytes, json);
	takt_json_close_object(json);
	takt_json_close_object(json);
}

/* Copy the places that name a line, sorted; return their number. */
static size_t sort_places(const struct takt_source_place *places, size_t count,
			  struct takt_source_place *ret_sorted)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (places[i].file && *places[i].file && places[i].line)
			ret_sorted[kept++] = places[i];
	if (kept)
		qsort(ret_sorted, kept, sizeof(*ret_sorted), compare_places);
	return kept;
}

void takt_write_sources_json(const struct takt_source_place *places, size_t count, uint32_t context,
			     struct takt_text *text)
{
	struct takt_source_place *sorted = takt_xcalloc(count + 1, sizeof(*sorted));
	struct takt_json json;
	struct takt_file file;
	size_t kept = sort_places(places, count, sorted);

	takt_json_init(&json, text);
	takt_json_open_array(&json, NULL);
	for (size_t begin = 0, end; begin < kept; begin = end) {
		for (end = begin + 1;
		     end < kept && strcmp(sorted[end].file, sorted[begin].file) == 0; end++)
			;
		if (!takt_source_open(sorted[begin].file, &file))
			continue;
		write_file((struct wanted){sorted + begin, end - begin, context}, &file, &json);
		takt_file_close(&file);
	}
	takt_json_close_array(&json);
	free(sorted);
}
