/* SPDX-License-Identifier: MIT */
/*
 * The oracle's parts. Facts are what is known of a block before it runs; a thread counts how
 * often blocks ran, and facts are multiplied by that (folded) when somebody asks.
 */
#ifndef TAKT_EVENTS_ORACLE_H
#define TAKT_EVENTS_ORACLE_H

#include <string.h>

#include "branch/branch.h"
#include "events/events.h"

#define ORACLE_COUNT_FIELDS (sizeof(struct oracle_counts) / sizeof(uint64_t))

/* ---- oracle_facts.c ---- */

struct oracle_facts {
	struct oracle_counts counts; /* of one complete run */
	uint64_t runs, missed;	     /* complete ones of all threads; branches missed at its end */
	uint64_t runs_of[ORACLE_BLOCK_THREADS]; /* of the first threads */
	uint64_t alone;				/* of the first, before it made others */
	uint16_t undecoded;
	bool known;
	bool branches; /* the last instruction does, and is of this kind */
	enum branch_kind branch_kind;
	/* Of each instruction: the most that a record of it may say; 0: any. NULL: all are right.
	 */
	uint8_t *sizes;
	bool *past; /* of each instruction: it stores past the caches; NULL: none does */
	uint32_t *accesses; /* numbers of instructions' loads and stores, in turn; 0: none yet */
};

/*
 * Adds what instructions `first` up to `end` do, whether or not they are all of the block.
 * Loads and stores of its string instruction with rep are left out: accesses tell of them.
 */
/* Returns how many could not be decoded. */
uint32_t oracle_facts_add(const struct takt_isa *isa, const struct trace_block *block,
			  uint32_t first, uint32_t end, struct oracle_counts *counts);
void oracle_facts_make(const struct takt_isa *isa, const struct trace_block *block,
		       struct oracle_facts *facts);

/* ---- oracle_map.c: 64-bit keys to entries ---- */

/* Entries are of a fixed size and begin with the key, which is not 0. */
struct oracle_map {
	uint8_t *entries;
	size_t entry_bytes, capacity, count, count_max;
};

void oracle_map_init(struct oracle_map *map, size_t entry_bytes, size_t count_max);
void oracle_map_release(struct oracle_map *map);
/* The key's entry, new and zero but for the key if there was none; NULL: there is room for no
 * more. Valid until the next call. */
void *oracle_map_get(struct oracle_map *map, uint64_t key);
/* The next entry behind `entry`, or the first if that is NULL; NULL: no more. */
void *oracle_map_next(const struct oracle_map *map, void *entry);
/* All entries, ascending by key, in place: the map is good for nothing else from then on. */
void *oracle_map_sort(struct oracle_map *map);

/* ---- oracle_lines.c ---- */

struct oracle_lines;

/* So many accesses of one instruction to bytes of a line. */
struct oracle_touch {
	uint64_t line;	/* the address' lower 48 bits / 64 */
	uint64_t bytes; /* mask */
	uint64_t accesses;
	uint32_t thread, block;
	bool store;
};

struct oracle_lines *oracle_lines_new(void);
void oracle_lines_free(struct oracle_lines *lines);
/* The first thread makes others: what it did until now is shared with none of them. */
void oracle_lines_begin_sharing(struct oracle_lines *lines);
void oracle_lines_touch(struct oracle_lines *lines, const struct oracle_touch *touch);
/* Works out what is shared; fills what `counts[thread]` say of lines. */
void oracle_lines_finish(struct oracle_lines *lines, struct oracle_counts **counts);
const struct oracle_line *oracle_lines_list(const struct oracle_lines *lines, size_t *ret_count);
uint64_t oracle_lines_left_out(const struct oracle_lines *lines);
/* NULL: the thread used no lines. */
const struct oracle_placement *oracle_lines_placement(const struct oracle_lines *lines,
						      uint32_t thread);

/* ---- oracle_heap.c ---- */

struct oracle_heap;

struct oracle_heap *oracle_heap_new(const struct trace_dictionary *dictionary);
void oracle_heap_free(struct oracle_heap *heap);
/* Each step of each thread, in its order. */
void oracle_heap_step(struct oracle_heap *heap, uint32_t thread, const struct trace_step *step);
/* After the last step; then the dictionary has the mappings. */
void oracle_heap_finish(struct oracle_heap *heap);
bool oracle_heap_find(const struct oracle_heap *heap, uint64_t address,
		      struct oracle_allocation *ret_allocation);

/* ---- oracle_access.c ---- */

struct oracle_accesses;

/* `lines` are told of them; may be NULL. */
struct oracle_accesses *oracle_accesses_new(struct oracle_lines *lines, bool strides);
void oracle_accesses_free(struct oracle_accesses *accesses);
/* Each access goes to `cache`, unless that is NULL. */
void oracle_accesses_step(struct oracle_accesses *accesses, uint32_t thread,
			  struct cache_hierarchy *cache, struct oracle_facts *facts,
			  const struct trace_step *step);
/* What is held back comes to `lines`. */
void oracle_accesses_flush(struct oracle_accesses *accesses, uint32_t thread);
/* The same, and nothing is kept of the thread. */
void oracle_accesses_end_thread(struct oracle_accesses *accesses, uint32_t thread);
void oracle_accesses_finish(struct oracle_accesses *accesses);
const struct oracle_access *oracle_accesses_list(const struct oracle_accesses *accesses,
						 size_t *ret_count);
uint64_t oracle_accesses_left_out(const struct oracle_accesses *accesses);

/* ---- oracle_regions.c ---- */

struct oracle_regions {
	struct oracle_region *regions;
	uint32_t count;
	uint32_t *numbers;	    /* by a marker's value: 1 + index, or 0; NULL: no marker came */
	struct oracle_name **names; /* by thread: what is spelt; NULL: nothing */
	uint32_t name_count;
};

void oracle_regions_release(struct oracle_regions *regions);
/* Whether a system call is a marker at all. */
bool oracle_regions_is_marker(uint64_t syscall);
/* `counts`: the thread's at this moment. */
void oracle_regions_mark(struct oracle_regions *regions, uint32_t thread, uint64_t syscall,
			 const struct oracle_counts *counts);
/* The thread has ended: so have all regions it was in. */
void oracle_regions_end_thread(struct oracle_regions *regions, uint32_t thread,
			       const struct oracle_counts *counts);
const char *oracle_regions_name(const struct oracle_regions *regions, uint32_t region);
const struct oracle_counts *oracle_regions_counts(const struct oracle_regions *regions,
						  uint32_t region, uint32_t thread,
						  uint64_t *ret_entries);

/* ---- all ---- */

static inline void oracle_counts_add(struct oracle_counts *sum, const struct oracle_counts *counts,
				     uint64_t times)
{
	uint64_t *to = (uint64_t *)sum;
	const uint64_t *from = (const uint64_t *)counts;

	for (size_t i = 0; i < ORACLE_COUNT_FIELDS; i++)
		to[i] += times * from[i];
}

/* Of a record. */
static inline uint64_t oracle_address(uint64_t record)
{
	return (uint64_t)((int64_t)(trace_value(record) << 16) >> 16);
}

/* `facts` are of the record's block. */
static inline void oracle_model_access(struct cache_hierarchy *cache,
				       const struct oracle_facts *facts, uint64_t record,
				       struct cache_result *ret_result)
{
	bool store = trace_is_store(record);

	if (store && facts->past && facts->past[trace_insn(record)])
		takt_cache_write_past(cache, oracle_address(record), trace_size(record),
				      ret_result);
	else
		takt_cache_access(cache, store ? CACHE_STORE : CACHE_LOAD, oracle_address(record),
				  trace_size(record), ret_result);
}

#endif
