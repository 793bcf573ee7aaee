/* SPDX-License-Identifier: MIT */
#include "depend/depend.h"

#define X87_REGISTERS 8u
/* Constants that rename can add: those of eleven bits. */
#define RENAMED_ADDEND_MIN (-1024)
#define RENAMED_ADDEND_MAX 1023

void takt_writers_init(struct takt_writers *writers, const struct takt_core_params *params)
{
	*writers = (struct takt_writers){.high8_renamed = params->high8_renamed,
					 .low_renamed = !params->merge_upper_false_dependence,
					 .rsp_in_addresses = params->stack_engine_addresses};
	for (unsigned part = 0; part < TAKT_PART_COUNT; part++)
		writers->at[part].def = TAKT_NO_DEF;
}

static bool is_x87(const struct takt_insn *insn, uint8_t location)
{
	/* mm registers share these locations but do not turn with the stack. */
	return insn->flags & TAKT_INSN_X87 && takt_location_is_x87(location);
}

/* Convert st(i), counted from the current top, to its number from the top at the block's start. */
static uint8_t turn(uint8_t location, unsigned top)
{
	return (uint8_t)(TAKT_LOC_X87 +
			 (location - TAKT_LOC_X87 + X87_REGISTERS - top % X87_REGISTERS) %
				 X87_REGISTERS);
}

/* Fill in the parts of a general register that the access covers: the low bytes, ah and its
 * like, and the rest, as far as the core renames them apart. */
static unsigned gpr_parts(const struct takt_writers *writers, uint8_t location, uint8_t size_bytes,
			  uint8_t parts[TAKT_PARTS_MAX])
{
	unsigned count = 0;

	if (!writers->low_renamed || size_bytes > 2)
		parts[count++] = location;
	if (writers->low_renamed)
		parts[count++] = (uint8_t)(TAKT_PART_LOW + location - TAKT_LOC_GPR);
	if (writers->high8_renamed && size_bytes > 1 && location < TAKT_LOC_GPR + 4)
		parts[count++] = (uint8_t)(TAKT_LOC_HIGH8 + location - TAKT_LOC_GPR);
	return count;
}

static unsigned find_parts(const struct takt_writers *writers, const struct takt_insn *insn,
			   const struct takt_access *access, unsigned x87_top,
			   uint8_t parts[TAKT_PARTS_MAX])
{
	uint8_t location = access->location;

	parts[0] = location;
	if (!insn->isa->has_register_parts)
		return 1;
	if (takt_location_is_gpr(location))
		return gpr_parts(writers, location, access->size_bytes, parts);
	if (takt_location_is_high8(location) && !writers->high8_renamed)
		return gpr_parts(writers, (uint8_t)(location - TAKT_LOC_HIGH8 + TAKT_LOC_GPR), 2,
				 parts);
	parts[0] = is_x87(insn, location) ? turn(location, x87_top) : location;
	return 1;
}

/* True if the access is a read only because the rest of the register is kept: mov, pop and setcc
 * do not use the old value of the part that they write. */
static bool only_keeps_rest(const struct takt_insn *insn, const struct takt_access *access)
{
	if (!insn->isa->has_register_parts || !(access->flags & TAKT_MERGE) ||
	    !takt_location_is_gpr(access->location) || access->size_bytes > 2)
		return false;
	return insn->condition >= 0 ? access->size_bytes == 1 : insn->insn_class == TAKT_CLASS_MOVE;
}

bool takt_access_reads(const struct takt_writers *writers, const struct takt_insn *insn,
		       const struct takt_access *access)
{
	if (!(access->flags & TAKT_READ))
		/* If ah is not renamed by itself, writing it keeps the rest of rax. */
		return insn->isa->has_register_parts && takt_location_is_high8(access->location) &&
		       !writers->high8_renamed && !writers->low_renamed;
	return !(writers->low_renamed && only_keeps_rest(insn, access));
}

unsigned takt_parts_read(const struct takt_writers *writers, const struct takt_insn *insn,
			 const struct takt_access *access, uint8_t parts[TAKT_PARTS_MAX])
{
	struct takt_access read = *access;

	/* mov ax, bx has no use for ah either. */
	if (only_keeps_rest(insn, access))
		read.size_bytes = 1;
	return find_parts(writers, insn, &read, writers->x87_top, parts);
}

uint8_t takt_part_location(uint8_t part)
{
	return part < TAKT_PART_LOW ? part : (uint8_t)(part - TAKT_PART_LOW + TAKT_LOC_GPR);
}

unsigned takt_parts_written(const struct takt_writers *writers, const struct takt_insn *insn,
			    const struct takt_access *access, uint8_t parts[TAKT_PARTS_MAX])
{
	/* Instructions that push name what they write relative to the new top (isa.h). */
	unsigned pushes = insn->x87_top_delta < 0 ? (unsigned)-insn->x87_top_delta : 0;

	return find_parts(writers, insn, access, writers->x87_top + pushes, parts);
}

void takt_writers_set(struct takt_writers *writers, const struct takt_insn *insn,
		      const struct takt_access *access, uint32_t def)
{
	uint8_t parts[TAKT_PARTS_MAX];
	unsigned count = takt_parts_written(writers, insn, access, parts);

	for (unsigned i = 0; i < count; i++)
		writers->at[parts[i]] = (struct takt_writer){def, 0};
}

bool takt_access_syncs_rsp(bool in_addresses, const struct takt_insn *insn,
			   const struct takt_access *access)
{
	if (access->location != insn->isa->stack_location || access->flags & TAKT_STACK_ENGINE)
		return false;
	return !in_addresses || (access->flags & TAKT_READ && !(access->flags & TAKT_ADDRESS) &&
				 insn->insn_class != TAKT_CLASS_MOVE);
}

unsigned takt_rsp_delay(const struct takt_writers *writers, const struct takt_insn *insn,
			const struct takt_access *access)
{
	bool sync = writers->rsp_shifted &&
		    takt_access_syncs_rsp(writers->rsp_in_addresses, insn, access);

	return writers->rsp_syncs + (sync ? 1u : 0);
}

bool takt_is_renamed_addition(const struct takt_core_params *params, const struct takt_insn *insn)
{
	struct takt_affine affine;

	return params->immediate_add_elimination && takt_insn_is_affine(insn, &affine) &&
	       affine.immediate_add && affine.addend >= RENAMED_ADDEND_MIN &&
	       affine.addend <= RENAMED_ADDEND_MAX;
}

static void step_rsp(struct takt_writers *writers, const struct takt_insn *insn,
		     const struct takt_access *access)
{
	if (access->flags & TAKT_STACK_ENGINE) {
		writers->rsp_shifted = true;
		return;
	}
	if (!(access->flags & TAKT_WRITE) &&
	    !takt_access_syncs_rsp(writers->rsp_in_addresses, insn, access))
		return;
	if (access->flags & TAKT_WRITE)
		writers->rsp_syncs = 0;
	else if (writers->rsp_shifted && writers->rsp_syncs < UINT8_MAX)
		writers->rsp_syncs++;
	writers->rsp_shifted = false;
}

void takt_writers_step(struct takt_writers *writers, const struct takt_insn *insn)
{
	for (unsigned a = 0; a < insn->access_count; a++)
		if (insn->accesses[a].location == insn->isa->stack_location)
			step_rsp(writers, insn, &insn->accesses[a]);
	if (insn->x87_top_delta)
		writers->x87_top = (uint8_t)((writers->x87_top + X87_REGISTERS * 2u -
					      (unsigned)(insn->x87_top_delta + 8)) %
					     X87_REGISTERS);
}

void takt_writers_next_iteration(struct takt_writers *writers)
{
	struct takt_writer turned[X87_REGISTERS];

	for (unsigned part = 0; part < TAKT_PART_COUNT; part++)
		if (writers->at[part].def != TAKT_NO_DEF)
			writers->at[part].iteration = 1;
	/* The next iteration counts st(i) from where the stack is now. */
	for (unsigned i = 0; i < X87_REGISTERS; i++)
		turned[i] = writers->at[turn((uint8_t)(TAKT_LOC_X87 + i), writers->x87_top)];
	for (unsigned i = 0; i < X87_REGISTERS; i++)
		writers->at[TAKT_LOC_X87 + i] = turned[i];
	writers->x87_top = 0;
}

bool takt_access_is_renamed_away(const struct takt_core_params *params,
				 const struct takt_access *access)
{
	return access->flags & TAKT_STACK_ENGINE && params->stack_engine;
}

bool takt_access_is_cut(const struct takt_timing *timing, const struct takt_access *access)
{
	return timing->flags & (TAKT_TIMING_ZERO | TAKT_TIMING_BREAKS) &&
	       !(access->flags & TAKT_ADDRESS) && access->slot != TAKT_SLOT_FLAGS;
}

bool takt_timing_knows_memory(const struct takt_timing *timing, uint8_t slot)
{
	for (unsigned i = 0; i < timing->latency_count; i++) {
		uint8_t source = timing->latencies[i].source;

		if (source == slot || source == TAKT_SLOT_BASE || source == TAKT_SLOT_INDEX ||
		    source == TAKT_SLOT_ANY_ADDRESS)
			return true;
	}
	return false;
}

bool takt_is_pair(const struct takt_insn *insn)
{
	const struct takt_memory *memories = insn->memories;

	return insn->memory_count == 2 && memories[0].slot == memories[1].slot &&
	       memories[0].slot == TAKT_SLOT_1 + 2;
}

uint8_t takt_writeback_location(const struct takt_insn *insn)
{
	for (unsigned a = 0; a < insn->access_count; a++) {
		const struct takt_access *access = &insn->accesses[a];

		if (access->slot == TAKT_SLOT_BASE && access->flags & TAKT_WRITE)
			return access->location;
	}
	return TAKT_LOC_NONE;
}
