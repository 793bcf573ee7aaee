/* SPDX-License-Identifier: MIT */
/* Memory renaming: loads that get what was stored without going through the cache. */
#include "depend/depend.h"

#define NEVER_RENAMED                                                                              \
	(TAKT_INSN_VECTOR | TAKT_INSN_X87 | TAKT_INSN_PAST_CACHES | TAKT_INSN_LOCKED)

/* An instruction that combines a register with what it loads and stores. */
static bool combines_register(const struct takt_insn *insn, const struct takt_memory *memory)
{
	if (!memory->read || !memory->write)
		return false;
	for (unsigned a = 0; a < insn->access_count; a++) {
		const struct takt_access *access = &insn->accesses[a];

		if (access->location && access->flags & TAKT_READ &&
		    !(access->flags & TAKT_ADDRESS) && access->slot != TAKT_SLOT_FLAGS)
			return true;
	}
	return false;
}

static bool may_be_renamed(const struct takt_core_params *params, const struct takt_insn *insn,
			   const struct takt_memory *memory)
{
	return memory->base && !memory->index && memory->size_bytes != 2 &&
	       !(insn->flags & NEVER_RENAMED) &&
	       (params->store_forward_renamed_combined || !combines_register(insn, memory));
}

bool takt_memory_edge_is_renamed(const struct takt_core_params *params,
				 const struct takt_block *block,
				 const struct takt_memory_edge *edge, bool repeats)
{
	const struct takt_insn *store = &block->insns[edge->store];
	const struct takt_insn *load = &block->insns[edge->load];
	const struct takt_memory *stored = &store->memories[edge->store_memory];
	const struct takt_memory *loaded = &load->memories[edge->load_memory];

	bool stack = params->store_forward_renamed_stack && loaded->base == load->isa->stack_location;

	return params->store_forward_renamed_cycles &&
	       (repeats || params->store_forward_renamed_straight || stack) &&
	       edge->overlap == TAKT_OVERLAP_CONTAINED && stored->base == loaded->base &&
	       stored->size_bytes == loaded->size_bytes &&
	       may_be_renamed(params, store, stored) && may_be_renamed(params, load, loaded);
}
