/* SPDX-License-Identifier: MIT */
/*
 * CSV files: a first line that identifies the format, notes, names of columns, and rows of fields
 * separated by commas.
 */
#ifndef TAKT_BASE_CSV_H
#define TAKT_BASE_CSV_H

#include "base/record.h"

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
	const struct takt_record *record;
	struct takt_lines lines;
	const char *line;
	size_t line_size;
	struct csv_field fields[CSV_FIELDS_MAX]; /* fields of the current row */
	uint32_t field_count, column_count, rows;
	/* Called for each line "# name: text" before the columns. */
	void (*note)(void *context, const char *name, const char *text);
	void *context;
	bool failed;
};

/*
 * Begin to read a file whose rows the record declares. `first` is its first line, as the writer
 * wrote it. Returns false if the file is of another format.
 */
bool takt_csv_begin(struct csv_reader *reader, const void *data, size_t size_bytes,
		    const char *first, const struct takt_record *record);
/* Go to the next row; false at the end or after an error (`failed`). */
bool takt_csv_next(struct csv_reader *reader);
/* Read the row into the struct. Strings are in the arena; numbers must be finite. */
void takt_csv_read(struct csv_reader *reader, void *data);
/* Report an error at the field of the row that has this key. */
void takt_csv_fail(struct csv_reader *reader, const char *key, const char *what);

#endif
