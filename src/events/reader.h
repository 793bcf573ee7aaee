/* SPDX-License-Identifier: MIT */
/* reader: files of groups and events line by line, with errors at the offending word. */
#ifndef TAKT_EVENTS_READER_H
#define TAKT_EVENTS_READER_H

#include "events/events.h"

struct events_word {
	const char *data;
	size_t size;
};

struct events_reader {
	struct takt_arena *arena;
	struct takt_diag *diag;
	const char *path;
	struct takt_lines lines;
	const char *line; /* without comment and blanks at its end */
	size_t size, at;
	uint32_t error_count;
};

void takt_events_reader_init(struct events_reader *reader, const struct events_text *text,
			     struct takt_arena *arena, struct takt_diag *diag);
/* The next line that has something. */
bool takt_events_reader_line(struct events_reader *reader);
/* Up to the next blank; empty at the end. */
struct events_word takt_events_reader_word(struct events_reader *reader);
struct events_word takt_events_reader_rest(struct events_reader *reader);
/* "takt KIND 1" */
bool takt_events_reader_header(struct events_reader *reader, const char *kind);
/* At a word of the current line; returns false. */
bool takt_events_reader_error(struct events_reader *reader, struct events_word word,
			      const char *format, ...) TAKT_PRINTF(3, 4);
char *takt_events_word_copy(struct events_reader *reader, struct events_word word);
bool takt_events_word_is(struct events_word word, const char *text);
/* Letters, digits and any of `others`; not empty. */
bool takt_events_word_is_name(struct events_word word, const char *others);

#endif
