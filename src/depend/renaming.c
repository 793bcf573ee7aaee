/* SPDX-License-Identifier: MIT */
/* Memory renaming: loads that rename gives the stored register, without an access to the cache. */
#include <string.h>

#include "depend/depend.h"

#define NEVER_RENAMED (TAKT_INSN_VECTOR | TAKT_INSN_X87 | TAKT_INSN_NON_TEMPORAL | TAKT_INSN_LOCKED)

static bool is_one_of(const struct takt_insn *insn, const char *const *mnemonics, size_t count)
{
	struct takt_form form = takt_form_unpack(insn->form);

	for (size_t i = 0; insn->isa == &takt_isa_x86 && i < count; i++)
		if (strcmp(takt_mnemonic_text(insn->isa, form.mnemonic), mnemonics[i]) == 0)
			return true;
	return false;
}

/* True if the instruction reads a register for something else than an address; the flags count
 * as one if `flags` is set. */
static bool reads_register(const struct takt_insn *insn, bool flags)
{
	for (unsigned a = 0; a < insn->access_count; a++) {
		const struct takt_access *access = &insn->accesses[a];

		if (access->location && access->flags & TAKT_READ &&
		    !(access->flags & TAKT_ADDRESS) && (flags || access->slot != TAKT_SLOT_FLAGS))
			return true;
	}
	return false;
}

/* True if the instruction combines a register, or the flags, with what it loads and stores. */
static bool combines_register(const struct takt_insn *insn, const struct takt_memory *memory)
{
	return memory->read && memory->write && reads_register(insn, true);
}

/* True if there are several operations between load and store: by measurement, such an
 * instruction is never renamed. A bit test at a constant and a rotate by one are a single one on
 * some cores. */
static bool takes_long(const struct takt_insn *insn)
{
	static const char *const several[] = {"xadd",	 "shld",      "shrd",
					      "cmpxchg", "cmpxchg8b", "cmpxchg16b"};
	static const char *const tests[] = {"bts", "btr", "btc"};
	static const char *const rotates[] = {"rcl", "rcr"};
	uint8_t second = takt_form_unpack(insn->form).kinds[1];

	return is_one_of(insn, several, TAKT_COUNT_OF(several)) ||
	       (second != TAKT_KIND_I8 && is_one_of(insn, tests, TAKT_COUNT_OF(tests))) ||
	       (second != TAKT_KIND_ONE && is_one_of(insn, rotates, TAKT_COUNT_OF(rotates)));
}

/* True if the instruction stores what it has computed or loaded, or an immediate: there is no
 * register that a load could be given. */
static bool stores_no_register(const struct takt_insn *insn, const struct takt_memory *memory)
{
	static const char *const moves[] = {"mov", "push"};

	return memory->write && (memory->read || !is_one_of(insn, moves, TAKT_COUNT_OF(moves)) ||
				 !reads_register(insn, false));
}

static bool zero_extends(const struct takt_insn *insn)
{
	static const char *const loads[] = {"movzx"};

	return is_one_of(insn, loads, TAKT_COUNT_OF(loads));
}

/* True for sign-extending loads: their result differs from the register that was stored. */
static bool sign_extends(const struct takt_insn *insn)
{
	static const char *const loads[] = {"movsx", "movsxd"};

	return is_one_of(insn, loads, TAKT_COUNT_OF(loads));
}

/* True if the load is an operand of another operation; cmov does not count, since it uses the
 * loaded value as it is or not at all. */
static bool is_operand(const struct takt_insn *insn, const struct takt_memory *memory)
{
	struct takt_form form = takt_form_unpack(insn->form);

	return !memory->write && insn->insn_class != TAKT_CLASS_MOVE &&
	       !takt_string_starts(takt_mnemonic_text(insn->isa, form.mnemonic), "cmov");
}

static bool size_may_be_renamed(const struct takt_core_params *params, const struct takt_insn *insn,
				const struct takt_memory *memory)
{
	bool served = memory->size_bytes == 1 ? params->store_forward_renamed_bytes
					      : params->store_forward_renamed_words;

	return memory->size_bytes > 2 ||
	       (served && (params->store_forward_renamed_movzx || !zero_extends(insn)));
}

uint32_t takt_renamed_store_cycles(const struct takt_core_params *params,
				   const struct takt_insn *insn, const struct takt_memory *memory)
{
	return memory->size_bytes <= 2 && !stores_no_register(insn, memory)
		       ? (uint32_t)params->store_forward_renamed_narrow_cycles
		       : 0;
}

/* True if the core serves loads that are used so: extended, or as an operand of an operation. */
static bool serves_use(const struct takt_core_params *params, const struct takt_insn *insn,
		       const struct takt_memory *memory)
{
	if (params->store_forward_renamed_operands_indexed && memory->base && memory->index)
		return true;
	return (params->store_forward_renamed_movsx || !sign_extends(insn)) &&
	       (params->store_forward_renamed_operands || !is_operand(insn, memory));
}

bool takt_memory_may_be_renamed(const struct takt_core_params *params, const struct takt_insn *insn,
				const struct takt_memory *memory)
{
	return params->store_forward_renamed_cycles &&
	       (!memory->index || params->store_forward_renamed_indexed) &&
	       size_may_be_renamed(params, insn, memory) && !(insn->flags & NEVER_RENAMED) &&
	       !takes_long(insn) && serves_use(params, insn, memory) &&
	       (params->store_forward_renamed_combined || !combines_register(insn, memory)) &&
	       (params->store_forward_renamed_computed || !stores_no_register(insn, memory));
}

static bool writes(const struct takt_insn *insn, uint8_t location)
{
	for (unsigned a = 0; a < insn->access_count; a++)
		if (insn->accesses[a].location == location && insn->accesses[a].flags & TAKT_WRITE)
			return true;
	return false;
}

/* True if base and index, which both addresses share, are not written between store and load. */
static bool keeps_address(const struct takt_block *block, const struct takt_memory_edge *edge,
			  const struct takt_memory *memory)
{
	uint32_t last = edge->iterations ? block->count + edge->load : edge->load;

	if (edge->iterations > 1)
		last = edge->store + block->count;
	for (uint32_t i = edge->store; i < last; i++)
		if (writes(&block->insns[i % block->count], memory->base) ||
		    (memory->index && writes(&block->insns[i % block->count], memory->index)))
			return false;
	return true;
}

/* True if both addresses are made of the same registers, one at least. */
static bool same_registers(const struct takt_memory *stored, const struct takt_memory *loaded)
{
	return loaded->base && stored->base == loaded->base && stored->index == loaded->index &&
	       stored->scale == loaded->scale;
}

/* True if the load, which reads nothing but what the store wrote, is a part of it that is served:
 * all of it, or what it begins with. */
static bool part_may_be_renamed(const struct takt_core_params *params,
				const struct takt_block *block, const struct takt_memory_edge *edge,
				const struct takt_memory *stored, const struct takt_memory *loaded)
{
	return stored->size_bytes == loaded->size_bytes ||
	       (params->store_forward_renamed_narrower && same_registers(stored, loaded) &&
		stored->displacement == loaded->displacement && keeps_address(block, edge, loaded));
}

bool takt_memory_edge_is_renamed(const struct takt_model *model, const struct takt_block *block,
				 const struct takt_memory_edge *edge, bool repeats)
{
	const struct takt_core_params *params = takt_model_params(model);
	const struct takt_insn *store = &block->insns[edge->store];
	const struct takt_insn *load = &block->insns[edge->load];
	const struct takt_memory *stored = &store->memories[edge->store_memory];
	const struct takt_memory *loaded = &load->memories[edge->load_memory];

	bool stack =
		params->store_forward_renamed_stack && loaded->base == load->isa->stack_location;
	bool straight =
		params->store_forward_renamed_straight &&
		(params->store_forward_renamed_rewritten || keeps_address(block, edge, loaded));

	return (repeats || straight || stack) && edge->overlap == TAKT_OVERLAP_CONTAINED &&
	       (same_registers(stored, loaded) ||
		(repeats && params->store_forward_renamed_loops)) &&
	       part_may_be_renamed(params, block, edge, stored, loaded) &&
	       takt_memory_may_be_renamed(params, store, stored) &&
	       takt_memory_may_be_renamed(params, load, loaded) &&
	       !takt_model_fuses_load(model, load, block->count - edge->load);
}
