/* SPDX-License-Identifier: MIT */
/*
 * The state of a hierarchy: all cache levels and TLBs in one block of memory without pointers. A
 * line stays in the way in which it was placed; a stamp of its last use finds the least recently
 * used way of a set. A remembered way thus only needs a check whether it still has the line.
 * Private to cache.
 */
#ifndef TAKT_CACHE_HIERARCHY_H
#define TAKT_CACHE_HIERARCHY_H

#include <string.h>

#include "cache/cache.h"

#define WAYS_MAX 4096u
#define LINE_BYTES_MIN 32u /* leaves the low bits of an address to the state */

/* A way's word is the line's address, and its state in the low bits; 0: empty. */
enum {
	WORD_VALID = 1,
	WORD_DIRTY = 2,
	WORD_PREFETCHED = 4, /* brought by a prefetch and not used yet */
	WORD_FROM_SHIFT = 3, /* position of two bits: the level from which it was prefetched */
	WORD_STATE = 31,
};

/* One way of a set. It is not padded, since a large cache has millions of them; no code may take
 * the address of a member. */
struct way {
	uint64_t word;
	uint32_t used; /* the hierarchy's clock at the last use; 0: never */
} __attribute__((packed, aligned(4)));

/* Indices of special ways, which come first and belong to no set. */
enum {
	WAY_NONE, /* has no line */
	WAY_FREE, /* stands for the translation of any page where translations are free */
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
	uint64_t first; /* index of its first way */
	uint64_t sets, line_mask;
	uint32_t ways; /* ways per set; 0: there is no such array */
	uint8_t line_shift;
	bool odd_sets; /* the number of sets is no power of two */
};

/* The ways in which a line and its page's translation were when last used. */
struct memo {
	uint32_t line, page; /* indices of ways */
};

#define MEMOS 512
#define PAGE_MEMOS 64

/* The first cache level and TLB, of fetches or of loads and stores. */
struct side {
	struct array cache, tlb;
	uint64_t page_mask;	  /* 0 if translations are free */
	struct memo memos[MEMOS]; /* indexed by the low bits of the line's number */
	/* The ways of the TLB that had pages when last used, by the low bits of the page's number.
	 * They only save a search; a checkpoint does not restore them. */
	uint32_t pages[PAGE_MEMOS];
};

/* A page in which the prefetchers watch misses and first uses. */
struct watch {
	uint64_t page, last;
	int64_t stride, step;	   /* from access to access; from prefetch to prefetch */
	uint32_t ahead, confirmed; /* steps that were prefetched ahead; times that `step` held */
};

#define WATCHES_BITS 6

/* A buffer that gathers non-temporal stores to one line. */
struct gathering {
	uint64_t line;	/* address with WORD_VALID; 0: the buffer is free */
	uint64_t used;	/* number of the last store to it */
	uint64_t bytes; /* bytes stored to it so far */
};

#define GATHERING_MAX 32u

struct cache_hierarchy {
	uint64_t bytes;			       /* size of the whole block */
	uint32_t clock;			       /* uses so far, or since they were last renumbered */
	struct side sides[2];		       /* of fetches; of loads and stores */
	struct array levels[CACHE_LEVELS_MAX]; /* L2 and L3; levels[0] is unused, see `sides` */
	struct array stlb;
	uint64_t page_mask;
	bool next_line_prefetch, stride_prefetch, crossing_together;
	uint32_t prefetch_lines;
	struct watch watches[1 << WATCHES_BITS];
	struct cache_prefetch fresh[CACHE_PREFETCHES_MAX]; /* prefetches of the last access */
	uint8_t fresh_count;
	struct gathering gathering[GATHERING_MAX];
	uint32_t gathering_count;
	uint64_t gathered; /* non-temporal stores so far, by line */
	struct cache_counts counts;
	struct way ways[];
};

/* Lay out the arrays that a shape needs, and count all their ways; false if the shape is not
 * possible. */
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

/* True if the way has the line, whatever its state. */
static inline bool way_has(const struct way *way, uint64_t line)
{
	return ((way->word ^ line) & ~(uint64_t)(WORD_STATE - WORD_VALID)) == 0;
}

/*
 * Return the way that has the line of this address, or NULL. All ways are looked at: a branch
 * out of the loop would be mispredicted most of the time.
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

static inline struct way *array_oldest(struct cache_hierarchy *hierarchy, const struct array *array,
				       uint64_t address)
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

/* Renumber the stamps of each set from 1, keeping their order. */
void takt_cache_renumber(struct cache_hierarchy *hierarchy);

static inline uint32_t next_use(struct cache_hierarchy *hierarchy)
{
	if (__builtin_expect(hierarchy->clock == UINT32_MAX - 1, 0))
		takt_cache_renumber(hierarchy);
	return ++hierarchy->clock;
}

/* Bring the line into the array, which lacks it. The word of the evicted line is in *ret_victim. */
static inline struct way *array_fill(struct cache_hierarchy *hierarchy, const struct array *array,
				     uint64_t address, uint64_t *ret_victim)
{
	struct way *way = array_oldest(hierarchy, array, address);

	*ret_victim = way->word;
	way->word = (address & array->line_mask) | WORD_VALID;
	way->used = next_use(hierarchy);
	return way;
}

/* Use the line, and bring it into the array if needed. True if it was there; if not, the word of
 * the evicted line is in *ret_victim. */
static inline bool array_use(struct cache_hierarchy *hierarchy, const struct array *array,
			     uint64_t address, struct way **ret_way, uint64_t *ret_victim)
{
	struct way *way = array_find(hierarchy, array, address);
	bool found = way != NULL;

	*ret_victim = 0;
	if (found)
		way->used = next_use(hierarchy);
	else
		way = array_fill(hierarchy, array, address, ret_victim);
	*ret_way = way;
	return found;
}

/* Translate the page, and return the way of the side's TLB that has the translation from now on. */
struct way *takt_cache_translate(struct cache_hierarchy *hierarchy, struct side *side,
				 uint64_t address, struct cache_result *result);
/* Bring the line into all levels from L2 to the one that had it, and return that level. */
uint8_t takt_cache_bring(struct cache_hierarchy *hierarchy, uint64_t address);
/* Write the line back that this level evicted, if it is dirty. */
void takt_cache_evict(struct cache_hierarchy *hierarchy, uint8_t level, uint64_t word);
/* Let the prefetchers see a miss, or the first use of a prefetched line. */
void takt_cache_prefetch(struct cache_hierarchy *hierarchy, enum cache_kind kind, uint64_t address);

#endif
