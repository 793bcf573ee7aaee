/* SPDX-License-Identifier: MIT */
/*
 * code: the program of a stream, which grows while it runs, and whose instructions are records
 * shared by all blocks. Private to sim.
 */
#ifndef TAKT_SIM_CODE_H
#define TAKT_SIM_CODE_H

#include "sim/front/front_end.h"

/* An array that grows in place, in address space reserved for its full capacity. */
struct sim_code_array {
	char *base;
	size_t size_bytes; /* bytes of an element */
	size_t count, capacity;
	size_t ready_bytes; /* bytes that may be written */
};

struct sim_code_entry {
	uint32_t hash, number; /* number of the record, from 1 on; 0: none */
};

struct sim_code {
	struct sim_program program; /* its instructions grow in number; it has no edges */
	struct sim_code_array insns, items, uops, sources, results, memories;
	struct sim_code_entry *table; /* hash table of whole records; its size is a power of two */
	uint32_t table_size;
	struct sim_code_block **blocks; /* in the order in which they were added */
	uint32_t block_count, block_capacity;
	struct sim_memo_table *memos; /* memo of all streams (memo.h); NULL: none yet */
	struct takt_arena arena, scratch;
};

static inline const struct takt_code_item *sim_code_items(const struct sim_code *code)
{
	return (const void *)code->items.base;
}

#endif
