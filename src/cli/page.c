/* SPDX-License-Identifier: MIT */
/* Reports for a browser: when one is wanted, and a command's JSON as one. */
#include "cli/cli.h"

#define WORDS_MAX 1000

/* The command line as given, since reading its options reorders it; set once, by main(). */
static char *command_words[WORDS_MAX];
static size_t command_word_count;

void takt_page_set_command(int argc, char **argv)
{
	static char name[] = "takt";

	for (int i = 0; i < argc && i < WORDS_MAX; i++)
		command_words[command_word_count++] = i ? argv[i] : name;
}

void takt_page_write(struct takt_page page, struct takt_text *text)
{
	page.arguments = command_words;
	page.argument_count = command_word_count;
	takt_write_page(&page, text);
}

void takt_page_wrap(struct takt_page page, struct takt_text **text)
{
	struct takt_text *whole = takt_text_new();

	page.report = takt_text_data(*text);
	takt_page_write(page, whole);
	takt_text_free(*text);
	*text = whole;
}
