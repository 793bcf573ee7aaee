/* SPDX-License-Identifier: MIT */
/*
 * The next-target table: for a taken branch, which taken branch follows it. A first level of
 * target buffers that gives a target every cycle has no time for a lookup: it expects the branch
 * that came next the last times. If that is wrong, the predictor proper corrects it, some cycles
 * later (docs/branch.md). A branch is identified by where it ends in its line, and by its target
 * unless it is indirect.
 */
#include "branch/state.h"

#define HALF_BYTES 32
#define CONFIRMED_MAX 1

static bool varies(const struct branch *branch)
{
	switch (branch->kind) {
	case BRANCH_CONDITIONAL:
	case BRANCH_JUMP:
	case BRANCH_CALL:
		return false;
	case BRANCH_INDIRECT:
	case BRANCH_INDIRECT_CALL:
	case BRANCH_RETURN:
		return true;
	}
	return false;
}

static uint64_t identify(const struct branch *branch)
{
	uint64_t place = (branch->end - 1) % TAKT_LINE_BYTES + 1; /* 1 … TAKT_LINE_BYTES, never 0 */

	return varies(branch) ? place : place + branch->next * TAKT_LINE_BYTES;
}

uint32_t takt_next_target_update(struct branch_predictor *predictor, const struct branch *branch)
{
	struct next_targets *next_targets = &predictor->next_targets;
	uint64_t expected = identify(branch), before = next_targets->before;
	struct next_target_entry *entry;
	uint32_t cycles;

	if (next_targets->entries == 0)
		return 0;
	/* After an indirect branch, the half line in which the next taken branch ends is part of
	 * the key: targets whose next branch is in the same half share an entry. */
	if (next_targets->varies)
		before += (branch->end - 1) / HALF_BYTES % 2;
	next_targets->before = branch->address * 2;
	next_targets->varies = varies(branch);
	entry = (struct next_target_entry *)branch_array(predictor, next_targets->table) +
		branch_slot(before * PATH_BASE, next_targets->entries);
	if (entry->before != before) {
		*entry = (struct next_target_entry){.before = before, .expected = expected};
		return 0;
	}
	if (entry->expected == expected) {
		entry->confirmed = CONFIRMED_MAX;
		return 0;
	}
	/* After an indirect branch there is no extra delay: its own target takes longer anyway. */
	cycles = next_targets->varies ? 0 : next_targets->late_cycles[entry->confirmed > 0];
	if (entry->confirmed > 0)
		entry->confirmed--;
	else
		entry->expected = expected;
	return cycles;
}
