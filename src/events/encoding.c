/* SPDX-License-Identifier: MIT */
/* Encodings of events in the kernel's notation: "cpu/event=0x51,umask=0x1/". */
#include <stdlib.h>
#include <string.h>

#include "events/backend.h"

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || takt_is_digit(c) || c == '_' || c == '-';
}

static size_t word_size(const char *text)
{
	size_t size = 0;

	while (is_word(text[size]))
		size++;
	return size;
}

/* Parse NAME or NAME=NUMBER. Returns its end, or NULL if it is neither. */
static const char *parse_term(const char *at, struct takt_arena *arena,
			      struct events_term *ret_term)
{
	size_t size = word_size(at);
	char *end;

	if (!size)
		return NULL;
	*ret_term = (struct events_term){.name = takt_arena_copy(arena, at, size)};
	at += size;
	if (*at != '=')
		return at;
	if (at[1] < '0' || at[1] > '9')
		return NULL;
	ret_term->value = strtoull(at + 1, &end, 0);
	ret_term->has_value = true;
	return end;
}

bool takt_events_encoding_parse(const char *text, struct takt_arena *arena,
				struct events_encoding *ret_encoding)
{
	size_t size = word_size(text);

	*ret_encoding = (struct events_encoding){.pmu = takt_arena_copy(arena, text, size)};
	if (!size || text[size] != '/')
		return false;
	text += size + 1;
	while (ret_encoding->term_count < EVENTS_TERMS_MAX) {
		text = parse_term(text, arena, &ret_encoding->terms[ret_encoding->term_count++]);
		if (!text)
			return false;
		if (*text == '/')
			return text[1] == '\0';
		if (*text++ != ',')
			return false;
	}
	return false;
}
