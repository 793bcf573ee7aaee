/* SPDX-License-Identifier: MIT */
/*
 * Reports for a browser: one file of HTML that holds a command's JSON and all that shows it. It
 * loads nothing, from the network or elsewhere.
 */
#ifndef TAKT_PAGE_API_H
#define TAKT_PAGE_API_H

#include <takt/common.h>

#ifdef __cplusplus
extern "C" {
#endif

/* JSON that only one command's view knows, with its key in the page's data. */
struct takt_page_part {
	const char *key, *json;
};

/* Contents of a report. Members that are NULL are left out. */
struct takt_page {
	const char *kind;	/* the command whose result it is: "analyze"; chooses the view */
	char *const *arguments; /* the command line, with the program's name as the first word */
	size_t argument_count;
	const char *report;    /* the command's JSON */
	const char *text;      /* the same result as text */
	const char *timelines; /* JSON array of timelines, in the order of the report's regions */
	const char *sources;   /* JSON array from takt_write_sources_json() */
	const struct takt_page_part *parts; /* what a command's view shows besides */
	size_t part_count;
	TAKT_RESERVED;
};

/* Write the report. What the members contain is shown and never executed. */
TAKT_API void takt_write_page(const struct takt_page *page, struct takt_text *text);

/* A line of a source file. */
struct takt_source_place {
	const char *file; /* NULL: no place */
	uint32_t line;	  /* from 1; 0: no place */
};

/*
 * Write the text of these lines, and of `context` lines before and after each, as a JSON array of
 * {"file": …, "lines": {"12": "text", …}}. Files that cannot be read, are no regular ones, or are
 * larger than 16 MiB are left out.
 */
TAKT_API void takt_write_sources_json(const struct takt_source_place *places, size_t count,
				      uint32_t context, struct takt_text *text);

#ifdef __cplusplus
}
#endif

#endif
