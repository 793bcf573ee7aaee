/* SPDX-License-Identifier: MIT */
/*
 * Private to the room: all levels and translations in one block of memory without pointers. A
 * line stays in the way where it came, which a stamp of its last use serves: the oldest of the
 * set gives way. So whoever remembers where a line was need only look whether it still is.
 */
#ifndef TAKT_CACHE_HIERARCHY_H
#define TAKT_CACHE_HIERARCHY_H

#include <string.h>

#include "cache/cache.h"

#define WAYS_MAX 4096u
#define LINE_BYTES_MIN 32u /* leaves room for the state */

/* A way's word is the line's address, and its state in the low bits; 0: empty. */
enum {
	WORD_VALID = 1,
	WORD_DIRTY = 2,
	WORD_PREFETCHED = 4, /* and not yet used */
	WORD_FROM_SHIFT = 3, /* by a prefetch from this level: two bits */
	WORD_STATE = 31,
};

/* Not padded: a large cache has millions. Nobody takes the address of a member. */
struct way {
	uint64_t word;
	uint32_t used; /* the clock's time; 0: never */
} __attribute__((packed, aligned(4)));

/* The first ways belong to no set. */
enum {
	WAY_NONE, /* has no line */
	WAY_FREE, /* the translation of all pages where that is free */
	WAYS_OWN
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
	uint64_t first; /* way */
	uint64_t sets, line_mask;
	uint32_t ways;  /* of a set; 0: there is no such array */
	uint8_t line_shift;
	bool odd_sets;  /* no power of two */
};

/* Where a line and its page's translation were when last used. */
struct memo {
	uint32_t line, page; /* ways */
};

#define MEMOS 512

/* The way of fetches, or of loads and stores, into the hierarchy. */
struct side {
	struct array cache, tlb;
	uint64_t page_mask; /* 0 if translations are free */
	struct memo memos[MEMOS]; /* by line */
};

/* A page in which the stride prefetcher watches misses. */
struct watch {
	uint64_t page, last;
	int64_t stride;
};

#define WATCHES_BITS 6

/* A line that stores past the caches are gathered for. */
struct gathering {
	uint64_t line;  /* with WORD_VALID; 0: none */
	uint64_t used;  /* the number of the last store to it */
	uint64_t bytes; /* stored to it so far */
};

#define GATHERING_MAX 32u

struct cache_hierarchy {
	uint64_t bytes; /* of all this */
	uint32_t clock; /* uses so far, or since they were numbered anew */
	struct side sides[2]; /* of fetches; of loads and stores */
	struct array levels[CACHE_LEVELS_MAX]; /* behind the first, which is not there */
	struct array stlb;
	uint64_t page_mask;
	bool next_line_prefetch, stride_prefetch, crossing_together;
	struct watch watches[1 << WATCHES_BITS];
	struct gathering gathering[GATHERING_MAX];
	uint32_t gathering_count;
	uint64_t gathered; /* stores so far */
	struct cache_counts counts;
	struct way ways[];
};

/* The arrays that a shape needs and the ways in all; false if the shape makes no sense. */
bool takt_cache_shape_arrays(const struct cache_shape *shape, struct array ret_arrays[ARRAY_COUNT],
			     uint64_t *ret_ways);

static inline struct side *kind_side(struct cache_hierarchy *hierarchy, enum cache_kind kind)
{
	return &hierarchy->sides[kind != CACHE_FETCH];
}

static inline struct way *array_set(struct cache_hierarchy *hierarchy, const struct array *array,
				    uint64_t address)
{
	uint64_t line = address >> array->line_shift;
	uint64_t set = array->odd_sets ? line % array->sets : line & (array->sets - 1);

	return &hierarchy->ways[array->first + set * array->ways];
}

/* Whatever the line's state. */
static inline bool way_has(const struct way *way, uint64_t line)
{
	return ((way->word ^ line) & ~(uint64_t)(WORD_STATE - WORD_VALID)) == 0;
}

/*
 * The way that has the line of this address; NULL: none. Looks at all of them: a branch out of
 * the loop would be mispredicted most of the time.
 */
static inline struct way *array_find(struct cache_hierarchy *hierarchy, const struct array *array,
				     uint64_t address)
{
	struct way *set = array_set(hierarchy, array, address), *found = NULL;
	uint64_t line = (address & array->line_mask) | WORD_VALID;

	for (uint32_t i = 0; i < array->ways; i++)
		found = way_has(&set[i], line) ? &set[i] : found;
	return found;
}

static inline struct way *array_oldest(struct cache_hierarchy *hierarchy,
				       const struct array *array, uint64_t address)
{
	struct way *set = array_set(hierarchy, array, address), *oldest = set;
	uint32_t used = UINT32_MAX;

	for (uint32_t i = 0; i < array->ways; i++) {
		bool older = set[i].used < used;

		used = older ? set[i].used : used;
		oldest = older ? &set[i] : oldest;
	}
	return oldest;
}

/* Numbers the uses of each set anew, in their order. */
void takt_cache_renumber(struct cache_hierarchy *hierarchy);

static inline uint32_t next_use(struct cache_hierarchy *hierarchy)
{
	if (__builtin_expect(hierarchy->clock == UINT32_MAX - 1, 0))
		takt_cache_renumber(hierarchy);
	return ++hierarchy->clock;
}

/* Uses the line, which is there from now on. True if it was; if not, what had to give way. */
static inline bool array_use(struct cache_hierarchy *hierarchy, const struct array *array,
			     uint64_t address, struct way **ret_way, uint64_t *ret_victim)
{
	struct way *way = array_find(hierarchy, array, address);
	bool found = way != NULL;

	*ret_victim = 0;
	if (!found) {
		way = array_oldest(hierarchy, array, address);
		*ret_victim = way->word;
		way->word = (address & array->line_mask) | WORD_VALID;
	}
	way->used = next_use(hierarchy);
	*ret_way = way;
	return found;
}

/* The way of the page's translation, which is there from now on. */
struct way *takt_cache_translate(struct cache_hierarchy *hierarchy, const struct side *side,
				 uint64_t address, struct cache_result *result);
/* Brings the line into all levels behind the first; the level that had it. */
uint8_t takt_cache_bring(struct cache_hierarchy *hierarchy, uint64_t address);
/* What a level evicted goes where it belongs. */
void takt_cache_evict(struct cache_hierarchy *hierarchy, uint8_t level, uint64_t word);
/* After a miss, or the first use of what a prefetch brought. */
void takt_cache_prefetch(struct cache_hierarchy *hierarchy, enum cache_kind kind,
			 uint64_t address);

#endif
