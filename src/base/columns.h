/* SPDX-License-Identifier: MIT */
/*
 * columns: text tables of declared records. A table is a list of columns, each of which shows a
 * field of the rows' record (record.h), so text has the figures of JSON and CSV.
 *
 *	static const struct takt_column columns[] = {
 *		{"core", "name", -8, .gap = 0},
 *		{"distance", "distance_percent", 8, .gap = 2, .format = "%.1f %%"},
 *	};
 *
 * A field that only the text has is declared with TAKT_TEXT_FIELD().
 */
#ifndef TAKT_BASE_COLUMNS_H
#define TAKT_BASE_COLUMNS_H

#include "base/record.h"

struct takt_column {
	const char *head;
	const char *key;    /* the field that the column shows; "loop.cycles" is one of "loop" */
	int width;	    /* least width in characters; negative: text is at the left */
	uint32_t gap;	    /* blanks before the column */
	bool grouped;	    /* integers, which are not negative, have commas between thousands */
	uint32_t most;	    /* a longer value is cut to this width; 0: no limit */
	const char *format; /* printf()'s format of a floating-point number; NULL: "%.6g" */
	const char *zero;   /* text for the floating-point number 0; NULL: as other numbers */
	const char *null;   /* text for a value that is null; NULL: nothing */
};

/* A field that only text tables show: key, type, function … */
#define TAKT_TEXT_FIELD(key_, type_, ...)                                                          \
	{                                                                                          \
		.key = key_, .type = type_, .flags = TAKT_NO_JSON | TAKT_NO_CSV,                   \
		.compute = __VA_ARGS__                                                             \
	}

#define TAKT_GROUPED_SIZE 32

/* Write a number with commas between groups of three digits; return where it begins in `buffer`. */
const char *takt_text_grouped(uint64_t number, char buffer[TAKT_GROUPED_SIZE]);
/* Return the columns that UTF-8 text takes, each character counting as one. */
uint32_t takt_text_width(const char *string);
/*
 * Append foreign text on one line: tabs become blanks, other control characters '?'. Text
 * longer than `columns` is cut, with an ellipsis. Return the columns used.
 */
uint32_t takt_text_clean(struct takt_text *text, const char *string, uint32_t columns);

/* Append the line of the columns' heads. */
void takt_columns_write_head(const struct takt_column *columns, size_t count,
			     struct takt_text *text);
/* Append the line of a row, a struct of the record's type. */
void takt_columns_write_row(const struct takt_column *columns, size_t count,
			    const struct takt_record *record, const void *row,
			    struct takt_text *text);

/* An array of structs that a record declares. */
struct takt_table_rows {
	const struct takt_record *record;
	const void *first;
	size_t count, size_bytes; /* of one row */
};

#define TAKT_TABLE_ROWS(record_, first_, count_)                                                   \
	(&(const struct takt_table_rows){record_, first_, count_, sizeof((first_)[0])})

/* Append the heads and all rows; functions get the first row as root. */
void takt_columns_write(const struct takt_column *columns, size_t count,
			const struct takt_table_rows *rows, struct takt_text *text);

#endif
