/* SPDX-License-Identifier: MIT */
/* token: the words of a line of assembly text. */
#ifndef TAKT_INPUT_TOKEN_H
#define TAKT_INPUT_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

struct takt_token {
	const char *text;
	size_t size_bytes;
};

bool takt_is_name_char(char c);
/* Return the next word of a line, which must not be all blank, and move *line after the word. */
struct takt_token takt_token_next(const char **line, size_t *size_bytes);
/* Compare a word, or its beginning, with `text`; case does not matter. */
bool takt_token_is(struct takt_token word, const char *text);
bool takt_token_is_one_of(struct takt_token word, const char *const *names, size_t count);
bool takt_token_starts(struct takt_token word, const char *text);
/* True for a 64-bit general register of x86-64; true for a 32-bit one or "dword". */
bool takt_token_is_quad(struct takt_token word);
bool takt_token_is_double(struct takt_token word);

#endif
