/* SPDX-License-Identifier: MIT */
/*
 * The parts of the oracle. Facts are what is known about a block without running it; each thread
 * counts how often each block ran, and facts are multiplied by that (folded) when results are read.
 */
#ifndef TAKT_EVENTS_ORACLE_H
#define TAKT_EVENTS_ORACLE_H

#include <string.h>

#include "branch/branch.h"
#include "events/events.h"

#define ORACLE_COUNT_FIELDS (sizeof(struct oracle_counts) / sizeof(uint64_t))

/* ---- oracle_facts.c ---- */

struct oracle_facts {
	struct oracle_counts counts; /* counts of one complete run */
	/* Complete runs in all threads; mispredictions of the branch at its end. */
	uint64_t runs, missed;
	uint64_t runs_of[ORACLE_BLOCK_THREADS]; /* runs in each of the first threads */
	uint64_t alone; /* runs in the first thread before it created others */
	uint16_t undecoded;
	bool branches; /* the last instruction is a branch, of the kind below */
	enum branch_kind branch_kind;
	/*
	 * By instruction: the largest access size that a record of it may have; 0: any size. NULL:
	 * the sizes of all records are right.
	 */
	uint8_t *sizes;
	bool *non_temporal; /* by instruction: true for a non-temporal store; NULL: the block has
			       none */
	/* Numbers of each instruction's load and store, alternately; 0: none yet. */
	uint32_t *accesses;
};

/*
 * Add the counts of instructions `first` up to `end`, which may be a part of the block. Loads and
 * stores of a string instruction with rep are left out; the recorded accesses give their number.
 * Returns the number of instructions that could not be decoded.
 */
uint32_t oracle_facts_add(const struct takt_isa *isa, const struct trace_block *block,
			  uint32_t first, uint32_t end, struct oracle_counts *counts);
void oracle_facts_make(const struct takt_isa *isa, const struct trace_block *block,
		       struct oracle_facts *facts);

/* ---- oracle_lines.c ---- */

struct oracle_lines;

/* A number of accesses of one instruction to bytes of a line. */
struct oracle_touch {
	uint64_t line;	/* lower 48 bits of the address, divided by 64 */
	uint64_t bytes; /* mask of the bytes */
	uint64_t accesses;
	uint32_t thread, block;
	bool store;
};

struct oracle_lines *oracle_lines_new(void);
void oracle_lines_free(struct oracle_lines *lines);
/*
 * Note that the first thread creates another one: what it did until now is shared with no thread.
 */
void oracle_lines_begin_sharing(struct oracle_lines *lines);
void oracle_lines_touch(struct oracle_lines *lines, const struct oracle_touch *touch);
/* Find the lines that are shared, and fill the fields of `counts[thread]` that are about lines. */
void oracle_lines_finish(struct oracle_lines *lines, struct oracle_counts **counts);
const struct oracle_line *oracle_lines_list(const struct oracle_lines *lines, size_t *ret_count);
uint64_t oracle_lines_left_out(const struct oracle_lines *lines);
/* Return the placement of a thread's lines; NULL if it used none. */
const struct oracle_placement *oracle_lines_placement(const struct oracle_lines *lines,
						      uint32_t thread);

/* ---- oracle_heap.c ---- */

struct oracle_heap;

struct oracle_heap *oracle_heap_new(const struct trace_dictionary *dictionary);
void oracle_heap_free(struct oracle_heap *heap);
/* Observe an executed block of a thread. Each thread's blocks must come in its order. */
void oracle_heap_execute(struct oracle_heap *heap, uint32_t thread,
			 const struct executed_block *executed);
/* Complete the data after the last block; the dictionary has the mappings by then. */
void oracle_heap_finish(struct oracle_heap *heap);
bool oracle_heap_find(const struct oracle_heap *heap, uint64_t address,
		      struct oracle_allocation *ret_allocation);

/* ---- oracle_access.c ---- */

struct oracle_accesses;

/* Create a collector of accesses, which passes them on to `lines` unless that is NULL. */
struct oracle_accesses *oracle_accesses_new(struct oracle_lines *lines, bool strides);
void oracle_accesses_free(struct oracle_accesses *accesses);
/* Record the accesses of a block, and run each through `cache` unless that is NULL. */
void oracle_accesses_execute(struct oracle_accesses *accesses, uint32_t thread,
			     struct cache_hierarchy *cache, struct oracle_facts *facts,
			     const struct executed_block *executed);
/* Pass accesses that are held back on to `lines`. */
void oracle_accesses_flush(struct oracle_accesses *accesses, uint32_t thread);
/* Flush the thread's accesses and free all that is kept about it. */
void oracle_accesses_end_thread(struct oracle_accesses *accesses, uint32_t thread);
void oracle_accesses_finish(struct oracle_accesses *accesses);
const struct oracle_access *oracle_accesses_list(const struct oracle_accesses *accesses,
						 size_t *ret_count);

/* ---- oracle_regions.c ---- */

struct oracle_regions {
	struct oracle_region *regions;
	uint32_t count;
	/* By value of a marker: 1 + index of the region, or 0; NULL: no marker came. */
	uint32_t *numbers;
	struct oracle_name **names; /* by thread: the name that it is spelling; NULL: none */
	uint32_t name_count;
};

void oracle_regions_release(struct oracle_regions *regions);
/* True if a system call is a marker. */
bool oracle_regions_is_marker(uint64_t syscall);
/* Handle a marker; `counts` are the thread's at this moment. */
void oracle_regions_mark(struct oracle_regions *regions, uint32_t thread, uint64_t syscall,
			 const struct oracle_counts *counts);
/* Leave all regions that the thread was in, because it has ended. */
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

/* Return the address in a record, with its upper 16 bits sign-extended. */
static inline uint64_t oracle_address(uint64_t record)
{
	return (uint64_t)((int64_t)(trace_value(record) << 16) >> 16);
}

/* Run a recorded access through the cache model; `facts` belong to the record's block. */
static inline void oracle_model_access(struct cache_hierarchy *cache,
				       const struct oracle_facts *facts, uint64_t record,
				       struct cache_result *ret_result)
{
	bool store = trace_is_store(record);

	if (store && facts->non_temporal && facts->non_temporal[trace_insn(record)])
		takt_cache_write_non_temporal(cache, oracle_address(record), trace_size(record),
					      ret_result);
	else
		takt_cache_access(cache, store ? CACHE_STORE : CACHE_LOAD, oracle_address(record),
				  trace_size(record), ret_result);
}

#endif
