/* SPDX-License-Identifier: MIT */
/* The timings of a block, and its issue slots: the fused domain, macro-fused pairs counted once. */
#include "bounds/bounds.h"

uint32_t takt_issue_slots(const struct takt_model *model, const struct takt_block *block,
			  const struct takt_timing *timings, bool *ret_fused)
{
	uint32_t slots = 0;
	bool before = false; /* the previous instruction is the second of a fused pair */

	for (uint32_t i = 0; i < block->count; i++) {
		bool fused =
			i && !before &&
			takt_model_fuses_next(model, &block->insns[i - 1], block->count - i + 1);

		/* A fused pair is one µop: the second needs no slot besides the first's. */
		slots += fused ? 0 : timings[i].slots;
		if (ret_fused)
			ret_fused[i] = fused;
		before = fused;
	}
	return slots;
}

uint32_t takt_block_timings(const struct takt_model *model, const struct takt_block *block,
			    struct takt_arena *arena, struct takt_timing *ret_timings,
			    bool *ret_fused)
{
	struct takt_timing_storage *storage =
		TAKT_NEW_ARRAY(arena, block->count, struct takt_timing_storage);
	uint32_t slots;

	for (uint32_t i = 0; i < block->count; i++)
		takt_model_timing(model, &block->insns[i], &storage[i], &ret_timings[i]);
	takt_timings_close_port(model, block, storage, ret_timings);
	takt_timings_count_strings(model, block, ret_timings);
	slots = takt_issue_slots(model, block, ret_timings, ret_fused);
	for (uint32_t i = 1; i < block->count; i++)
		if (ret_fused[i] && block->insns[i].flags & TAKT_INSN_BRANCH)
			takt_timing_fuse(model, &block->insns[i - 1], &storage[i], &ret_timings[i]);
	return slots;
}
