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

bool takt_is_blank(char c);
bool takt_is_name_char(char c);
/* The next word of a line that is not all blank; moves *line behind it. */
struct takt_token takt_token_next(const char **line, size_t *size_bytes);
/* Of either case. */
bool takt_token_is(struct takt_token word, const char *text);
bool takt_token_starts(struct takt_token word, const char *text);
/* A general register of x86-64, of 64 bits; of 32, or "dword". */
bool takt_token_is_quad(struct takt_token word);
bool takt_token_is_double(struct takt_token word);

#endif
