/* SPDX-License-Identifier: MIT */
/* Writes one file of HTML: the program of web/ around the data. */
#include <string.h>

#include "page/page.h"

/*
 * Append JSON such that HTML sees no tag in it: "<" begins each of "</script>" and "<!--", and
 * stands only in JSON's strings, where it has another spelling.
 */
static void add_harmless(const char *json, struct takt_text *text)
{
	for (;;) {
		size_t size = strcspn(json, "<");

		takt_text_add(text, json, size);
		if (!json[size])
			return;
		takt_text_add_string(text, "\\u003c");
		json += size + 1;
	}
}

static void add_raw(struct takt_json *json, const char *key, const char *value)
{
	if (value && *value)
		takt_json_raw(json, key, value);
}

static void add_string(struct takt_json *json, const char *key, const char *value)
{
	if (value)
		takt_json_string(json, key, value);
}

static bool is_plain(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_./=:,+@%";

	return *word && word[strspn(word, plain)] == '\0';
}

/* Add an argument as a shell reads it. */
static void add_word(const char *word, struct takt_text *text)
{
	if (is_plain(word)) {
		takt_text_add_string(text, word);
		return;
	}
	takt_text_add_string(text, "'");
	for (; *word; word++)
		takt_text_add(text, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
	takt_text_add_string(text, "'");
}

static void add_command(const struct takt_page *page, struct takt_json *json)
{
	struct takt_text command = {0};

	for (size_t i = 0; i < page->argument_count; i++) {
		takt_text_add_string(&command, i ? " " : "");
		add_word(page->arguments[i], &command);
	}
	add_string(json, "command", command.data);
	takt_text_release(&command);
}

void takt_write_page(const struct takt_page *page, struct takt_text *text)
{
	struct takt_text data = {0};
	struct takt_json json;

	takt_json_init(&json, &data);
	takt_json_open_object(&json, NULL);
	add_string(&json, "kind", page->kind);
	add_command(page, &json);
	takt_json_string(&json, "version", TAKT_VERSION);
	add_raw(&json, "report", page->report);
	add_string(&json, "text", page->text);
	add_raw(&json, "timelines", page->timelines);
	add_raw(&json, "sources", page->sources);
	for (size_t i = 0; i < page->part_count; i++)
		add_raw(&json, page->parts[i].key, page->parts[i].json);
	takt_json_close_object(&json);
	takt_text_add(text, (const char *)takt_page_head, takt_page_head_bytes);
	add_harmless(data.data, text);
	takt_text_add(text, (const char *)takt_page_foot, takt_page_foot_bytes);
	takt_text_release(&data);
}
