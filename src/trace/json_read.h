/* SPDX-License-Identifier: MIT */
/*
 * JSON, value by value in the order of the text: nothing is kept of what is skipped, so that
 * a long result costs no memory. After an error, which is reported once with its place, all
 * functions return false.
 */
#ifndef TAKT_TRACE_JSON_READ_H
#define TAKT_TRACE_JSON_READ_H

#include "base/base.h"

struct json_reader {
	const char *start, *next, *end;
	const char *name; /* for messages */
	struct takt_diag *diag;
	struct takt_arena *arena; /* strings are in it */
	unsigned depth;
	bool first; /* nothing was read yet of the array or object */
	bool failed;
};

void json_reader_init(struct json_reader *reader, const void *data, size_t size_bytes,
		      const char *name, struct takt_arena *arena, struct takt_diag *diag);
bool json_read_fail(struct json_reader *reader, const char *what);

/* The kind of the value that comes: '{', '[', '"', '0' of numbers, 't', 'f', 'n'; 0: none. */
char json_read_peek(struct json_reader *reader);
/*
 *	if (json_read_begin(reader, '['))
 *		while (json_read_element(reader))
 *			json_read_integer(reader, &numbers[i++]);
 */
bool json_read_begin(struct json_reader *reader, char bracket);
bool json_read_element(struct json_reader *reader);
/* Of objects: the key, shorter than `size`; a longer one is cut. */
bool json_read_member(struct json_reader *reader, char *ret_key, size_t size);

/* null gives 0. Numbers with fractions, or that do not fit, are errors. */
bool json_read_unsigned(struct json_reader *reader, uint64_t *ret_value);
/* With a fraction, perhaps; finite. */
bool json_read_real(struct json_reader *reader, double *ret_value);
bool json_read_signed(struct json_reader *reader, int64_t *ret_value);
bool json_read_bool(struct json_reader *reader, bool *ret_value);
/* null gives NULL. */
bool json_read_string(struct json_reader *reader, const char **ret_value);
bool json_read_skip(struct json_reader *reader);
/* Nothing but white space is left. */
bool json_read_end(struct json_reader *reader);

#endif
