/* SPDX-License-Identifier: MIT */
/* Regions between markers: the growth of a thread's counts in them. */
#include <assert.h>
#include <stdlib.h>

#include "events/oracle.h"

#define VALUES 65536u /* number of values that a marker can have */
#define NAME_BYTES_MAX 256u

struct oracle_name {
	char text[NAME_BYTES_MAX];
	uint32_t size_bytes;
};

/* Counts of a thread in a region. */
struct region_part {
	struct oracle_counts counts, start;
	uint64_t entries;
	uint32_t depth; /* starts that have no stop yet */
};

struct oracle_region {
	char *name;
	struct region_part **parts; /* parts by thread; NULL: the thread was never in the region */
	uint32_t part_count;
};

void oracle_regions_release(struct oracle_regions *regions)
{
	for (uint32_t i = 0; i < regions->count; i++) {
		for (uint32_t j = 0; j < regions->regions[i].part_count; j++)
			free(regions->regions[i].parts[j]);
		free(regions->regions[i].parts);
		free(regions->regions[i].name);
	}
	free(regions->regions);
	free(regions->numbers);
	for (uint32_t i = 0; i < regions->name_count; i++)
		free(regions->names[i]);
	free(regions->names);
}

bool oracle_regions_is_marker(uint64_t syscall)
{
	return trace_is_marker(syscall);
}

/* ---- names ---- */

static struct oracle_name *name_of(struct oracle_regions *regions, uint32_t thread)
{
	TAKT_GROW_ZEROED(regions->names, thread + 1, regions->name_count);
	if (!regions->names[thread])
		regions->names[thread] = takt_xcalloc(1, sizeof(**regions->names));
	return regions->names[thread];
}

static void spell(struct oracle_name *name, char letter)
{
	if (name->size_bytes + 1 < sizeof(name->text))
		name->text[name->size_bytes++] = letter;
	name->text[name->size_bytes] = '\0';
}

/* Return the region of a marker's value, a new one if there is none. */
static struct oracle_region *region_of(struct oracle_regions *regions, uint32_t value)
{
	if (!regions->numbers)
		regions->numbers = takt_xcalloc(VALUES, sizeof(*regions->numbers));
	if (!regions->numbers[value]) {
		regions->regions = takt_xrealloc(regions->regions, regions->count + 1u,
						 sizeof(*regions->regions));
		regions->regions[regions->count++] = (struct oracle_region){0};
		regions->numbers[value] = regions->count;
	}
	return &regions->regions[regions->numbers[value] - 1];
}

static void define(struct oracle_regions *regions, uint32_t thread, uint32_t value)
{
	struct oracle_region *region = region_of(regions, value);
	struct oracle_name *name = name_of(regions, thread);

	free(region->name);
	region->name = takt_xcalloc(name->size_bytes + 1u, 1);
	memcpy(region->name, name->text, name->size_bytes);
	name->size_bytes = 0;
}

/* ---- starts and stops ---- */

static struct region_part *part_of(struct oracle_region *region, uint32_t thread)
{
	TAKT_GROW_ZEROED(region->parts, thread + 1, region->part_count);
	assert(region->parts);
	if (!region->parts[thread])
		region->parts[thread] = takt_xcalloc(1, sizeof(**region->parts));
	return region->parts[thread];
}

static void stop(struct region_part *part, const struct oracle_counts *counts)
{
	oracle_counts_add(&part->counts, counts, 1);
	/* Subtracts: the factor is -1 modulo 2^64. */
	oracle_counts_add(&part->counts, &part->start, UINT64_MAX);
}

void oracle_regions_mark(struct oracle_regions *regions, uint32_t thread, uint64_t syscall,
			 const struct oracle_counts *counts)
{
	uint32_t value = (uint32_t)syscall & (VALUES - 1);
	struct region_part *part;

	switch ((enum marker_operation)(syscall >> 16 & 3)) {
	case MARKER_NAME:
		spell(name_of(regions, thread), (char)value);
		break;
	case MARKER_DEFINE:
		define(regions, thread, value);
		break;
	case MARKER_START:
		part = part_of(region_of(regions, value), thread);
		part->entries++;
		if (!part->depth++)
			part->start = *counts;
		break;
	case MARKER_STOP:
		part = part_of(region_of(regions, value), thread);
		if (part->depth && !--part->depth)
			stop(part, counts);
		break;
	}
}

void oracle_regions_end_thread(struct oracle_regions *regions, uint32_t thread,
			       const struct oracle_counts *counts)
{
	for (uint32_t i = 0; i < regions->count; i++) {
		struct oracle_region *region = &regions->regions[i];

		if (thread >= region->part_count || !region->parts[thread] ||
		    !region->parts[thread]->depth)
			continue;
		region->parts[thread]->depth = 0;
		stop(region->parts[thread], counts);
	}
	if (thread < regions->name_count) {
		free(regions->names[thread]);
		regions->names[thread] = NULL;
	}
}

const char *oracle_regions_name(const struct oracle_regions *regions, uint32_t region)
{
	return regions->regions[region].name ? regions->regions[region].name : "?";
}

const struct oracle_counts *oracle_regions_counts(const struct oracle_regions *regions,
						  uint32_t number, uint32_t thread,
						  uint64_t *ret_entries)
{
	static const struct oracle_counts none;
	const struct oracle_region *region = &regions->regions[number];

	*ret_entries = 0;
	if (thread >= region->part_count || !region->parts[thread])
		return &none;
	*ret_entries = region->parts[thread]->entries;
	return &region->parts[thread]->counts;
}
