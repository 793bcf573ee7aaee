/* SPDX-License-Identifier: MIT */
/*
 * cache: which level of the memory hierarchy an access finds its line in. Accesses come in
 * program order and without time: what an access costs, and how many misses may be under way,
 * is for the pipeline to say. Sizes, ways and latencies come from the core's file; a hierarchy
 * given by hand (struct cache_level) serves tests and comparisons with other simulators.
 *
 * Every level is write-back and write-allocate and replaces the line used longest ago. A miss
 * brings the line into all levels; what one evicts stays in the others, and what it writes back
 * allocates nothing on its way. Victim caches are treated alike.
 *
 * Stores past the caches (x86's non-temporal ones) are gathered by line in a few buffers, and
 * take the line out of the caches if it is there: it goes to memory once for each time that a
 * buffer is given to it, which ends when the line is complete or another one needs the buffer
 * (Intel, "Software Developer's Manual", volume 1, 10.4.6.2; volume 3, 12.3.1).
 */
#ifndef TAKT_CACHE_H
#define TAKT_CACHE_H

#include "model/model.h"

#define CACHE_LEVELS_MAX 3
#define CACHE_MEMORY CACHE_LEVELS_MAX /* the level of what no cache has */

#define CACHE_ACCESS_BYTES_MAX 4096

struct cache_level {
	uint64_t size_bytes;
	uint32_t ways, line_bytes; /* a size of 0: there is no such level */
};

/* Entries of translation caches; 0: there is none, and a translation is free. */
struct cache_tlb {
	uint32_t entries, ways;
};

struct cache_shape {
	struct cache_level l1i, l1d, l2, l3; /* l2 and l3 for both */
	struct cache_tlb itlb, dtlb, stlb;
	uint32_t page_bytes;
	bool next_line_prefetch, stride_prefetch;
	uint32_t gathering_lines; /* of stores past the caches, at once; 0: the most there can be */
	/*
	 * For comparisons only: an access that crosses a line looks for both lines in the next
	 * level if it misses either.
	 */
	bool crossing_together;
};

struct cache_result {
	/* 0: L1 … 2: L3, CACHE_MEMORY; of the farther line of two. Of a store past the caches
	 * CACHE_MEMORY if a buffer was given to a line, else 0. */
	uint8_t level;
	uint8_t lines;      /* touched: 2 if it crosses a line */
	bool prefetched;    /* a prefetch brought the line, and this is its first use */
	uint8_t prefetched_from; /* the level it did so from */
	bool tlb_miss;      /* the first level has no translation, the second has */
	bool page_walk;     /* neither has; of two pages the worse */
};

enum cache_kind { CACHE_FETCH, CACHE_LOAD, CACHE_STORE };

struct cache_counts {
	uint64_t accesses[3];            /* by enum cache_kind */
	uint64_t misses[3][CACHE_LEVELS_MAX]; /* by kind and level; an access that crosses a
					  * line misses once at most */
	uint64_t write_backs[CACHE_LEVELS_MAX]; /* of dirty lines, from each level to the next */
	uint64_t lines_past; /* to memory past the caches, complete or not */
	uint64_t prefetches, useful_prefetches; /* of lines that L1 lacked; of those, used */
	uint64_t tlb_misses[3], page_walks[3];
};

struct cache_hierarchy;

/* What the core's file says; false if it says nothing of caches. */
bool takt_cache_shape(const struct takt_model *model, struct cache_shape *ret_shape);
/* False if sizes, associativities and lines do not go together; callers ask before takt_cache_new(). */
bool takt_cache_shape_is_possible(const struct cache_shape *shape);
/*
 * Cold. One block of memory without pointers in it: takt_cache_bytes() of it can be written
 * to a checkpoint and read back. Freed with free(). NULL if the shape is not possible, and for
 * no other reason.
 */
struct cache_hierarchy *takt_cache_new(const struct cache_shape *shape);
size_t takt_cache_bytes(const struct cache_hierarchy *hierarchy);
/* Of an access longer than CACHE_ACCESS_BYTES_MAX only so many bytes count. */
void takt_cache_access(struct cache_hierarchy *hierarchy, enum cache_kind kind, uint64_t address,
		       uint32_t size_bytes, struct cache_result *ret_result);
/* A store past the caches. */
void takt_cache_write_past(struct cache_hierarchy *hierarchy, uint64_t address, uint32_t size_bytes,
			   struct cache_result *ret_result);
const struct cache_counts *takt_cache_counts(const struct cache_hierarchy *hierarchy);

#endif
