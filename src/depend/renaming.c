/* SPDX-License-Identifier: MIT */
/* Memory renaming: loads that get what was stored without going through the cache. */
#include <string.h>

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

static bool zero_extends(const struct takt_insn *insn)
{
	struct takt_form form = takt_form_unpack(insn->form);

	return insn->isa == &takt_isa_x86 &&
	       strcmp(takt_mnemonic_text(insn->isa, form.mnemonic), "movzx") == 0;
}

bool takt_memory_may_be_renamed(const struct takt_core_params *params,
				const struct takt_insn *insn, const struct takt_memory *memory)
{
	return params->store_forward_renamed_cycles && memory->base && !memory->index &&
	       (memory->size_bytes != 2 || params->store_forward_renamed_words) &&
	       (memory->size_bytes > 2 || params->store_forward_renamed_movzx ||
		!zero_extends(insn)) &&
	       !(insn->flags & NEVER_RENAMED) &&
	       (params->store_forward_renamed_combined || !combines_register(insn, memory));
}

static bool writes(const struct takt_insn *insn, uint8_t location)
{
	for (unsigned a = 0; a < insn->access_count; a++)
		if (insn->accesses[a].location == location && insn->accesses[a].flags & TAKT_WRITE)
			return true;
	return false;
}

/* Whether the register that both addresses start from is the same from the store to the load. */
static bool keeps_base(const struct takt_block *block, const struct takt_memory_edge *edge,
		       uint8_t base)
{
	uint32_t last = edge->iterations ? block->count + edge->load : edge->load;

	if (edge->iterations > 1)
		last = edge->store + block->count;
	for (uint32_t i = edge->store; i < last; i++)
		if (writes(&block->insns[i % block->count], base))
			return false;
	return true;
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
	bool straight = params->store_forward_renamed_straight &&
			(params->store_forward_renamed_rewritten ||
			 keeps_base(block, edge, loaded->base));

	return (repeats || straight || stack) &&
	       edge->overlap == TAKT_OVERLAP_CONTAINED && stored->base == loaded->base &&
	       stored->size_bytes == loaded->size_bytes &&
	       takt_memory_may_be_renamed(params, store, stored) &&
	       takt_memory_may_be_renamed(params, load, loaded);
}
