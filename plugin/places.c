/* SPDX-License-Identifier: MIT */
/*
 * The file that code comes from. qemu maps the guest's files into its own memory, so the kernel's
 * list of qemu's mappings has it. The list is read again after the guest has changed its mappings.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

#define MAPS_LINE_BYTES_MAX (FEED_PATH_BYTES_MAX + 256)

struct mapping {
	uint64_t begin, end, offset;
	char *path;
};

static struct mapping *mappings; /* by ascending address */
static size_t mapping_count, mapping_capacity;
static _Atomic bool changed = true;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void places_changed(void)
{
	atomic_store(&changed, true);
}

/* Add the mapping of a line "BEGIN-END PERMISSIONS OFFSET DEVICE INODE   PATH". */
static void add_mapping(char *line)
{
	struct mapping mapping = {0};
	char *path = strchr(line, '/');

	if (!path || sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &mapping.begin,
			    &mapping.end, &mapping.offset) != 3)
		return;
	path[strcspn(path, "\n")] = '\0';
	if (mapping_count == mapping_capacity) {
		size_t capacity = mapping_capacity ? 2 * mapping_capacity : 64;
		struct mapping *more = realloc(mappings, capacity * sizeof(*more));

		if (!more) {
			feed_give_up(&feed->short_of_memory);
			return;
		}
		mappings = more;
		mapping_capacity = capacity;
	}
	mapping.path = strdup(path);
	if (mapping.path)
		mappings[mapping_count++] = mapping;
	else
		feed_give_up(&feed->short_of_memory);
}

static void read_mappings(void)
{
	static char line[MAPS_LINE_BYTES_MAX];
	FILE *file = fopen("/proc/self/maps", "re");

	while (mapping_count)
		free(mappings[--mapping_count].path);
	if (!file) {
		feed_give_up(&feed->places_unknown);
		return;
	}
	while (fgets(line, sizeof(line), file))
		add_mapping(line);
	if (!feof(file))
		feed_give_up(&feed->places_unknown);
	fclose(file);
}

static const struct mapping *find(uint64_t address)
{
	size_t low = 0, high = mapping_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (mappings[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < mapping_count && mappings[low].begin <= address ? &mappings[low] : NULL;
}

void places_find(const void *address, struct trace_block_header *header)
{
	uint64_t place = (uint64_t)(uintptr_t)address;
	const struct mapping *mapping;

	if (!address)
		return;
	pthread_mutex_lock(&lock);
	if (atomic_exchange(&changed, false))
		read_mappings();
	mapping = find(place);
	if (mapping) {
		header->file = feed_file_number(feed, mapping->path);
		header->file_offset = header->file ? place - mapping->begin + mapping->offset : 0;
	}
	pthread_mutex_unlock(&lock);
}

void places_lock(void)
{
	pthread_mutex_lock(&lock);
}

void places_unlock(void)
{
	pthread_mutex_unlock(&lock);
}
