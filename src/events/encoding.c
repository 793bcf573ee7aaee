/* SPDX-License-Identifier: MIT */
/* Encodings of events in the kernel's notation: "cpu/event=0x51,umask=0x1/". */
#include <stdlib.h>

#include "events/backend.h"

#define TERMS_MAX 12u

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

/* Return the end of NAME or NAME=NUMBER, or NULL if the text begins with neither. */
static const char *term_end(const char *text)
{
	size_t size = word_size(text);
	char *end;

	if (!size || text[size] != '=')
		return size ? text + size : NULL;
	text += size + 1;
	if (!takt_is_digit(*text))
		return NULL;
	strtoull(text, &end, 0);
	return end;
}

bool takt_events_is_encoding(const char *text)
{
	size_t size = word_size(text);

	if (!size || text[size] != '/')
		return false;
	text += size + 1;
	for (unsigned i = 0; i < TERMS_MAX; i++) {
		text = term_end(text);
		if (!text)
			return false;
		if (*text == '/')
			return text[1] == '\0';
		if (*text++ != ',')
			return false;
	}
	return false;
}
