/* SPDX-License-Identifier: MIT */
/*
 * cache: a model of the memory hierarchy, which says in which level an access finds its line.
 * Accesses come in program order and without time: the pipeline decides what an access costs, how
 * many misses may be outstanding, and when a prefetched line arrives. Sizes and ways come from the
 * core's file; a hierarchy given by hand (struct cache_level) serves tests and comparisons with
 * other simulators.
 *
 * Every level is write-back and write-allocate and replaces the least recently used line. A miss
 * brings the line into all levels; a line evicted from one level stays in the others, and a
 * write-back allocates no line in the next levels. Victim caches are modelled in the same way.
 *
 * Non-temporal stores (x86) are gathered by line in a few buffers, and evict the line from the
 * caches if it is there. The line goes to memory once for each time that it gets a buffer; it
 * gives the buffer up when it is complete or another line needs the buffer
 * (Intel, "Software Developer's Manual", volume 1, 10.4.6.2; volume 3, 12.3.1).
 */
#ifndef TAKT_CACHE_H
#define TAKT_CACHE_H

#include "model/model.h"

#define CACHE_LEVELS_MAX 3
#define CACHE_MEMORY CACHE_LEVELS_MAX /* level of a line that is in no cache */

#define CACHE_ACCESS_BYTES_MAX 4096

struct cache_level {
	uint64_t size_bytes;
	uint32_t ways, line_bytes; /* with a size of 0, there is no such level */
};

/* A translation cache; with 0 entries there is none, and a translation is free. */
struct cache_tlb {
	uint32_t entries, ways;
};

struct cache_shape {
	struct cache_level l1i, l1d, l2, l3; /* l2 and l3 hold instructions and data */
	struct cache_tlb itlb, dtlb, stlb;
	uint32_t page_bytes;
	bool next_line_prefetch, stride_prefetch;
	uint32_t prefetch_lines;  /* most lines, or strides, that prefetches run ahead; 0: 1 */
	uint32_t gathering_lines; /* buffers for non-temporal stores; 0: as many as possible */
	/*
	 * For comparisons only: if an access that crosses a line misses one of the two lines, it
	 * looks for both in the next level.
	 */
	bool crossing_together;
};

struct cache_result {
	/* 0: L1 … 2: L3, CACHE_MEMORY; the farther level if there are two lines. For a
	 * non-temporal store: CACHE_MEMORY if a line got a buffer, else 0. */
	uint8_t level;
	uint8_t lines;		 /* number of lines touched: 2 if the access crosses a line */
	bool prefetched;	 /* a prefetch brought the line, and this is its first use */
	uint8_t prefetched_from; /* level from which the prefetch brought it */
	bool tlb_miss;		 /* the second-level TLB has the translation, the first has not */
	bool page_walk;	    /* neither TLB has it; the worse of the two if there are two pages */
	uint8_t prefetches; /* lines that this access let be prefetched: takt_cache_prefetched() */
};

/* Most lines that one access lets be prefetched. */
#define CACHE_PREFETCHES_MAX 2

struct cache_prefetch {
	uint64_t address; /* of the line */
	uint8_t level;	  /* level from which it comes */
};

enum cache_kind { CACHE_FETCH, CACHE_LOAD, CACHE_STORE };

struct cache_counts {
	uint64_t accesses[3];			/* by enum cache_kind */
	uint64_t misses[3][CACHE_LEVELS_MAX];	/* by kind and level; an access that crosses a
						 * line counts as one miss at most */
	uint64_t write_backs[CACHE_LEVELS_MAX]; /* of dirty lines, from each level to the next */
	uint64_t non_temporal_lines; /* non-temporal lines sent to memory, complete or not */
	uint64_t prefetches, useful_prefetches; /* lines brought into L1, and those used later */
	uint64_t tlb_misses[3], page_walks[3];
};

struct cache_hierarchy;

/* Read the shape from the core's parameters; false if they describe no caches. */
bool takt_cache_shape(const struct takt_model *model, struct cache_shape *ret_shape);
/* False if sizes, ways and line sizes do not fit together; callers ask before takt_cache_new(). */
bool takt_cache_shape_is_possible(const struct cache_shape *shape);
/*
 * Return an empty hierarchy. It is one block of memory without pointers: its takt_cache_bytes()
 * bytes can be written to a checkpoint and read back. Free it with free(). Returns NULL if the
 * shape is not possible, and for no other reason.
 */
struct cache_hierarchy *takt_cache_new(const struct cache_shape *shape);
size_t takt_cache_bytes(const struct cache_hierarchy *hierarchy);
/* Restore the state from a block that was saved; false if it cannot be of such a hierarchy. */
bool takt_cache_restore(struct cache_hierarchy *hierarchy, const void *block, size_t bytes);
/* Access `size_bytes` bytes, of which those beyond CACHE_ACCESS_BYTES_MAX are ignored. */
void takt_cache_access(struct cache_hierarchy *hierarchy, enum cache_kind kind, uint64_t address,
		       uint32_t size_bytes, struct cache_result *ret_result);
/* Make an access, as takt_cache_access() does, of which the result is not wanted. */
void takt_cache_touch(struct cache_hierarchy *hierarchy, enum cache_kind kind, uint64_t address,
		      uint32_t size_bytes);
/* Return the prefetches of the last access, as many as its result says. */
const struct cache_prefetch *takt_cache_prefetched(const struct cache_hierarchy *hierarchy);
/* Make a non-temporal store. */
void takt_cache_write_non_temporal(struct cache_hierarchy *hierarchy, uint64_t address,
				   uint32_t size_bytes, struct cache_result *ret_result);
const struct cache_counts *takt_cache_counts(const struct cache_hierarchy *hierarchy);

#endif
