/* SPDX-License-Identifier: MIT */
/*
 * json_read: reads JSON value by value in the order of the text. Nothing is kept of values that
 * are skipped, so that a long result costs no memory. After an error, which is reported once with
 * its line and an excerpt, all functions return false.
 */
#ifndef TAKT_TRACE_JSON_READ_H
#define TAKT_TRACE_JSON_READ_H

#include "base/base.h"

struct json_reader {
	const char *start, *next, *end;
	const char *name; /* for messages */
	struct takt_diag *diag;
	struct takt_arena *arena; /* strings are allocated in it */
	unsigned depth;
	bool first; /* no element of the current array or object was read yet */
	bool failed;
};

void json_reader_init(struct json_reader *reader, const void *data, size_t size_bytes,
		      const char *name, struct takt_arena *arena, struct takt_diag *diag);
bool json_read_fail(struct json_reader *reader, const char *what);

/* Return the kind of the next value: '{', '[', '"', '0' for numbers, 't', 'f', 'n'; 0: none. */
char json_read_peek(struct json_reader *reader);
/*
 * Read an array (with '[') or, with json_read_member() for each element, an object ('{'):
 *
 *	if (json_read_begin(reader, '['))
 *		while (json_read_element(reader))
 *			json_read_unsigned(reader, &numbers[i++]);
 */
bool json_read_begin(struct json_reader *reader, char bracket);
bool json_read_element(struct json_reader *reader);
/* Go to the next member of an object and read its key; a key of `size` bytes or more is cut. */
bool json_read_member(struct json_reader *reader, char *ret_key, size_t size);

/* Read a number; null gives 0. A fraction, or a number that does not fit, is an error. */
bool json_read_unsigned(struct json_reader *reader, uint64_t *ret_value);
/* Read a finite number, which may have a fraction. */
bool json_read_real(struct json_reader *reader, double *ret_value);
bool json_read_signed(struct json_reader *reader, int64_t *ret_value);
bool json_read_bool(struct json_reader *reader, bool *ret_value);
/* Read a string; null gives NULL. */
bool json_read_string(struct json_reader *reader, const char **ret_value);
bool json_read_skip(struct json_reader *reader);
/* True if nothing but white space is left. */
bool json_read_end(struct json_reader *reader);

#endif
