/* SPDX-License-Identifier: MIT */
/*
 * Private to the room: all levels and translations as words in one block of memory. A set is
 * its ways in the order of their last use, so that the line to replace is the last; a word is a
 * line's address with its state in the low bits, 0 an empty way.
 */
#ifndef TAKT_CACHE_HIERARCHY_H
#define TAKT_CACHE_HIERARCHY_H

#include <string.h>

#include "cache/cache.h"

#define LINE_BYTES_MIN 32 /* leaves room for the state */

enum {
	WORD_VALID = 1,
	WORD_DIRTY = 2,
	WORD_PREFETCHED = 4, /* and not yet used */
	WORD_FROM_SHIFT = 3, /* by a prefetch from this level: two bits */
	WORD_STATE = 31,
};

enum array_index {
	ARRAY_L1D,
	ARRAY_L2,
	ARRAY_L3,
	ARRAY_L1I,
	ARRAY_ITLB,
	ARRAY_DTLB,
	ARRAY_STLB,
	ARRAY_COUNT
};

struct array {
	uint64_t first; /* word */
	uint64_t sets, line_mask;
	uint32_t ways; /* 0: there is no such array */
	uint8_t line_shift;
	bool odd_sets; /* no power of two */
};

/* Where fetches, or loads and stores, last were: that line and page are the latest of their sets. */
struct place {
	uint64_t line, page; /* keys; 0: nowhere */
	uint64_t slot;       /* the line's word */
};

/* A page in which the stride prefetcher watches misses. */
struct watch {
	uint64_t page, last;
	int64_t stride;
};

#define WATCHES_BITS 6

struct cache_hierarchy {
	uint64_t bytes; /* of all this */
	struct array arrays[ARRAY_COUNT];
	uint64_t page_mask;
	bool next_line_prefetch, stride_prefetch, crossing_together;
	struct place places[2]; /* of fetches; of loads and stores */
	struct watch watches[1 << WATCHES_BITS];
	struct cache_counts counts;
	uint64_t words[];
};

/* Words that an array of the shape needs; false if the shape makes no sense. */
bool takt_cache_shape_arrays(const struct cache_shape *shape, struct array ret_arrays[ARRAY_COUNT],
			     uint64_t *ret_words);

/* A word of this line, state left out. */
static inline uint64_t array_key(const struct array *array, uint64_t address)
{
	return (address & array->line_mask) | WORD_VALID;
}

static inline bool word_is(uint64_t word, uint64_t key)
{
	return ((word ^ key) & ~(uint64_t)(WORD_STATE & ~WORD_VALID)) == 0;
}

static inline uint64_t *array_set(struct cache_hierarchy *hierarchy, const struct array *array,
				  uint64_t address)
{
	uint64_t line = address >> array->line_shift;
	uint64_t set = array->odd_sets ? line % array->sets : line & (array->sets - 1);

	return hierarchy->words + array->first + set * array->ways;
}

/* Makes the line the latest of its set. True if it was there; if not, what had to give way. */
static inline bool set_use(uint64_t *set, uint32_t ways, uint64_t key, uint64_t *ret_victim)
{
	uint64_t carried = set[0];

	*ret_victim = 0;
	if (word_is(carried, key))
		return true;
	for (uint32_t i = 1; i < ways; i++) {
		uint64_t word = set[i];

		set[i] = carried;
		if (word_is(word, key)) {
			set[0] = word;
			return true;
		}
		carried = word;
	}
	set[0] = key;
	*ret_victim = carried;
	return false;
}

/* The line's word, its place in the order unchanged; NULL if it is not there. */
static inline uint64_t *set_find(uint64_t *set, uint32_t ways, uint64_t key)
{
	for (uint32_t i = 0; i < ways; i++)
		if (word_is(set[i], key))
			return &set[i];
	return NULL;
}

/* Brings the line into all levels behind the first; the level that had it. */
uint8_t takt_cache_bring(struct cache_hierarchy *hierarchy, uint64_t address);
/* A line evicted from this level goes where it belongs. */
void takt_cache_evict(struct cache_hierarchy *hierarchy, uint8_t level, uint64_t word);
/* After a miss, or the first use of what a prefetch brought. */
void takt_cache_prefetch(struct cache_hierarchy *hierarchy, enum cache_kind kind,
			 uint64_t address);

#endif
