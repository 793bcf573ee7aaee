/* SPDX-License-Identifier: MIT */
/*
 * Which taken branch follows another. A first level of target buffers that gives one a cycle
 * has no time to look: it goes by what came behind a branch the last times, and if that is wrong
 * the predictor proper has to say so (docs/branch.md). A branch is known by where it ends in
 * its line, and by its target unless that varies.
 */
#include "branch/state.h"

#define LINE_BYTES 64
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
	uint64_t place = (branch->end - 1) % LINE_BYTES + 1; /* never 0: nothing is known */

	return varies(branch) ? place : place + branch->next * LINE_BYTES;
}

uint32_t takt_followers_next(struct branch_predictor *predictor, const struct branch *branch)
{
	struct followers *followers = &predictor->followers;
	uint64_t expected = identify(branch), before = followers->before;
	struct follower_entry *entry;
	uint32_t cycles;

	if (followers->entries == 0)
		return 0;
	/* Of several targets, those whose branch is in the same half are alike. */
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
	/* An indirect one takes longer anyway. */
	cycles = followers->varies ? 0 : followers->late_cycles[entry->sure > 0];
	if (entry->sure > 0)
		entry->sure--;
	else
		entry->expected = expected;
	return cycles;
}
