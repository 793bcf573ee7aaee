/* SPDX-License-Identifier: MIT */
/* profile: counts of blocks and edges, and functions that make the result from them. */
#ifndef TAKT_TRACE_PROFILE_H
#define TAKT_TRACE_PROFILE_H

#include "trace/trace.h"

#define PROFILE_CHUNK 4096u /* blocks in a chunk of statistics */
#define PROFILE_EDGES_MAX (1u << 18)

/*
 * Counts of one block. The number of its executions is the sum of its entries and of the edges to
 * it, so that each executed block increments one count only. The number of its instructions follows
 * from that and from the corrections `continued` and `missing`.
 */
struct trace_block_stats {
	uint64_t next_count[2];
	uint32_t next[2];   /* the first two blocks that followed; valid if next_count is not 0 */
	uint64_t entries;   /* executions that no block of the same call came before */
	uint64_t continued; /* executions that continued a string instruction */
	int64_t missing;    /* instructions of all executions that did not complete */
	uint64_t losses[TAKT_TRACE_LOSSES]; /* parts of cycles; in the finished profile, cycles */
	uint64_t busy_port_parts;	    /* as struct sim_charges has it */
	uint32_t busy_ports;
};

struct trace_node_stats {
	uint64_t insns, cycles;
};

struct trace_region_stats {
	uint64_t insns;
	uint64_t losses[TAKT_TRACE_LOSSES];
	uint64_t busy_port_parts;
	uint32_t busy_ports;
};

struct trace_edge {
	uint32_t from, to;
	uint64_t count;
};

/* Hash table of edges, keyed by both blocks, which a checkpoint saves as it is. */
struct trace_edges {
	struct trace_edge *table; /* a count of 0: free */
	uint32_t count, size;
};

/* Create the statistics of a block that is noted for the first time. */
struct trace_block_stats *profile_make_stats(struct trace_profile *profile, uint32_t block);

/* ---- shares.c ---- */

/* A block that ran, as it is used while the result is made. */
struct profile_block {
	const struct trace_block *block;
	const struct trace_block_stats *stats;
	uint64_t executions, insns;
	const uint64_t *shares; /* weight of each instruction in the block's cycles, or NULL */
	uint64_t offset;	/* offset in the function */
	uint32_t function;	/* index of the function in the result */
};

/* Return the block's offset in its function, or its address if the function is unknown. */
uint64_t profile_offset(const struct trace_dictionary *dictionary, const struct trace_block *block);

void profile_add_weight(struct takt_trace_weight *sum, const struct takt_trace_weight *weight);
struct takt_trace_weight profile_weight(uint64_t insns, const uint64_t losses[TAKT_TRACE_LOSSES]);
/* Return the part of the block's weight that belongs to the instructions `first` to `end` - 1. */
struct takt_trace_weight profile_split(const struct profile_block *block, uint32_t first,
				       uint32_t end);

/* ---- result_insns.c ---- */

/*
 * Make the instructions of the result's blocks, which are in the order of `blocks`; `lines` are
 * those of the result.
 */
void profile_make_insns(const struct profile_block *blocks, const struct takt_trace_profile *result,
			struct takt_arena *arena, struct takt_trace_block *list);

/* ---- loops.c ---- */

struct profile_loops {
	struct takt_trace_loop *list;
	uint32_t count, capacity;
};

/*
 * Add the loops of one function, given its blocks. `edges` holds the edges that the blocks' own
 * statistics do not, sorted by `from`.
 */
void profile_find_loops(const struct trace_dictionary *dictionary,
			const struct profile_block *blocks, size_t count,
			const struct trace_edge *edges, size_t edge_count,
			struct profile_loops *loops);

#endif
