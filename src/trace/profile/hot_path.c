/* SPDX-License-Identifier: MIT */
/* Finds the blocks of a profile that control took most often. */
#include "trace/trace.h"

const struct takt_trace_block *takt_trace_hottest_block(const struct takt_trace_profile *profile,
							uint64_t address)
{
	const struct takt_trace_block *best = NULL;

	for (uint32_t i = 0; i < profile->block_count; i++) {
		const struct takt_trace_block *block = &profile->blocks[i];

		if (block->address == address && (!best || block->executions > best->executions))
			best = block;
	}
	return best;
}

const struct takt_trace_block *
takt_trace_hottest_successor(const struct takt_trace_profile *profile,
			     const struct takt_trace_block *block)
{
	uint32_t from = (uint32_t)(block - profile->blocks), at;
	const struct takt_trace_edge *best = NULL;

	TAKT_BISECT(at, profile->edge_count, profile->edges[at].from < from);
	for (; at < profile->edge_count && profile->edges[at].from == from; at++)
		if (!best || profile->edges[at].count > best->count)
			best = &profile->edges[at];
	return best ? &profile->blocks[best->to] : NULL;
}
