/* SPDX-License-Identifier: MIT */
/*
 * Indirect branches whose target is known before any table of indirect targets is asked. Such a
 * core predicts two taken branches a cycle, from the address at which the first begins: what it
 * keeps of the pair has both targets. The target of an indirect branch is among them as long as
 * it is the only one from there (docs/branch.md). An indirect branch or a return ends its pair,
 * and a return begins one.
 */
#include "branch/state.h"

static bool learn(struct branch_predictor *predictor, const struct branch *branch)
{
	struct known_targets *known_targets = &predictor->known_targets;
	uint64_t start = known_targets->start;
	struct known_target_entry *entry =
		(struct known_target_entry *)branch_array(predictor, known_targets->table) +
		branch_slot((start * PATH_BASE + branch->address) * PATH_BASE,
			    known_targets->entries);

	if (entry->start != start || entry->address != branch->address)
		*entry = (struct known_target_entry){start, branch->address, branch->next};
	if (entry->target == branch->next)
		return true;
	entry->target = TARGET_VARIES;
	return false;
}

void takt_known_target_update(struct branch_predictor *predictor, const struct branch *branch)
{
	struct known_targets *known_targets = &predictor->known_targets;
	bool ends = known_targets->second;

	known_targets->known = false;
	if (known_targets->entries == 0)
		return;
	switch (branch->kind) {
	case BRANCH_INDIRECT:
	case BRANCH_INDIRECT_CALL:
		known_targets->known = learn(predictor, branch);
		ends = true;
		break;
	case BRANCH_RETURN:
		ends = true;
		break;
	case BRANCH_CONDITIONAL:
	case BRANCH_JUMP:
	case BRANCH_CALL:
		break;
	}
	known_targets->second = !ends;
	if (ends)
		known_targets->start = branch->next;
}
