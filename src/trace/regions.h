/* SPDX-License-Identifier: MIT */
/*
 * regions: what the user wants added up apart. Regions that are open at once form a path in a
 * tree, so that a step belongs to one node, whatever is nested in what.
 */
#ifndef TAKT_TRACE_REGIONS_H
#define TAKT_TRACE_REGIONS_H

#include "trace/trace.h"

#define REGION_SET_MAX 8u /* address ranges around one block */
#define REGION_NONE UINT32_MAX

/* TOLD: by libtakt-marker, in system calls; MARKER: IACA's bytes in the code. */
enum region_kind { REGION_SYMBOL, REGION_RANGE, REGION_MARKER, REGION_TOLD };

struct region_rule {
	enum region_kind kind;
	const char *symbol;
	uint64_t begin, end; /* addresses; of TOLD, `begin` is its number */
};

/* What a block has to do with regions: set 0 is nothing. */
struct region_set {
	uint32_t ranges[REGION_SET_MAX];
	uint32_t range_count;
	uint32_t marker;  /* region that begins in it, or REGION_NONE */
	bool ends_before; /* a marker's region ends before that one begins, */
	bool ends_after;  /* or with the block */
};

struct regions {
	const struct trace_dictionary *dictionary;
	struct trace_region *list;
	struct region_rule *rules; /* of each; those of markers are added as they are met */
	uint32_t count, capacity;
	bool by_symbol, by_block, by_marker; /* there are such */
	struct trace_region_node *nodes;
	uint32_t node_count;
	struct region_set *sets;
	uint32_t set_count, set_capacity;
	uint16_t *set_of_block; /* by number; 1 + set, 0: not looked for */
	uint32_t block_capacity;
	uint32_t *told; /* by number: 1 + index of a region that is told of; NULL: none is */
	struct takt_arena arena;
};

TAKT_MUST_CHECK enum takt_status regions_init(struct regions *regions,
					      const struct trace_dictionary *dictionary,
					      const char *const *texts, uint32_t count,
					      struct takt_diag *diag);
void regions_release(struct regions *regions);
/* Returns its index; copies the name. */
uint32_t regions_add(struct regions *regions, const char *name, struct region_rule rule);
/* Index of the region of a function, or REGION_NONE. */
uint32_t regions_of_function(const struct regions *regions, const struct trace_function *function);
/* Index of the set of a block. */
uint32_t regions_of_block(struct regions *regions, const struct trace_block *block);
/* The node for `region` within `parent`, which may be it already. */
uint32_t regions_enter(struct regions *regions, uint32_t parent, uint32_t region);
bool regions_has(const struct regions *regions, uint32_t node, uint32_t region);
/* Index of the region with this number of libtakt-marker; a name makes it known. Or REGION_NONE. */
uint32_t regions_told(struct regions *regions, uint32_t number, const char *name);
/* Without the innermost marker's region above `base`. */
uint32_t regions_leave_marker(const struct regions *regions, uint32_t node, uint32_t base);

#endif
