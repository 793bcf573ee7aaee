/* SPDX-License-Identifier: MIT */
/* Finds out what kind of recurrence limits a block. */
#include <string.h>

#include "analyze/chains.h"

const struct takt_access *takt_insn_reads(const struct takt_insn *insn, uint8_t location)
{
	for (unsigned i = 0; i < insn->access_count; i++) {
		const struct takt_access *access = &insn->accesses[i];

		if (access->location == location && access->flags & TAKT_READ &&
		    !(access->flags & TAKT_ADDRESS))
			return access;
	}
	return NULL;
}

const struct takt_access *takt_insn_writes(const struct takt_insn *insn, uint8_t location)
{
	for (unsigned i = 0; i < insn->access_count; i++) {
		const struct takt_access *access = &insn->accesses[i];

		if (access->location == location && access->flags & TAKT_WRITE)
			return access;
	}
	return NULL;
}

static bool is_flags(uint8_t location)
{
	return location >= TAKT_LOC_CF && location <= TAKT_LOC_SZAP;
}

bool takt_insn_counts(const struct takt_insn *insn, uint8_t *ret_location, int64_t *ret_addend)
{
	enum takt_operation operation = takt_insn_operation(insn);
	bool subtracts =
		operation == TAKT_OPERATION_SUBTRACT || operation == TAKT_OPERATION_SUBTRACT_CARRY;
	uint8_t written = TAKT_LOC_NONE;

	if (insn->memory_count || insn->flags & TAKT_INSN_BRANCH)
		return false;
	for (unsigned i = 0; i < insn->access_count; i++) {
		const struct takt_access *access = &insn->accesses[i];

		if (is_flags(access->location))
			continue;
		if (!takt_location_is_gpr(access->location) ||
		    (written && access->location != written))
			return false;
		written = access->location;
	}
	if (!written || !takt_insn_writes(insn, written) || !takt_insn_reads(insn, written))
		return false;
	*ret_location = written;
	if (operation == TAKT_OPERATION_INCREMENT || operation == TAKT_OPERATION_DECREMENT) {
		*ret_addend = operation == TAKT_OPERATION_INCREMENT ? 1 : -1;
		return true;
	}
	if (!(insn->flags & TAKT_INSN_HAS_IMM) || (operation != TAKT_OPERATION_ADD && !subtracts))
		return false;
	*ret_addend = subtracts ? -insn->immediate : insn->immediate;
	return true;
}

/* ---- kinds of chains ------------------------------------------------------------------- */

static const struct takt_insn *insn_of(const struct takt_work *work, uint32_t def)
{
	return &work->prepared.block.insns[work->graph.defs[def].insn];
}

static bool is_in_memory(const struct takt_work *work, const struct takt_chain *chain)
{
	for (uint32_t i = 0; i < chain->def_count; i++)
		if (work->graph.defs[chain->defs[i]].location == TAKT_LOC_NONE)
			return true;
	return false;
}

static bool is_counter(const struct takt_work *work, const struct takt_chain *chain)
{
	uint8_t location;
	int64_t addend;

	for (uint32_t i = 0; i < chain->def_count; i++)
		if (!takt_insn_counts(insn_of(work, chain->defs[i]), &location, &addend))
			return false;
	return true;
}

/* Return the edge by which one def of the chain goes to the next. */
static const struct takt_edge *edge_to(const struct takt_work *work, const struct takt_chain *chain,
				       uint32_t index)
{
	uint32_t to = chain->defs[index];
	uint32_t from = chain->defs[(index + chain->def_count - 1) % chain->def_count];

	for (uint32_t i = work->graph.first_edge[to]; i < work->graph.first_edge[to + 1]; i++)
		if (work->graph.edges[i].from == from)
			return &work->graph.edges[i];
	return NULL;
}

static bool is_pointer_chase(const struct takt_work *work, const struct takt_chain *chain)
{
	for (uint32_t i = 0; i < chain->def_count; i++) {
		const struct takt_edge *edge = edge_to(work, chain, i);

		if (edge && insn_of(work, edge->to)->flags & TAKT_INSN_LOADS &&
		    (edge->source_slot == TAKT_SLOT_BASE || edge->source_slot == TAKT_SLOT_INDEX))
			return true;
	}
	return false;
}

static bool is_member(const struct takt_work *work, const struct takt_chain *chain, uint32_t insn)
{
	for (uint32_t i = 0; i < chain->def_count; i++)
		if (work->graph.defs[chain->defs[i]].insn == insn)
			return true;
	return false;
}

/* True if any instruction outside the chain reads or writes the accumulator. */
static bool is_read_otherwise(const struct takt_work *work, const struct takt_chain *chain)
{
	const struct takt_block *block = &work->prepared.block;

	for (uint32_t i = 0; i < block->count; i++)
		for (unsigned a = 0; a < block->insns[i].access_count; a++)
			if (block->insns[i].accesses[a].location == chain->location &&
			    !is_member(work, chain, i))
				return true;
	return false;
}

/* Return the only operand through which a member reads the accumulator; NULL if it has several. */
static const struct takt_access *only_read(const struct takt_insn *insn, uint8_t location)
{
	unsigned count = 0;

	for (unsigned i = 0; i < insn->access_count; i++)
		count += insn->accesses[i].location == location &&
			 insn->accesses[i].flags & TAKT_READ;
	return count == 1 ? takt_insn_reads(insn, location) : NULL;
}

static bool is_reduction(const struct takt_work *work, struct takt_chain *chain)
{
	uint8_t group = 0;

	chain->location = work->graph.defs[chain->defs[0]].location;
	chain->is_floating = false;
	if (!takt_location_is_gpr(chain->location) && !takt_location_is_vector(chain->location))
		return false;
	for (uint32_t i = 0; i < chain->def_count; i++) {
		const struct takt_insn *insn = insn_of(work, chain->defs[i]);
		const struct takt_access *access = only_read(insn, chain->location);
		uint8_t of_insn;

		if (work->graph.defs[chain->defs[i]].location != chain->location || !access ||
		    !takt_insn_accumulates(insn, access->slot, &of_insn, &chain->is_floating) ||
		    (i && of_insn != group))
			return false;
		group = of_insn;
	}
	return !is_read_otherwise(work, chain);
}

void takt_chain_find(const struct takt_work *work, const struct takt_bounds_recurrence *recurrence,
		     struct takt_chain *ret_chain)
{
	struct takt_chain chain = {.def_count = recurrence->count, .defs = recurrence->defs};

	if (is_in_memory(work, &chain))
		chain.kind = TAKT_CHAIN_MEMORY;
	else if (is_pointer_chase(work, &chain))
		chain.kind = TAKT_CHAIN_POINTER;
	else if (is_counter(work, &chain))
		chain.kind = TAKT_CHAIN_COUNTER;
	else if (is_reduction(work, &chain))
		chain.kind = TAKT_CHAIN_REDUCTION;
	*ret_chain = chain;
}

const char *takt_chain_text(enum takt_chain_kind kind)
{
	switch (kind) {
	case TAKT_CHAIN_OTHER:
		return "each iteration needs the result of the one before";
	case TAKT_CHAIN_POINTER:
		return "a pointer chase: each address is loaded by the iteration before";
	case TAKT_CHAIN_REDUCTION:
	case TAKT_CHAIN_COUNTER:
	case TAKT_CHAIN_MEMORY:
		break;
	}
	return "";
}
