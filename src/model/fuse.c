/* SPDX-License-Identifier: MIT */
/* Macro-fusion: decides which pairs of instructions decode into one µop. */
#include "model/image.h"

static uint16_t mnemonic_of(const struct takt_insn *insn)
{
	return takt_form_unpack(insn->form).mnemonic;
}

/* True if `fuse-not` forbids fusion with these operands, or `first` stores, which never fuses. */
static bool is_restricted(uint32_t fuse_not, const struct takt_insn *first)
{
	const struct takt_memory *memory = takt_insn_data_memory(first);
	bool immediate = first->flags & TAKT_INSN_HAS_IMM;
	const bool holds[TAKT_FUSE_NOT_COUNT] = {
		[TAKT_FUSE_NOT_MEM] = memory,
		[TAKT_FUSE_NOT_MEM_IMM] = memory && immediate,
		[TAKT_FUSE_NOT_RIP] = memory && memory->rip_relative,
		[TAKT_FUSE_NOT_RIP_IMM] = memory && memory->rip_relative && immediate,
		[TAKT_FUSE_NOT_DISP_IMM] =
			memory && immediate && (memory->displacement || memory->rip_relative),
		[TAKT_FUSE_NOT_WIDE_DISP_IMM] =
			memory && memory->displacement != (int8_t)memory->displacement &&
			first->immediate_size_bytes == 4,
		[TAKT_FUSE_NOT_IMM] = immediate,
	};

	if (first->flags & TAKT_INSN_STORES)
		return true;
	for (unsigned i = 0; i < TAKT_FUSE_NOT_COUNT; i++)
		if (fuse_not >> i & 1 && holds[i])
			return true;
	return false;
}

static bool has_fuses(const struct takt_model *model)
{
	const struct takt_image_core *core = model->core;

	return core->fuse_count &&
	       (uint64_t)core->fuse_index + core->fuse_count <= model->image.fuses_count;
}

/* Return a mask of conditions; bit c: `first` fuses with a jump on condition c. */
static uint32_t fusing_conditions(const struct takt_model *model, const struct takt_insn *first)
{
	const struct takt_image_core *core = model->core;
	uint32_t conditions = 0;
	uint16_t mnemonic;

	if (!has_fuses(model))
		return 0;
	mnemonic = mnemonic_of(first);
	for (uint32_t i = 0; i < core->fuse_count; i++) {
		const struct takt_image_fuse *fuse = &model->image.fuses[core->fuse_index + i];

		if (fuse->mnemonic == mnemonic && !fuse->second)
			conditions |= fuse->conditions;
	}
	return conditions && !is_restricted(core->fuse_not, first) ? conditions : 0;
}

/* True if a `fuse-pair` line of the core lists the two instructions. */
static bool is_pair(const struct takt_model *model, const struct takt_insn *first,
		    const struct takt_insn *second)
{
	const struct takt_image_core *core = model->core;

	for (uint32_t i = 0; has_fuses(model) && i < core->fuse_count; i++) {
		const struct takt_image_fuse *fuse = &model->image.fuses[core->fuse_index + i];

		if (fuse->second && fuse->mnemonic == mnemonic_of(first) &&
		    fuse->second == mnemonic_of(second))
			return true;
	}
	return false;
}

/* Return the register that the instruction copies into another one; TAKT_LOC_NONE: it is no copy.
 */
static uint8_t copied_register(const struct takt_insn *insn)
{
	const struct takt_access *to = &insn->accesses[0], *from = &insn->accesses[1];

	if (insn->access_count != 2 || insn->memory_count || insn->flags & TAKT_INSN_HAS_IMM ||
	    to->flags != TAKT_WRITE || from->flags != TAKT_READ || to->size_bytes < 4 ||
	    to->size_bytes != from->size_bytes || to->location == from->location ||
	    !takt_location_is_gpr(to->location) || !takt_location_is_gpr(from->location))
		return TAKT_LOC_NONE;
	return from->location;
}

/* True if the instruction changes the register, of as many bytes, and has it as no other source. */
static bool changes(const struct takt_insn *insn, const struct takt_access *wanted)
{
	unsigned reads = 0, changes = 0;

	for (unsigned i = 0; i < insn->access_count; i++) {
		const struct takt_access *access = &insn->accesses[i];

		if (access->location != wanted->location)
			continue;
		reads += (access->flags & TAKT_READ) != 0;
		changes += access->size_bytes == wanted->size_bytes && access->flags & TAKT_READ &&
			   access->flags & TAKT_WRITE;
	}
	return reads == 1 && changes == 1 && !insn->memory_count;
}

/*
 * True if a move fuses with the next instruction. Measured: both registers have 32 bits, or both
 * 64, and the stack pointer is not copied.
 */
static bool fuses_move(const struct takt_model *model, const struct takt_insn *first,
		       const struct takt_insn *second)
{
	uint8_t copied = copied_register(first);

	return copied != TAKT_LOC_NONE && copied != TAKT_LOC_RSP && is_pair(model, first, second) &&
	       changes(second, &first->accesses[0]);
}

bool takt_model_fuses(const struct takt_model *model, const struct takt_insn *first,
		      const struct takt_insn *second)
{
	if (second->flags & TAKT_INSN_NOP)
		return takt_model_params(model)->nops_share &&
		       !(first->flags & (TAKT_INSN_BRANCH | TAKT_INSN_VECTOR | TAKT_INSN_X87));
	if (!(second->flags & TAKT_INSN_BRANCH))
		return is_pair(model, first, second);
	/* jrcxz, loop and cbz have no condition code and never fuse. */
	if (!(second->flags & TAKT_INSN_CONDITIONAL) || second->condition < 0 ||
	    second->condition > 15)
		return false;
	return fusing_conditions(model, first) >> second->condition & 1;
}

bool takt_model_fuses_next(const struct takt_model *model, const struct takt_insn *insns,
			   uint32_t count)
{
	if (count < 2)
		return false;
	if (insns[1].flags & (TAKT_INSN_CONDITIONAL | TAKT_INSN_NOP))
		return takt_model_fuses(model, &insns[0], &insns[1]);
	return !(insns[1].flags & TAKT_INSN_BRANCH) && fuses_move(model, &insns[0], &insns[1]) &&
	       !(count > 2 && insns[2].flags & TAKT_INSN_CONDITIONAL &&
		 takt_model_fuses(model, &insns[1], &insns[2]));
}

/* ---- where a pair executes ---------------------------------------------- */

static bool writes_register(const struct takt_insn *insn)
{
	for (unsigned a = 0; a < insn->access_count; a++)
		if (insn->accesses[a].flags & TAKT_WRITE &&
		    takt_location_is_gpr(insn->accesses[a].location))
			return true;
	return false;
}

/* Return the ALUs of the schedulers that have one of these branch units. */
static uint32_t alus_beside(const struct takt_model *model, uint32_t branch_units)
{
	uint32_t count, beside = 0;
	const struct takt_scheduler *schedulers = takt_model_schedulers(model, &count);

	for (uint32_t i = 0; i < count; i++)
		if (schedulers[i].ports & branch_units)
			beside |= schedulers[i].ports;
	return beside & takt_model_class_ports(model, TAKT_CLASS_INT);
}

void takt_timing_fuse(const struct takt_model *model, const struct takt_insn *first,
		      struct takt_timing_storage *storage, struct takt_timing *jump)
{
	uint32_t alus;

	if (!takt_model_params(model)->fused_results_by_alu || jump->uops_count != 1 ||
	    !writes_register(first))
		return;
	alus = alus_beside(model, jump->uops[0].ports);
	if (!alus)
		return;
	storage->uops[0] = jump->uops[0];
	storage->uops[0].ports = alus;
	jump->uops = storage->uops;
}

bool takt_model_may_fuse(const struct takt_model *model, const struct takt_insn *first)
{
	return fusing_conditions(model, first) != 0;
}
