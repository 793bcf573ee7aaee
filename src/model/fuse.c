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

struct takt_fusing takt_model_fusing(const struct takt_model *model)
{
	const struct takt_image_core *core = model->core;
	uint64_t end = (uint64_t)core->fuse_index + core->fuse_count;

	return (struct takt_fusing){.fuses = model->image.fuses + core->fuse_index,
				    .count = end <= model->image.fuses_count ? core->fuse_count : 0,
				    .restrictions = core->fuse_not};
}

/* Return a mask of conditions; bit c: `first` fuses with a jump on condition c. */
static uint32_t fusing_conditions(const struct takt_model *model, const struct takt_insn *first)
{
	uint16_t mnemonic = mnemonic_of(first);
	struct takt_fusing fusing = takt_model_fusing(model);
	uint32_t conditions = 0;

	for (uint32_t i = 0; i < fusing.count && fusing.fuses[i].role == TAKT_FUSE_JUMP; i++)
		if (fusing.fuses[i].mnemonic == mnemonic)
			conditions |= fusing.fuses[i].conditions;
	return conditions && !is_restricted(fusing.restrictions, first) ? conditions : 0;
}

/* Return a mask of the sets in which the instruction has the role. */
static uint32_t sets_of(const struct takt_model *model, const struct takt_insn *insn,
			enum takt_fuse_role role)
{
	uint16_t mnemonic = mnemonic_of(insn);
	struct takt_fusing fusing = takt_model_fusing(model);
	uint32_t sets = 0;

	for (uint32_t i = 0; i < fusing.count; i++)
		if (fusing.fuses[i].role == role && fusing.fuses[i].mnemonic == mnemonic)
			sets |= 1u << fusing.fuses[i].set % 32;
	return sets;
}

/* True if a `fuse-pair` line of the core lists the two instructions. */
static bool is_pair(const struct takt_model *model, const struct takt_insn *first,
		    const struct takt_insn *second)
{
	uint32_t sets = sets_of(model, first, TAKT_FUSE_FIRST);

	return sets && sets & sets_of(model, second, TAKT_FUSE_SECOND);
}

/* True if the access is to a whole general register of 32 or 64 bits. */
static bool is_wide_general(const struct takt_access *access)
{
	return takt_location_is_gpr(access->location) && access->size_bytes >= 4;
}

static bool is_xmm(const struct takt_access *access)
{
	return takt_location_is_vector(access->location) && access->size_bytes == 16;
}

/* True if the instruction copies a general or xmm register into another one. */
static bool is_copy(const struct takt_insn *insn)
{
	const struct takt_access *to = &insn->accesses[0], *from = &insn->accesses[1];

	if (insn->access_count != 2 || insn->memory_count || insn->flags & TAKT_INSN_HAS_IMM ||
	    to->flags != TAKT_WRITE || from->flags != TAKT_READ ||
	    to->size_bytes != from->size_bytes || to->location == from->location)
		return false;
	return (is_wide_general(to) && is_wide_general(from)) || (is_xmm(to) && is_xmm(from));
}

/* True if the instruction is one µop at most, and depends on its operands. */
static bool is_one_uop(const struct takt_model *model, const struct takt_insn *insn)
{
	struct takt_timing_storage storage;
	struct takt_timing timing;

	takt_model_timing(model, insn, &storage, &timing);
	return timing.slots == 1 && timing.uop_total <= 1 &&
	       !(timing.flags & (TAKT_TIMING_ZERO | TAKT_TIMING_BREAKS));
}

/*
 * True if the instruction changes the register, of as many bytes if it is a general one, and reads
 * no memory. `ret_reads` gets the number of its operands that are the register.
 */
static bool changes(const struct takt_insn *insn, const struct takt_access *wanted,
		    unsigned *ret_reads)
{
	unsigned changes = 0;

	*ret_reads = 0;
	for (unsigned i = 0; i < insn->access_count; i++) {
		const struct takt_access *access = &insn->accesses[i];

		if (access->location != wanted->location)
			continue;
		*ret_reads += (access->flags & TAKT_READ) != 0;
		changes += (access->size_bytes == wanted->size_bytes ||
			    takt_location_is_vector(access->location)) &&
			   access->flags & TAKT_READ && access->flags & TAKT_WRITE;
	}
	return changes == 1 && !insn->memory_count;
}

/*
 * True if a move fuses with the next instruction. Measured: both general registers have 32 bits, or
 * both 64.
 */
static bool fuses_move(const struct takt_model *model, const struct takt_insn *first,
		       const struct takt_insn *second)
{
	const struct takt_core_params *params = takt_model_params(model);
	unsigned reads;

	if (!is_copy(first) || !changes(second, &first->accesses[0], &reads) ||
	    !is_pair(model, first, second) || !is_one_uop(model, second))
		return false;
	return params->fuse_any_move || (reads == 1 && first->accesses[1].location != TAKT_LOC_RSP);
}

/*
 * True if a load of a general register fuses with the next instruction. Measured: the address has
 * a base register and no index, and the operation has neither a constant nor the loaded register
 * as its other operand.
 */
static bool fuses_load(const struct takt_model *model, const struct takt_insn *first,
		       const struct takt_insn *second)
{
	const struct takt_memory *memory = &first->memories[0];
	unsigned reads;

	return first->memory_count == 1 && first->flags & TAKT_INSN_LOADS &&
	       !(first->flags & TAKT_INSN_STORES) && memory->base && !memory->index &&
	       !memory->rip_relative && is_wide_general(&first->accesses[0]) &&
	       first->accesses[0].flags == TAKT_WRITE && !(second->flags & TAKT_INSN_HAS_IMM) &&
	       changes(second, &first->accesses[0], &reads) && reads == 1 &&
	       sets_of(model, first, TAKT_FUSE_LOAD) & sets_of(model, second, TAKT_FUSE_LOADED);
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
	return !(insns[1].flags & TAKT_INSN_BRANCH) &&
	       (fuses_move(model, &insns[0], &insns[1]) ||
		fuses_load(model, &insns[0], &insns[1])) &&
	       !(count > 2 && insns[2].flags & TAKT_INSN_CONDITIONAL &&
		 takt_model_fuses(model, &insns[1], &insns[2]));
}

bool takt_model_fuses_load(const struct takt_model *model, const struct takt_insn *insns,
			   uint32_t count)
{
	return count > 1 && insns[0].flags & TAKT_INSN_LOADS && !insns[1].memory_count &&
	       !(insns[1].flags & (TAKT_INSN_BRANCH | TAKT_INSN_NOP)) &&
	       takt_model_fuses_next(model, insns, count);
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

/* ---- lines of a core file ------------------------------------------------- */

static const char *const fuse_not_words[] = {
#define X(name, word) word,
	TAKT_FUSE_NOT_LIST(X)
#undef X
};

/* Write the line of pairs that `fuses` begins with. */
static void write_pairs(const struct takt_isa *isa, const struct takt_fuse *fuses, uint32_t count,
			struct takt_text *text)
{
	bool before = true;

	takt_text_add_string(text, fuses->role == TAKT_FUSE_LOAD ? "fuse-load  " : "fuse-pair  ");
	for (uint32_t i = 0; i < count && fuses[i].set == fuses->set; i++) {
		if (before && fuses[i].role != fuses->role)
			takt_text_add_string(text, " :");
		before = fuses[i].role == fuses->role;
		takt_text_printf(text, " %s", takt_mnemonic_text(isa, fuses[i].mnemonic));
	}
	takt_text_add_string(text, "\n");
}

static void write_fuse(const struct takt_isa *isa, const struct takt_fuse *fuse,
		       struct takt_text *text)
{
	const char *first = takt_mnemonic_text(isa, fuse->mnemonic);

	takt_text_printf(text, "fuse        %-5s:%s", first,
			 fuse->conditions == UINT16_MAX ? " *" : "");
	for (unsigned c = 0; c < 16 && fuse->conditions != UINT16_MAX; c++)
		if (fuse->conditions >> c & 1)
			takt_text_printf(text, " %s", takt_condition_word(isa, c));
	takt_text_add_string(text, "\n");
}

void takt_fusing_write(const struct takt_isa *isa, const struct takt_fusing *fusing,
		       struct takt_text *text)
{
	for (uint32_t i = 0; i < fusing->count; i++) {
		const struct takt_fuse *fuse = &fusing->fuses[i];

		if (fuse->role == TAKT_FUSE_JUMP)
			write_fuse(isa, fuse, text);
		else if (i == 0 || fuse->set != fuse[-1].set)
			write_pairs(isa, fuse, fusing->count - i, text);
	}
	if (fusing->restrictions)
		takt_text_add_string(text, "fuse-not   ");
	for (unsigned i = 0; i < TAKT_FUSE_NOT_COUNT; i++)
		if (fusing->restrictions >> i & 1)
			takt_text_printf(text, " %s", fuse_not_words[i]);
	if (fusing->restrictions)
		takt_text_add_string(text, "\n");
}
