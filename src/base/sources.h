/* SPDX-License-Identifier: MIT */
/* sources: lines of source files, for reports. */
#ifndef TAKT_BASE_SOURCES_H
#define TAKT_BASE_SOURCES_H

#include "base/base.h"

struct takt_source;

/* Source files that were asked for. A zero-initialised one is valid and empty. */
struct takt_sources {
	struct takt_source *list;
	uint32_t count, capacity;
};

/* Open a regular file of at most 16 MiB; nothing is reported if that is impossible. */
bool takt_source_open(const char *path, struct takt_file *ret_file);
/*
 * Find a line, counted from 1; it is not NUL-terminated, and valid until the files are released.
 * False if the file, which may be NULL, cannot be read or has no such line.
 */
bool takt_sources_line(struct takt_sources *sources, const char *path, uint32_t line,
		       const char **ret_line, size_t *ret_size_bytes);
void takt_sources_release(struct takt_sources *sources);

#endif
