/* SPDX-License-Identifier: MIT */
/*
 * Reduces a block to the instructions that its addresses depend on. These are found as a
 * compiler finds live variables: backwards from the address registers of all accesses, round
 * the loop until nothing is added.
 */
#include "depend/interpreter_block.h"

/* Sets of registers and flag groups. */
#define REGISTERS_ALL UINT64_C(0xffffffff)
#define BIT_CF ((uint64_t)1 << 32)
#define BIT_OF ((uint64_t)1 << 33)
#define BIT_SZAP ((uint64_t)1 << 34)
/* Registers that a called function may change: rax rcx rdx rsi rdi r8 … r11, or x0 … x18 x30. */
#define CALL_CLOBBERS_X86 0x0fc7u
#define CALL_CLOBBERS_AARCH64 0x4007ffffu

/* Registers and flag groups that an instruction reads and writes. */
struct roles {
	uint64_t reads, addresses, writes, overwrites;
	struct takt_addressing addressing; /* its `stepped` may be the stack pointer, too */
	bool loads, stores, touches;
};

static uint64_t location_bit(uint8_t location)
{
	if (takt_location_is_gpr(location))
		return (uint64_t)1 << (location - TAKT_LOC_GPR);
	if (takt_location_is_high8(location))
		return (uint64_t)1 << (location - TAKT_LOC_HIGH8);
	switch ((int)location) {
	case TAKT_LOC_CF:
		return BIT_CF;
	case TAKT_LOC_OF:
		return BIT_OF;
	case TAKT_LOC_SZAP:
		return BIT_SZAP;
	default:
		return 0;
	}
}

static void add_access_role(const struct takt_access *access, struct roles *roles)
{
	uint64_t bit = location_bit(access->location);
	bool part = takt_location_is_high8(access->location);

	if (access->flags & TAKT_ADDRESS)
		roles->addresses |= bit;
	else if (access->flags & TAKT_READ)
		roles->reads |= bit;
	if (!(access->flags & TAKT_WRITE))
		return;
	roles->writes |= bit;
	if (part || access->flags & TAKT_MERGE)
		roles->reads |= bit;
	else
		roles->overwrites |= bit;
}

static struct roles find_roles(const struct takt_insn *insn)
{
	struct roles roles = {0};

	for (unsigned a = 0; a < insn->access_count; a++)
		add_access_role(&insn->accesses[a], &roles);
	for (unsigned m = 0; m < insn->memory_count; m++) {
		roles.loads |= insn->memories[m].read;
		roles.stores |= insn->memories[m].write;
	}
	roles.touches = roles.loads || roles.stores;
	if (insn->memory_count)
		roles.addressing = takt_insn_addressing(insn);
	if (insn->rsp_delta && !roles.addressing.writeback_base) {
		roles.addressing.writeback_base = insn->isa->stack_location;
		if (!(insn->flags & TAKT_INSN_CALL)) /* the callee restores the stack pointer */
			roles.addressing.writeback_bytes = insn->rsp_delta;
	}
	if (insn->flags & TAKT_INSN_CALL)
		roles.writes |=
			insn->isa == &takt_isa_x86 ? CALL_CLOBBERS_X86 : CALL_CLOBBERS_AARCH64;
	if (insn->flags & TAKT_INSN_ACCESSES_CUT)
		roles.writes |= REGISTERS_ALL;
	return roles;
}

/* ---- which instructions ---------------------------------------------------------- */

enum wanted { NOTHING, STEP, RESULTS };

struct slicer {
	const struct takt_block *block;
	const struct roles *roles;
	uint8_t *wanted; /* per instruction: enum wanted */
	uint64_t live;	 /* registers and flags whose values here reach addresses later */
	uint64_t ever_live;
	bool memory; /* values in memory reach addresses */
};

static bool is_zero_idiom(const struct takt_insn *insn, enum takt_operation operation)
{
	return insn->isa == &takt_isa_x86 && insn->flags & TAKT_INSN_SAME &&
	       (operation == TAKT_OPERATION_XOR || operation == TAKT_OPERATION_SUBTRACT);
}

static void slice_insn(struct slicer *slicer, uint32_t i)
{
	const struct roles *roles = &slicer->roles[i];
	uint64_t before = slicer->live & ~roles->overwrites;
	uint64_t writeback_base = location_bit(roles->addressing.writeback_base);

	const struct takt_insn *insn = &slicer->block->insns[i];
	uint64_t results = roles->writes & slicer->live;

	if (results & writeback_base) {
		slicer->wanted[i] |= STEP;
		before |= writeback_base;
		results &= ~writeback_base;
	}
	if (results || (roles->stores && slicer->memory)) {
		enum takt_operation operation = takt_insn_operation(insn);

		slicer->wanted[i] |= RESULTS;
		if (operation != TAKT_OPERATION_UNKNOWN) {
			if (!is_zero_idiom(insn, operation))
				before |= roles->reads;
			before |= roles->addresses;
			slicer->memory |= roles->loads && operation != TAKT_OPERATION_STRING;
		}
	}
	if (roles->touches)
		before |= roles->addresses;
	slicer->live = before;
	slicer->ever_live |= before;
}

static void slice(struct slicer *slicer, bool loop)
{
	uint64_t live;
	bool memory;

	do {
		live = slicer->live;
		memory = slicer->memory;
		for (uint32_t i = slicer->block->count; i-- > 0;)
			slice_insn(slicer, i);
		slicer->live |= live;
	} while ((loop && slicer->live != live) || slicer->memory != memory);
}

/* ---- instructions  */

static struct takt_register_part make_part(uint8_t location)
{
	if (takt_location_is_gpr(location))
		return (struct takt_register_part){(uint8_t)(location - TAKT_LOC_GPR), 0};
	if (takt_location_is_high8(location))
		return (struct takt_register_part){(uint8_t)(location - TAKT_LOC_HIGH8), 8};
	return (struct takt_register_part){TAKT_NO_REGISTER, 0};
}

static struct takt_term make_term(const struct takt_operand *operand)
{
	return (struct takt_term){
		.type = operand->type,
		.memory = operand->memory,
		.size_bytes = operand->type == TAKT_OPERAND_IMMEDIATE ? 8 : operand->size_bytes,
		.modifiers = operand->modifiers,
		.shift_bits = operand->shift_bits,
		.part = make_part(operand->location),
		.immediate = (uint64_t)operand->immediate};
}

static struct takt_term register_term(unsigned number, unsigned shift, unsigned size_bytes)
{
	return (struct takt_term){.type = TAKT_OPERAND_REGISTER,
				  .size_bytes = (uint8_t)size_bytes,
				  .part = {(uint8_t)number, (uint8_t)shift}};
}

/* Return the memory operand at the top of the stack. */
static struct takt_term stack_term(const struct takt_insn *insn)
{
	for (uint8_t m = 0; m < insn->memory_count; m++)
		if (insn->memories[m].slot == TAKT_SLOT_STACK)
			return (struct takt_term){.type = TAKT_OPERAND_MEMORY,
						  .memory = m,
						  .size_bytes =
							  (uint8_t)insn->memories[m].size_bytes};
	return (struct takt_term){.type = TAKT_OPERAND_NONE};
}

static uint8_t written_size(const struct takt_insn *insn, uint8_t location)
{
	for (unsigned a = 0; a < insn->access_count; a++)
		if (insn->accesses[a].location == location && insn->accesses[a].flags & TAKT_WRITE)
			return insn->accesses[a].size_bytes;
	return 0;
}

enum { RAX = 0, RDX = 2, RBP = 5 };

/* Set the terms of operations some of whose operands are implicit. */
static void set_implicit_terms(const struct takt_insn *insn, const struct takt_term *operands,
			       struct takt_sliced_insn *sliced)
{
	unsigned size = operands[0].size_bytes;

	switch ((int)sliced->operation) {
	case TAKT_OPERATION_MULTIPLY_WIDE:
	case TAKT_OPERATION_MULTIPLY_WIDE_SIGNED:
		sliced->first = sliced->low = register_term(RAX, 0, size);
		sliced->second = operands[0];
		sliced->high = size == 1 ? register_term(RAX, 8, 1) : register_term(RDX, 0, size);
		break;
	case TAKT_OPERATION_WIDEN_SIGN:
		size = written_size(insn, TAKT_LOC_GPR + RAX);
		sliced->first = sliced->low = register_term(RAX, 0, size);
		break;
	case TAKT_OPERATION_SPREAD_SIGN:
		size = written_size(insn, TAKT_LOC_GPR + RDX);
		sliced->first = register_term(RAX, 0, size);
		sliced->high = register_term(RDX, 0, size);
		sliced->low.type = TAKT_OPERAND_NONE;
		break;
	case TAKT_OPERATION_PUSH:
		sliced->low = stack_term(insn);
		sliced->first = operands[0];
		size = sliced->low.size_bytes;
		break;
	case TAKT_OPERATION_POP:
		sliced->low = operands[0];
		sliced->first = stack_term(insn);
		break;
	case TAKT_OPERATION_LEAVE:
		sliced->first = stack_term(insn);
		size = sliced->first.size_bytes;
		sliced->low = register_term(RBP, 0, size);
		break;
	default:
		break;
	}
	sliced->size_bytes = (uint8_t)size;
}

static bool is_cut(const struct takt_term *term)
{
	return (term->type == TAKT_OPERAND_REGISTER && term->size_bytes < 4) ||
	       term->modifiers & (TAKT_MODIFIER_RIGHT | TAKT_MODIFIER_ROTATE);
}

/* Assign destinations and sources by how many of each the operation has. */
static void assign_terms(const struct takt_term *terms, struct takt_sliced_insn *sliced)
{
	sliced->low = terms[0];
	sliced->first = terms[0];
	sliced->second = terms[1];
	if (sliced->operation == TAKT_OPERATION_MOVE_PAIR) {
		sliced->high = terms[1];
		sliced->first = terms[2];
		sliced->second = terms[3];
	} else if (takt_operation_has_two_sources((enum takt_operation)sliced->operation)) {
		if (terms[2].type) {
			sliced->first = terms[1];
			sliced->second = terms[2];
			sliced->third = terms[3];
		}
	} else if (terms[1].type) {
		sliced->first = terms[1];
	}
	if (sliced->operation == TAKT_OPERATION_EXCHANGE ||
	    sliced->operation == TAKT_OPERATION_EXCHANGE_ADD)
		sliced->high = terms[1];
}

static void set_terms(const struct takt_insn *insn, struct takt_sliced_insn *sliced)
{
	struct takt_operand operands[TAKT_FORM_OPERANDS_MAX];
	struct takt_term terms[4];

	takt_insn_operands(insn, operands);
	for (unsigned i = 0; i < TAKT_COUNT_OF(terms); i++)
		terms[i] = make_term(&operands[i]);
	assign_terms(terms, sliced);
	sliced->same = sliced->first.type == TAKT_OPERAND_REGISTER &&
		       sliced->second.type == TAKT_OPERAND_REGISTER &&
		       sliced->first.part.number == sliced->second.part.number &&
		       sliced->first.part.shift == sliced->second.part.shift &&
		       sliced->first.size_bytes == sliced->second.size_bytes &&
		       !sliced->first.modifiers && !sliced->second.modifiers;
	set_implicit_terms(insn, terms, sliced);
	sliced->bends = sliced->size_bytes < 4 || is_cut(&sliced->first) || is_cut(&sliced->second);
	/* Operations that only set flags write no operand. */
	if (sliced->operation == TAKT_OPERATION_COMPARE ||
	    sliced->operation == TAKT_OPERATION_TEST ||
	    sliced->operation == TAKT_OPERATION_BIT_TEST)
		sliced->low.type = TAKT_OPERAND_NONE;
}

static struct takt_touch make_touch(const struct takt_memory *memory,
				    const struct takt_addressing *addressing)
{
	struct takt_register_part base = make_part(memory->base), index = make_part(memory->index);

	return (struct takt_touch){.displacement =
					   (uint64_t)memory->displacement +
					   (memory->segment ? takt_hash64(memory->segment) : 0),
				   .base = base.number,
				   .index = index.number,
				   .scale = memory->scale,
				   .named = (!memory->base || base.number != TAKT_NO_REGISTER) &&
					    (!memory->index || index.number != TAKT_NO_REGISTER) &&
					    (memory->size_bytes || memory->address_only),
				   .read = memory->read && !memory->address_only,
				   .write = memory->write && !memory->address_only,
				   .is_narrow = memory->address_size_bytes == 4,
				   .index_size_bytes = addressing->index_size_bytes,
				   .index_signed = addressing->index_signed,
				   .size_bytes = memory->size_bytes};
}

/* Return the flags written; AArch64's four flags are a single location. */
static uint16_t written_flags(const struct takt_insn *insn, uint64_t writes)
{
	uint16_t szap = insn->isa == &takt_isa_x86 ? TAKT_FLAGS_SZP : TAKT_FLAGS_ALL;

	return (uint16_t)((writes & BIT_CF ? TAKT_FLAG_CARRY : 0) |
			  (writes & BIT_OF ? TAKT_FLAG_OVERFLOW : 0) |
			  (writes & BIT_SZAP ? szap : 0));
}

static int8_t read_condition(const struct takt_insn *insn)
{
	/* AArch64's condition codes in order of their encoding, from eq to nv. */
	static const uint8_t aarch64[16] = {
		TAKT_CONDITION_ZERO,
		TAKT_CONDITION_ZERO + 1,
		TAKT_CONDITION_CARRY,
		TAKT_CONDITION_CARRY + 1,
		TAKT_CONDITION_SIGN,
		TAKT_CONDITION_SIGN + 1,
		TAKT_CONDITION_OVERFLOW,
		TAKT_CONDITION_OVERFLOW + 1,
		TAKT_CONDITION_CARRY_NOT_ZERO,
		TAKT_CONDITION_CARRY_NOT_ZERO + 1,
		TAKT_CONDITION_LESS + 1,
		TAKT_CONDITION_LESS,
		TAKT_CONDITION_LESS_OR_ZERO + 1,
		TAKT_CONDITION_LESS_OR_ZERO,
		TAKT_CONDITION_ALWAYS,
		TAKT_CONDITION_ALWAYS,
	};

	if (insn->isa == &takt_isa_x86 || insn->condition < 0)
		return insn->condition;
	return (int8_t)aarch64[insn->condition & 15];
}

/* Set what the instruction does to registers, and to those flags that are in the mask `follows`. */
static void set_results(const struct takt_insn *insn, const struct roles *roles, enum wanted wanted,
			uint64_t follows, struct takt_sliced_insn *sliced)
{
	uint32_t writes = (uint32_t)roles->writes, addresses = (uint32_t)roles->addresses;

	sliced->operation =
		(uint8_t)(wanted & RESULTS ? takt_insn_operation(insn) : TAKT_OPERATION_UNKNOWN);
	sliced->condition = read_condition(insn);
	sliced->flags = written_flags(insn, roles->writes & follows);
	if (sliced->operation == TAKT_OPERATION_UNKNOWN) {
		sliced->forgets = writes;
	} else if (sliced->operation == TAKT_OPERATION_STRING) {
		sliced->advances = writes & addresses;
		sliced->forgets = writes & ~addresses;
		sliced->size_bytes = (uint8_t)insn->memories[0].size_bytes;
	} else {
		set_terms(insn, sliced);
	}
	if (!roles->addressing.writeback_base)
		return;
	sliced->writeback_base = make_part(roles->addressing.writeback_base).number;
	sliced->writeback_bytes = roles->addressing.writeback_bytes;
	sliced->forgets &= ~(uint32_t)location_bit(roles->addressing.writeback_base);
}

static void make_step(const struct takt_insn *insn, const struct roles *roles, enum wanted wanted,
		      uint64_t follows, struct takt_sliced_insn *sliced)
{
	sliced->operation = TAKT_OPERATION_NONE;
	sliced->writeback_base = TAKT_NO_REGISTER;
	sliced->stores = roles->stores;
	sliced->touch_count = insn->memory_count;
	for (unsigned m = 0; m < insn->memory_count; m++)
		sliced->touches[m] = make_touch(&insn->memories[m], &roles->addressing);
	if (wanted)
		set_results(insn, roles, wanted, follows, sliced);
}

static void want_everything(struct slicer *slicer)
{
	for (uint32_t i = 0; i < slicer->block->count; i++)
		slicer->wanted[i] = STEP | RESULTS;
	slicer->ever_live = UINT64_MAX;
	slicer->memory = true;
}

void takt_program_make(const struct takt_block *block, enum takt_program_scope scope,
		       struct takt_arena *arena, struct takt_program *ret_program)
{
	struct roles *roles = TAKT_NEW_ARRAY(arena, block->count, struct roles);
	struct slicer slicer = {.block = block,
				.roles = roles,
				.wanted = TAKT_NEW_ARRAY(arena, block->count, uint8_t)};
	struct takt_sliced_insn *sliced;
	uint32_t count = 0;

	for (uint32_t i = 0; i < block->count; i++)
		roles[i] = find_roles(&block->insns[i]);
	if (scope == TAKT_PROGRAM_WHOLE)
		want_everything(&slicer);
	else
		slice(&slicer, scope == TAKT_PROGRAM_LOOP);
	for (uint32_t i = 0; i < block->count; i++)
		count += slicer.wanted[i] || roles[i].touches;
	sliced = TAKT_NEW_ARRAY(arena, count, struct takt_sliced_insn);
	*ret_program = (struct takt_program){.sliced = sliced,
					     .insn_count = block->count,
					     .is_still = true,
					     .follows_memory = slicer.memory};
	for (uint32_t i = 0; i < block->count; i++) {
		if (!slicer.wanted[i] && !roles[i].touches)
			continue;
		ret_program->is_still &= !slicer.wanted[i];
		sliced->insn = i;
		make_step(&block->insns[i], &roles[i], (enum wanted)slicer.wanted[i],
			  slicer.ever_live, sliced++);
		ret_program->sliced_count++;
	}
}
