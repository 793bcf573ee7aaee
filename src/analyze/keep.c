/* SPDX-License-Identifier: MIT */
/* Lists loaded values that could have stayed in registers since they were stored. */
#include <string.h>

#include "analyze/rewrite.h"

static bool is_written(const struct takt_block *block, uint8_t location)
{
	for (uint32_t i = 0; location && i < block->count; i++)
		if (takt_insn_writes(&block->insns[i], location))
			return true;
	return false;
}

static bool is_fixed(const struct takt_block *block, const struct takt_memory *memory)
{
	return !is_written(block, memory->base) && !is_written(block, memory->index);
}

/* Return the only register whose value a store stores; NULL if it does more than to store. */
static const struct takt_access *stored_register(const struct takt_insn *store)
{
	const struct takt_access *found = NULL;

	if (store->insn_class != TAKT_CLASS_MOVE || store->flags & TAKT_INSN_LOADS)
		return NULL;
	for (unsigned a = 0; a < store->access_count; a++) {
		const struct takt_access *access = &store->accesses[a];

		if (access->flags & TAKT_ADDRESS || !(access->flags & TAKT_READ))
			continue;
		if (found || !access->location)
			return NULL;
		found = access;
	}
	return found;
}

/* Find the instruction that makes the stored value, in the same iteration. */
static bool find_producer(const struct takt_block *block, struct takt_kept *kept)
{
	const struct takt_access *stored = stored_register(&block->insns[kept->store]);

	for (uint32_t i = kept->store; stored && i--;) {
		const struct takt_access *made =
			takt_insn_writes(&block->insns[i], stored->location);

		if (!made)
			continue;
		kept->producer = i;
		kept->data_slot = made->slot;
		return true;
	}
	return false;
}

static bool is_read_before(const struct takt_block *block, uint8_t location, uint32_t insn)
{
	for (uint32_t i = 0; i < insn; i++) {
		if (takt_insn_reads(&block->insns[i], location))
			return true;
		if (takt_insn_writes(&block->insns[i], location))
			return false;
	}
	return false;
}

/* True if the load only copies the value to a register, all of which it fills. */
static bool only_copies(const struct takt_block *block, const struct takt_kept *kept,
			const struct takt_memory *memory)
{
	const struct takt_insn *load = &block->insns[kept->load];
	uint8_t written = TAKT_LOC_NONE;

	if (load->insn_class != TAKT_CLASS_MOVE || load->flags & TAKT_INSN_STORES)
		return false;
	for (unsigned a = 0; a < load->access_count; a++) {
		const struct takt_access *access = &load->accesses[a];

		if (access->flags & TAKT_ADDRESS || !access->location)
			continue;
		if (access->flags & TAKT_READ || written ||
		    (!takt_location_is_vector(access->location) &&
		     access->size_bytes != memory->size_bytes))
			return false;
		written = access->location;
	}
	return written && !is_read_before(block, written, kept->load);
}

/* True if the load's instruction has a form with a register in the place of memory. */
static bool has_register_form(const struct takt_insn *insn, uint8_t slot)
{
	return insn->isa == &takt_isa_x86 && slot < TAKT_FORM_OPERANDS_MAX &&
	       insn->memory_count == 1 && !(insn->flags & TAKT_INSN_LOCKED);
}

static bool find_kept(const struct takt_work *work, const struct takt_memory_edge *edge,
		      struct takt_kept *kept)
{
	const struct takt_block *block = &work->prepared.block;
	const struct takt_insn *store = &block->insns[edge->store];
	const struct takt_insn *load = &block->insns[edge->load];
	const struct takt_memory *from = &store->memories[edge->store_memory];
	const struct takt_memory *to = &load->memories[edge->load_memory];

	*kept = (struct takt_kept){.store = edge->store,
				   .load = edge->load,
				   .iterations = edge->iterations,
				   .value_slot = edge->load_slot};
	if (edge->overlap != TAKT_OVERLAP_CONTAINED || !to->size_bytes ||
	    from->size_bytes != to->size_bytes || edge->iterations > TAKT_KEPT_ITERATIONS_MAX)
		return false;
	if (edge->store == edge->load) {
		kept->is_accumulator = edge->iterations == 1 && is_fixed(block, to);
		return kept->is_accumulator && has_register_form(load, kept->value_slot);
	}
	kept->store_is_dropped = is_fixed(block, from);
	kept->only_copies = only_copies(block, kept, to);
	if (!kept->only_copies &&
	    (load->flags & TAKT_INSN_STORES || !has_register_form(load, kept->value_slot)))
		return false;
	return find_producer(block, kept);
}

uint32_t takt_kept_list(const struct takt_work *work, struct takt_kept ret_kept[TAKT_KEPT_MAX])
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < work->prepared.edge_count && count < TAKT_KEPT_MAX; i++)
		if (find_kept(work, &work->prepared.edges[i], &ret_kept[count]))
			count++;
	return count;
}
