/* SPDX-License-Identifier: MIT */
/*
 * CSV files: a first line that identifies the format, notes, names of columns, and rows of fields
 * separated by commas.
 */
#ifndef TAKT_BASE_CSV_H
#define TAKT_BASE_CSV_H

#include "base/base.h"

#define CSV_FIELDS_MAX 20u
#define CSV_ROWS_MAX 1000000u

struct csv_field {
	const char *text; /* not NUL-terminated */
	size_t size;
};

struct csv_reader {
	const char *path;
	struct takt_diag *diag;
	struct takt_arena *arena;
	struct takt_lines lines;
	const char *line;
	size_t line_size;
	struct csv_field fields[CSV_FIELDS_MAX]; /* fields of the current row */
	uint32_t field_count, rows;
	/* Called for each line "# name: text" before the columns. */
	void (*note)(void *context, const char *name, const char *text);
	void *context;
	bool failed;
};

/*
 * Begin to read a file. `first` is its first line and `columns` the line "a,b,c" of names, as the
 * writer wrote them. Returns false if the file is of another format.
 */
bool takt_csv_begin(struct csv_reader *reader, const void *data, size_t size_bytes,
		    const char *first, const char *columns);
/* Read the next row; false at the end or after an error (`failed`). */
bool takt_csv_next(struct csv_reader *reader);
/* Report an error at a field of the row. */
void takt_csv_fail(struct csv_reader *reader, uint32_t field, const char *what);
/* Return a field as text in the arena, as a finite number, or as an integer of at most `most`. */
const char *takt_csv_text(struct csv_reader *reader, uint32_t field);
double takt_csv_number(struct csv_reader *reader, uint32_t field);
uint64_t takt_csv_integer(struct csv_reader *reader, uint32_t field, uint64_t most);
/* Return the index of the field's word in `words`. */
uint32_t takt_csv_word(struct csv_reader *reader, uint32_t field, const char *const *words,
		       uint32_t count);

#endif
