/* SPDX-License-Identifier: MIT */
/* code: a program without an end, whose instructions are records shared by all blocks. Private
 * to sim. */
#ifndef TAKT_SIM_CODE_H
#define TAKT_SIM_CODE_H

#include "sim/front_end.h"

/* An array at a place of its own; used from the start on. */
struct sim_code_array {
	char *base;
	size_t size_bytes;   /* of an element */
	size_t count, capacity;
	size_t ready_bytes;  /* that may be written */
};

struct sim_code_entry {
	uint32_t hash, number; /* of the record, from 1 on; 0: none */
};

struct sim_code {
	struct sim_program program; /* insns grow; there are no edges */
	struct sim_code_array insns, items, uops, sources, results, memories;
	struct sim_code_entry *table; /* records by what they say; a power of two */
	uint32_t table_size;
	struct sim_code_block **blocks; /* as they were added */
	uint32_t block_count, block_capacity;
	struct sim_memo_table *memos; /* of all streams; NULL: none yet (memo.h) */
	struct takt_arena arena, scratch;
};

static inline const struct takt_code_item *sim_code_items(const struct sim_code *code)
{
	return (const void *)code->items.base;
}

#endif
