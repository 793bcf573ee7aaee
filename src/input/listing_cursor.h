/* SPDX-License-Identifier: MIT */
/* listing_cursor: parts of a line that a disassembler printed. Private to the readers of listings.
 */
#ifndef TAKT_INPUT_LISTING_CURSOR_H
#define TAKT_INPUT_LISTING_CURSOR_H

#include <string.h>

#include "base/base.h"
#include "input/token.h"

/* A part of a line that is being read. */
struct cursor {
	const char *at, *end;
};

static inline bool is_hex(char c)
{
	return takt_hex_digit(c) >= 0;
}

static inline void skip_blanks(struct cursor *c)
{
	while (c->at < c->end && takt_is_blank(*c->at))
		c->at++;
}

static inline bool skip_text(struct cursor *c, const char *text)
{
	size_t size = strlen(text);

	if ((size_t)(c->end - c->at) < size || memcmp(c->at, text, size) != 0)
		return false;
	c->at += size;
	return true;
}

static inline size_t skip_hex(struct cursor *c, uint64_t *ret_number)
{
	const char *begin = c->at;

	*ret_number = 0;
	for (; c->at < c->end && is_hex(*c->at); c->at++)
		*ret_number = *ret_number << 4 | (unsigned)takt_hex_digit(*c->at);
	return (size_t)(c->at - begin);
}

static inline void trim(struct cursor *c)
{
	skip_blanks(c);
	while (c->at < c->end && (takt_is_blank(c->end[-1]) || c->end[-1] == '\r'))
		c->end--;
}

/*
 * Return true for what objdump -r prints after an address: "R_X86_64_PC32	.LC0-0x4", or
 * llvm-objdump -r for objects of Windows and macOS, whose relocations are not applied.
 */
static inline bool is_relocation(struct cursor c)
{
	static const char *const others[] = {"IMAGE_REL_", "X86_64_RELOC_", "ARM64_RELOC_"};

	for (size_t i = 0; i < TAKT_COUNT_OF(others); i++) {
		struct cursor try = c;

		if (skip_text(&try, others[i]))
			return true;
	}
	return c.end - c.at > 3 && c.at[0] == 'R' && c.at[1] == '_' && c.at[2] >= 'A' &&
	       c.at[2] <= 'Z';
}

/*
 * Return where a relocation begins, with its address if it has one; the end if there is none.
 * objdump -rw prints it after the instruction.
 */
static inline const char *find_relocation(struct cursor c)
{
	struct cursor try = c;

	while ((try.at = memmem(try.at, (size_t)(c.end - try.at), "R_", 2))) {
		const char *at = try.at;

		if (is_relocation(try) && at > c.at && takt_is_blank(at[-1])) {
			while (at > c.at && takt_is_blank(at[-1]))
				at--;
			at -= at > c.at && at[-1] == ':';
			while (at > c.at && is_hex(at[-1]))
				at--;
			return at;
		}
		try.at += 2;
	}
	return c.end;
}

#endif
