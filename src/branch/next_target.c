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
#define SURE_MAX 1

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

uint32_t takt_followers_next(struct branch_predictor *predictor, const struct branch *branch)
{
	struct followers *followers = &predictor->followers;
	uint64_t expected = identify(branch), before = followers->before;
	struct follower_entry *entry;
	uint32_t cycles;

	if (followers->entries == 0)
		return 0;
	/* After an indirect branch, the half line in which the next taken branch ends is part of
	 * the key: targets whose next branch is in the same half share an entry. */
	if (followers->varies)
		before += (branch->end - 1) / HALF_BYTES % 2;
	followers->before = branch->address * 2;
	followers->varies = varies(branch);
	entry = (struct follower_entry *)branch_array(predictor, followers->table) +
		branch_slot(before * PATH_BASE, followers->entries);
	if (entry->before != before) {
		*entry = (struct follower_entry){.before = before, .expected = expected};
		return 0;
	}
	if (entry->expected == expected) {
		entry->sure = SURE_MAX;
		return 0;
	}
	/* After an indirect branch there is no extra delay: its own target takes longer anyway. */
	cycles = followers->varies ? 0 : followers->late_cycles[entry->sure > 0];
	if (entry->sure > 0)
		entry->sure--;
	else
		entry->expected = expected;
	return cycles;
}
