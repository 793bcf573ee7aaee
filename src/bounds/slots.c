/* SPDX-License-Identifier: MIT */
/* Issue slots: the fused domain, with macro-fused pairs counted once. */
#include "bounds/bounds.h"

uint32_t takt_issue_slots(const struct takt_model *model, const struct takt_block *block,
			  const struct takt_timing *timings, bool *ret_fused)
{
	uint32_t slots = 0;
	bool before = false; /* the previous instruction is the second of a fused pair */

	for (uint32_t i = 0; i < block->count; i++) {
		bool fused = i && !before &&
			     block->insns[i].flags & (TAKT_INSN_CONDITIONAL | TAKT_INSN_NOP) &&
			     takt_model_fuses(model, &block->insns[i - 1], &block->insns[i]);

		/* A fused pair is one µop: the second needs no slot besides the first's. */
		slots += fused ? 0 : timings[i].slots;
		if (ret_fused)
			ret_fused[i] = fused;
		before = fused;
	}
	return slots;
}
