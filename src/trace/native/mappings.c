/* SPDX-License-Identifier: MIT */
/* The files that a process has mapped, as /proc lists them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/native/native.h"

#define LINE_BYTES_MAX (FEED_PATH_BYTES_MAX + 256)

/* Add the mapping of a line "BEGIN-END PERMISSIONS OFFSET DEVICE INODE   PATH" if it has code. */
static void add(struct native_mappings *mappings, char *line, struct feed *feed)
{
	struct native_mapping mapping = {0};
	char *path = strchr(line, '/'), permissions[5];

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64, &mapping.begin, &mapping.end,
		   permissions, &mapping.offset) != 4 ||
	    !strchr(permissions, 'x'))
		return;
	if (path) {
		path[strcspn(path, "\n")] = '\0';
		mapping.file = feed_file_number(feed, path);
	}
	mapping.changeable = strchr(permissions, 'w') || strchr(permissions, 's');
	TAKT_GROW(mappings->items, mappings->count + 1, mappings->capacity);
	mappings->items[mappings->count++] = mapping;
}

void native_mappings_update(struct native_mappings *mappings, pid_t process, struct feed *feed)
{
	char path[32], *line = NULL;
	size_t size = 0;
	FILE *file;

	if (!mappings->stale)
		return;
	mappings->stale = false;
	mappings->count = 0;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)process);
	file = fopen(path, "re");
	if (!file) {
		atomic_store(&feed->places_unknown, 1);
		return;
	}
	while (getline(&line, &size, file) > 0)
		if (strlen(line) < LINE_BYTES_MAX)
			add(mappings, line, feed);
	free(line);
	fclose(file);
}

const struct native_mapping *native_mappings_find(const struct native_mappings *mappings,
						  uint64_t address)
{
	uint32_t at;

	TAKT_BISECT(at, mappings->count, mappings->items[at].end <= address);
	return at < mappings->count && mappings->items[at].begin <= address ? &mappings->items[at]
									    : NULL;
}
