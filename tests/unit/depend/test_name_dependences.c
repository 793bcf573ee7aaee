/* SPDX-License-Identifier: MIT */
/* Name dependences: what overwrites what first, in registers and in memory. */
#include "blocks.h"

struct row {
	int line;
	const char *hex;
	const char *wanted; /* "from-to/iterations", with w for WAW, and m for memory */
	const char *what;
};

/* Register dependences come first, by instruction; then those in memory. */
static const struct row rows[] = {
	{__LINE__, "90", "", "nop"},
	{__LINE__, "b801000000", "0-0/1w", "mov eax, 1: the next iteration's"},
	{__LINE__, "89c8b901000000", "0-0/1w 0-1/0 1-1/1w", "mov eax, ecx; mov ecx, 1"},
	{__LINE__, "b90100000089c8", "0-0/1w 1-1/1w 1-0/1", "the write is in the next iteration"},
	{__LINE__, "89c8b901000000b902000000", "0-0/1w 0-1/0 1-2/0w 2-1/1w",
	 "the first of two writes"},
	{__LINE__, "83c001", "0-0/1w", "add eax, 1: what it reads, it overwrites itself"},
	{__LINE__, "488b07488947f84883c708", "0-0/1w 0-2/0 1-2/0 1-0/1 2-2/1w 0-1/1m",
	 "mov rax, [rdi]; mov [rdi-8], rax; add rdi, 8: overwritten an iteration later"},
	{__LINE__, "488b074889074883c708", "0-0/1w 0-2/0 1-2/0 1-0/1 2-2/1w 0-1/0m",
	 "in place: overwritten at once"},
	{__LINE__, "488b07488947084883c708", "0-0/1w 0-2/0 1-2/0 1-0/1 2-2/1w",
	 "stored ahead: what was read is not overwritten"},
	{__LINE__, "4889074889074883c708", "0-2/0 1-2/0 2-2/1w 0-1/0wm", "two stores to one place"},
	{__LINE__, "488907488947fc4883c708", "0-2/0 1-2/0 2-2/1w 0-1/0wm", "half of it"},
	{__LINE__, "488907488906", "0-0/1wm 1-1/1wm", "two pointers: each place anew each time"},
};

static void describe(const struct takt_name_dependences *found, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < found->count; i++) {
		const struct takt_name_dependence *item = &found->items[i];

		used += (size_t)snprintf(text + used, size - used, "%s%u-%u/%u%s%s", i ? " " : "",
					 item->from, item->to, item->iterations,
					 item->output ? "w" : "", item->location ? "" : "m");
	}
}

int main(void)
{
	struct takt_arena arena = {0};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		const struct takt_memory_options options = {.loop = true};
		struct takt_block block = make_block(rows[i].hex, &arena);
		struct takt_name_dependences found;
		char got[512];

		takt_name_dependences_find(&block, &options, &arena, &found);
		describe(&found, got, sizeof(got));
		tap_ok_at(__FILE__, rows[i].line, strcmp(got, rows[i].wanted) == 0, "%s: got '%s'",
			  rows[i].what, got);
	}
	takt_arena_release(&arena);
	return tap_done();
}
