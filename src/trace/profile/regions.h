/* SPDX-License-Identifier: MIT */
/*
 * regions: parts of the program whose cycles the user wants summed separately. Regions that are
 * open at the same time form a path in a tree, so that each executed block belongs to exactly one
 * node.
 */
#ifndef TAKT_TRACE_REGIONS_H
#define TAKT_TRACE_REGIONS_H

#include "trace/trace.h"

#define REGION_SET_MAX 8u /* address ranges that contain one block */
#define REGION_NONE UINT32_MAX

/*
 * Kind of definition of a region. MARKER: by IACA's marker bytes in the code; ANNOUNCED: by
 * libtakt-marker's system calls.
 */
enum region_kind { REGION_SYMBOL, REGION_RANGE, REGION_MARKER, REGION_ANNOUNCED };

struct region_rule {
	enum region_kind kind;
	const char *symbol;
	uint64_t begin, end; /* addresses; for ANNOUNCED, `begin` is libtakt-marker's number */
};

/* The regions that a block lies in, begins or ends; set 0 is for blocks without any. */
struct region_set {
	uint32_t ranges[REGION_SET_MAX];
	uint32_t range_count;
	uint32_t marker;  /* region that a marker begins in the block, or REGION_NONE */
	bool ends_before; /* a marker's region ends before `marker` begins */
	bool ends_after;  /* a marker's region ends with the block */
};

struct regions {
	const struct trace_dictionary *dictionary;
	struct trace_region *list;
	struct region_rule *rules; /* one for each of `list`; markers are added when they run */
	uint32_t count, capacity, rule_capacity;
	bool by_symbol, by_block, by_marker; /* some rule needs functions, blocks, markers */
	struct trace_region_node *nodes;
	uint32_t node_count;
	struct region_set *sets;
	uint32_t set_count, set_capacity;
	uint16_t *set_of_block; /* by block number: 1 + index of its set; 0: not determined yet */
	uint32_t block_capacity;
	uint32_t
		*announced; /* by libtakt-marker's number: 1 + region index; NULL: there are none */
	struct takt_arena arena;
};

TAKT_MUST_CHECK enum takt_status regions_init(struct regions *regions,
					      const struct trace_dictionary *dictionary,
					      const char *const *texts, uint32_t count,
					      struct takt_diag *diag);
void regions_release(struct regions *regions);
/* Add a region, with a copy of the name; return its index. */
uint32_t regions_add(struct regions *regions, const char *name, struct region_rule rule);
/* Return the index of the region of a function, or REGION_NONE. */
uint32_t regions_of_function(const struct regions *regions, const struct trace_function *function);
/* Return the index of the set of a block. */
uint32_t regions_of_block(struct regions *regions, const struct trace_block *block);
/* Return the node for `region` within `parent`: `parent` itself, if it is in `region` already. */
uint32_t regions_enter(struct regions *regions, uint32_t parent, uint32_t region);
/* True if `node` or one of its ancestors is `region`. */
bool regions_has(const struct regions *regions, uint32_t node, uint32_t region);
/*
 * Return the index of libtakt-marker's region `number`, which is added as `name` if it is new, or
 * REGION_NONE if there are too many.
 */
uint32_t regions_announced(struct regions *regions, uint32_t number, const char *name);
/* Return `node` without the innermost marker's region between it and its ancestor `base`. */
uint32_t regions_leave_marker(const struct regions *regions, uint32_t node, uint32_t base);

#endif
