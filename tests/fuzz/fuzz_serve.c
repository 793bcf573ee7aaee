/* SPDX-License-Identifier: MIT */
/* Any bytes as a request: the target, then a newline, method, host, origin and site, a line each.
 */
#include <stdlib.h>
#include <string.h>

#include "serve/serve.h"

#define TOKEN "0123456789abcdef0123456789abcdef"
#define PORT 8000
#define LINES 5

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_query(const struct serve_query *query)
{
	if (query->core_count > SERVE_CORES_MAX || query->setting_count > SERVE_SETTINGS_MAX ||
	    query->kind >= SERVE_KIND_COUNT || query->alignment > 64)
		abort();
	for (size_t i = 0; i < query->core_count; i++)
		if (!*query->cores[i] || strpbrk(query->cores[i], "\n\t\177"))
			abort();
	for (size_t i = 0; i < query->setting_count; i++)
		if (!*query->settings[i].name || strchr(query->settings[i].name, '='))
			abort();
}

static void read_query(const char *target)
{
	struct takt_diag *diag = takt_diag_new();
	struct serve_query query;
	struct takt_arena arena = {0};

	if (takt_serve_query_read(target, &arena, diag, &query))
		check_query(&query);
	else if (takt_diag_error_count(diag) != 1)
		abort();
	takt_arena_release(&arena);
	takt_diag_free(diag);
}

/* Split the flags of a compiler as the server does: none that is allowed names a file. */
static void check_flags(const char *text, struct takt_arena *arena)
{
	while (*text) {
		size_t size = strcspn(text, " ");
		const char *word = takt_arena_copy(arena, text, size);

		if (takt_serve_flag_allowed(word) && (word[0] != '-' || strpbrk(word, "/@,$`\"'")))
			abort();
		text += size + (text[size] == ' ');
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *lines[LINES] = {"", "GET", NULL, NULL, NULL}, *line, *rest = NULL;
	struct serve_client client;
	struct takt_arena arena = {0};
	struct takt_lines reader;
	size_t line_size;

	takt_lines_init(&reader, data, size);
	for (size_t i = 0; i < LINES && takt_lines_next(&reader, &line, &line_size); i++)
		lines[i] = takt_arena_copy(&arena, line, line_size);
	client = (struct serve_client){lines[1], lines[0], lines[2], lines[3], lines[4]};
	/* Only the token leads on; what follows it is read. */
	if (takt_serve_guard(&client, TOKEN, PORT, &rest) == 0) {
		if (strncmp(lines[0], "/" TOKEN "/", sizeof(TOKEN) + 1) != 0 || !client.host)
			abort();
		read_query(rest);
	} else if (rest) {
		abort();
	}
	read_query(lines[0]);
	check_flags(lines[0], &arena);
	takt_arena_release(&arena);
	return 0;
}
