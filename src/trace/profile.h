/* SPDX-License-Identifier: MIT */
/* profile: what is counted of blocks, and the parts that make a result of it. */
#ifndef TAKT_TRACE_PROFILE_H
#define TAKT_TRACE_PROFILE_H

#include "trace/trace.h"

#define PROFILE_CHUNK 4096u /* blocks */
#define PROFILE_EDGES_MAX (1u << 18)

/*
 * How often a block began is the sum of its entries and of the edges to it, so that a step counts
 * in one place only. How many instructions it did follows from that, but for a few steps.
 */
struct trace_block_stats {
	uint64_t next_count[2];
	uint32_t next[2];   /* blocks that followed, while next_count is not 0 */
	uint64_t entries;   /* other than from a block of the same call */
	uint64_t continued; /* of all that began: not anew */
	int64_t missing;    /* instructions of all that began: that did not complete */
	uint64_t losses[TAKT_TRACE_LOSSES]; /* parts of cycles; cycles once the profile is finished */
};

struct trace_node_stats {
	uint64_t insns, cycles;
};

struct trace_region_stats {
	uint64_t insns;
	uint64_t losses[TAKT_TRACE_LOSSES];
};

struct trace_edge {
	uint32_t from, to;
	uint64_t count;
};

/* By hash of both blocks. */
struct trace_edges {
	struct trace_edge *table; /* a count of 0: free */
	uint32_t count, size;
};

/* Of the block with this number, which was noted. */
struct trace_block_stats *profile_stats(const struct trace_profile *profile, uint32_t block);

/* The first time that it is noted. */
struct trace_block_stats *profile_make_stats(struct trace_profile *profile, uint32_t block);

/* ---- shares.c ---- */

/* A block that ran, while a result is made. */
struct profile_block {
	const struct trace_block *block;
	const struct trace_block_stats *stats;
	uint64_t executions, insns;
	const uint64_t *shares; /* of each instruction in the cycles, or NULL */
	uint64_t offset;	/* in the function */
	uint32_t function;	/* index in the result */
};

/* Of the block in its function; its address if that is not known. */
uint64_t profile_offset(const struct trace_dictionary *dictionary, const struct trace_block *block);

void profile_add_weight(struct takt_trace_weight *sum, const struct takt_trace_weight *weight);
struct takt_trace_weight profile_weight(uint64_t insns, const uint64_t losses[TAKT_TRACE_LOSSES]);
/* What the instructions from `first` on, before `end`, have of the block's weight. */
struct takt_trace_weight profile_split(const struct profile_block *block, uint32_t first,
				       uint32_t end);

/* ---- loops.c ---- */

struct profile_loops {
	struct takt_trace_loop *list;
	uint32_t count, capacity;
};

/*
 * Adds the loops of one function, whose blocks these are; `edges`: those that are not in the
 * blocks' own counts, by `from`.
 */
void profile_find_loops(const struct trace_dictionary *dictionary,
			const struct profile_block *blocks, size_t count,
			const struct trace_edge *edges, size_t edge_count,
			struct profile_loops *loops);

#endif
