/* SPDX-License-Identifier: MIT */
/* An access through translations and levels. */
#include <stdlib.h>

#include "cache/hierarchy.h"

struct cache_hierarchy *takt_cache_new(const struct cache_shape *shape)
{
	struct array arrays[ARRAY_COUNT];
	struct cache_hierarchy *hierarchy;
	uint64_t words;
	size_t bytes;

	if (!takt_cache_shape_arrays(shape, arrays, &words))
		return NULL;
	bytes = sizeof(*hierarchy) + words * sizeof(hierarchy->words[0]);
	hierarchy = calloc(1, bytes);
	if (!hierarchy)
		return NULL;
	hierarchy->bytes = bytes;
	memcpy(hierarchy->arrays, arrays, sizeof(arrays));
	hierarchy->page_mask = ~(uint64_t)(shape->page_bytes - 1);
	hierarchy->next_line_prefetch = shape->next_line_prefetch;
	hierarchy->stride_prefetch = shape->stride_prefetch;
	hierarchy->crossing_together = shape->crossing_together;
	return hierarchy;
}

size_t takt_cache_bytes(const struct cache_hierarchy *hierarchy)
{
	return hierarchy->bytes;
}

const struct cache_counts *takt_cache_counts(const struct cache_hierarchy *hierarchy)
{
	return &hierarchy->counts;
}

void takt_cache_evict(struct cache_hierarchy *hierarchy, uint8_t level, uint64_t word)
{
	uint64_t address = word & ~(uint64_t)WORD_STATE;

	if (!(word & WORD_DIRTY))
		return;
	hierarchy->counts.write_backs[level]++;
	for (uint8_t next = level + 1; next < CACHE_LEVELS_MAX; next++) {
		const struct array *array = &hierarchy->arrays[ARRAY_L1D + next];
		uint64_t *found;

		if (!array->ways)
			continue;
		found = set_find(array_set(hierarchy, array, address), array->ways,
				 array_key(array, address));
		if (found) {
			*found |= WORD_DIRTY;
			return;
		}
		hierarchy->counts.write_backs[next]++;
	}
}

uint8_t takt_cache_bring(struct cache_hierarchy *hierarchy, uint64_t address)
{
	for (uint8_t level = 1; level < CACHE_LEVELS_MAX; level++) {
		const struct array *array = &hierarchy->arrays[ARRAY_L1D + level];
		uint64_t victim;

		if (!array->ways)
			continue;
		if (set_use(array_set(hierarchy, array, address), array->ways,
			    array_key(array, address), &victim))
			return level;
		takt_cache_evict(hierarchy, level, victim);
	}
	return CACHE_MEMORY;
}

/* True if the first level has the line, as now it does in any case. */
static bool use_line(struct cache_hierarchy *hierarchy, enum cache_kind kind, uint64_t address,
		     struct cache_result *result)
{
	const struct array *array = &hierarchy->arrays[kind == CACHE_FETCH ? ARRAY_L1I : ARRAY_L1D];
	struct place *place = &hierarchy->places[kind != CACHE_FETCH];
	uint64_t *set = array_set(hierarchy, array, address);
	uint64_t key = array_key(array, address), victim;
	bool hit = set_use(set, array->ways, key, &victim);

	if (!hit) {
		takt_cache_evict(hierarchy, 0, victim);
	} else if (set[0] & WORD_PREFETCHED) {
		result->prefetched = true;
		result->prefetched_from = set[0] >> WORD_FROM_SHIFT & 3;
		set[0] = key | (set[0] & WORD_DIRTY);
		hierarchy->counts.useful_prefetches++;
	}
	if (kind == CACHE_STORE)
		set[0] |= WORD_DIRTY;
	place->line = key;
	place->slot = (uint64_t)(set - hierarchy->words);
	return hit;
}

/* All lines from `first` on to `last`. */
static void use_lines(struct cache_hierarchy *hierarchy, enum cache_kind kind, uint64_t first,
		      uint64_t last, struct cache_result *result)
{
	const struct array *array = &hierarchy->arrays[kind == CACHE_FETCH ? ARRAY_L1I : ARRAY_L1D];
	uint64_t count = (last >> array->line_shift) - (first >> array->line_shift) + 1;
	uint64_t start = first & array->line_mask;
	uint64_t brought = 0; /* so many lines are, or need not be */
	bool missed = false;

	result->lines = count < UINT8_MAX ? (uint8_t)count : UINT8_MAX;
	for (uint64_t i = 0; i < count; i++) {
		bool hit = use_line(hierarchy, kind, start + (i << array->line_shift), result);

		missed = !hit || (missed && hierarchy->crossing_together);
		if (!hierarchy->crossing_together)
			brought = i;
		for (; missed && brought <= i; brought++) {
			uint64_t lacking = start + (brought << array->line_shift);
			uint8_t level = takt_cache_bring(hierarchy, lacking);

			if (level > result->level)
				result->level = level;
		}
	}
}

static void translate(struct cache_hierarchy *hierarchy, enum cache_kind kind, uint64_t address,
		      struct cache_result *result)
{
	const struct array *tlb = &hierarchy->arrays[kind == CACHE_FETCH ? ARRAY_ITLB : ARRAY_DTLB];
	const struct array *second = &hierarchy->arrays[ARRAY_STLB];
	uint64_t victim;

	if (!tlb->ways || set_use(array_set(hierarchy, tlb, address), tlb->ways,
				  array_key(tlb, address), &victim))
		return;
	if (second->ways && set_use(array_set(hierarchy, second, address), second->ways,
				    array_key(second, address), &victim))
		result->tlb_miss = true;
	else
		result->page_walk = true;
}

static void translate_all(struct cache_hierarchy *hierarchy, enum cache_kind kind, uint64_t first,
			  uint64_t last, struct cache_result *result)
{
	struct place *place = &hierarchy->places[kind != CACHE_FETCH];
	uint64_t first_page = first & hierarchy->page_mask, last_page = last & hierarchy->page_mask;

	if (place->page != (first_page | WORD_VALID))
		translate(hierarchy, kind, first, result);
	if (last_page != first_page)
		translate(hierarchy, kind, last, result);
	place->page = last_page | WORD_VALID;
	if (result->page_walk) {
		result->tlb_miss = false;
		hierarchy->counts.page_walks[kind]++;
	} else if (result->tlb_miss) {
		hierarchy->counts.tlb_misses[kind]++;
	}
}

static void count_misses(struct cache_hierarchy *hierarchy, enum cache_kind kind, uint8_t level)
{
	for (uint8_t i = 0; i < level; i++)
		if (hierarchy->arrays[ARRAY_L1D + i].ways)
			hierarchy->counts.misses[kind][i]++;
}

void takt_cache_access(struct cache_hierarchy *hierarchy, enum cache_kind kind, uint64_t address,
		       uint32_t size_bytes, struct cache_result *ret_result)
{
	const struct array *array = &hierarchy->arrays[kind == CACHE_FETCH ? ARRAY_L1I : ARRAY_L1D];
	struct place *place = &hierarchy->places[kind != CACHE_FETCH];
	uint64_t last = address + (size_bytes ? size_bytes - 1 : 0);
	struct cache_result result = {.lines = 1};

	hierarchy->counts.accesses[kind]++;
	if (array_key(array, address) == place->line && array_key(array, last) == place->line) {
		/* Nothing came into the set or the page's since: only the state may change. */
		if (kind == CACHE_STORE)
			hierarchy->words[place->slot] |= WORD_DIRTY;
		*ret_result = result;
		return;
	}
	if (size_bytes > CACHE_ACCESS_BYTES_MAX)
		last = address + CACHE_ACCESS_BYTES_MAX - 1;
	if (last < address)
		last = UINT64_MAX;
	translate_all(hierarchy, kind, address, last, &result);
	use_lines(hierarchy, kind, address, last, &result);
	count_misses(hierarchy, kind, result.level);
	if (result.level || result.prefetched)
		takt_cache_prefetch(hierarchy, kind, last);
	*ret_result = result;
}
