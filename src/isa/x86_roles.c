/* SPDX-License-Identifier: MIT */
/*
 * Accesses and memory operands of x86-64 instructions, from Zydis's operands. Gaps in these
 * are closed here (docs/x86-roles.md lists them, with the conventions). Flags and other
 * state are in x86_state.c.
 */
#include "isa/x86.h"

/* ---- registers -------------------------------------------------------- */

static unsigned access_flags(ZydisOperandActions actions)
{
	unsigned flags = 0;

	if (actions & ZYDIS_OPERAND_ACTION_MASK_READ)
		flags |= TAKT_READ;
	if (actions & ZYDIS_OPERAND_ACTION_WRITE)
		flags |= TAKT_WRITE;
	/* A register that is written conditionally may keep its value. */
	if (actions & ZYDIS_OPERAND_ACTION_CONDWRITE)
		flags |= TAKT_READ | TAKT_WRITE | TAKT_MERGE;
	return flags;
}

/* True for push, pop, call and ret, which change rsp by a constant; pop rsp loads it instead. */
static bool is_stack_step(const struct takt_x86 *x86)
{
	if (x86->insn.mnemonic == ZYDIS_MNEMONIC_POP &&
	    x86->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    takt_x86_register(x86->operands[0].reg.value).location == TAKT_LOC_RSP)
		return false;
	switch ((int)x86->insn.meta.category) {
	case ZYDIS_CATEGORY_PUSH:
	case ZYDIS_CATEGORY_POP:
	case ZYDIS_CATEGORY_CALL:
		return true;
	case ZYDIS_CATEGORY_RET:
		return x86->insn.mnemonic == ZYDIS_MNEMONIC_RET;
	default:
		return false;
	}
}

/* Return access flags from Zydis's actions, corrected where the instruction does otherwise. */
static unsigned corrected_flags(const struct takt_x86 *x86, const ZydisDecodedOperand *operand,
				unsigned slot)
{
	unsigned flags = access_flags(operand->actions);

	/* Gathers keep the elements that the mask leaves out. */
	if (x86->insn.meta.category == ZYDIS_CATEGORY_AVX2GATHER &&
	    operand->actions & ZYDIS_OPERAND_ACTION_CONDREAD)
		return flags | TAKT_MERGE;
	switch ((int)x86->insn.mnemonic) {
	case ZYDIS_MNEMONIC_BSF: /* bsf, bsr keep the destination if the source is zero */
	case ZYDIS_MNEMONIC_BSR:
		return flags & TAKT_WRITE ? TAKT_READ | TAKT_WRITE | TAKT_MERGE : flags;
	case ZYDIS_MNEMONIC_PINSRB: /* insertions keep the other elements */
	case ZYDIS_MNEMONIC_PINSRW:
	case ZYDIS_MNEMONIC_PINSRD:
	case ZYDIS_MNEMONIC_PINSRQ:
	case ZYDIS_MNEMONIC_INSERTPS:
		return flags & TAKT_WRITE ? flags | TAKT_MERGE : flags;
	case ZYDIS_MNEMONIC_FTST: /* ftst, fxam only compare */
	case ZYDIS_MNEMONIC_FXAM:
		return TAKT_READ;
	case ZYDIS_MNEMONIC_POP: /* pop rsp: the value it loads is the final value of rsp */
		return !is_stack_step(x86) && slot >= TAKT_SLOT_IMPLICIT ? TAKT_READ : flags;
	case ZYDIS_MNEMONIC_LEAVE: /* rsp becomes rbp + 8 */
		return operand->reg.value == ZYDIS_REGISTER_RSP ? TAKT_WRITE : flags;
	default:
		return flags;
	}
}

/* True if a write of the operand keeps the rest of its register. */
static bool is_partial(const struct takt_x86 *x86, const struct takt_x86_register *reg,
		       unsigned size_bytes)
{
	if (takt_location_is_gpr(reg->location))
		return size_bytes <= 2;
	if (takt_location_is_vector(reg->location))
		return x86->insn.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY && size_bytes < 16;
	return false;
}

/* Return the registers an operand stands for: zmm0 may mean zmm0-3, and k2 both k2 and k3. */
static unsigned register_count(const struct takt_x86 *x86, const ZydisDecodedOperand *operand)
{
	if (operand->attributes & ZYDIS_OATTRIB_IS_MULTISOURCE4)
		return 4;
	return operand->actions & ZYDIS_OPERAND_ACTION_WRITE &&
			       (x86->insn.mnemonic == ZYDIS_MNEMONIC_VP2INTERSECTD ||
				x86->insn.mnemonic == ZYDIS_MNEMONIC_VP2INTERSECTQ)
		       ? 2
		       : 1;
}

/* Return a group's first register: its number is a multiple of the group's size. */
static uint8_t group_start(unsigned location, unsigned count)
{
	unsigned bank = location >= TAKT_LOC_MASK ? TAKT_LOC_MASK : TAKT_LOC_VECTOR;

	return (uint8_t)(location - (location - bank) % count);
}

static void add_register(const struct takt_x86 *x86, const ZydisDecodedOperand *operand,
			 unsigned slot, unsigned more_flags, struct takt_insn *insn)
{
	struct takt_x86_register reg = takt_x86_register(operand->reg.value);
	unsigned flags = corrected_flags(x86, operand, slot) | more_flags;
	unsigned size_bytes = operand->size ? operand->size / 8u : reg.size_bytes;
	unsigned count = register_count(x86, operand);

	if (flags & TAKT_WRITE && is_partial(x86, &reg, size_bytes))
		flags |= TAKT_READ | TAKT_MERGE;
	if (!(flags & (TAKT_READ | TAKT_WRITE)))
		return;
	if (slot == TAKT_SLOT_IMPLICIT)
		slot += reg.location;
	if (count > 1)
		reg.location = group_start(reg.location, count);
	for (unsigned index = 0; index < count; index++)
		takt_insn_add_access(insn, reg.location + index, slot, flags, size_bytes);
}

/* ---- memory ----------------------------------------------------------- */

static bool is_address_only(const struct takt_x86 *x86, const ZydisDecodedOperand *operand)
{
	return operand->actions == 0 || takt_x86_is_nop(x86) || /* lea has no action */
	       x86->insn.meta.category == ZYDIS_CATEGORY_PREFETCH ||
	       x86->insn.meta.category == ZYDIS_CATEGORY_PREFETCHWT1 ||
	       x86->insn.mnemonic == ZYDIS_MNEMONIC_CLDEMOTE;
}

static struct takt_memory memory_record(const struct takt_x86 *x86,
					const ZydisDecodedOperand *operand, unsigned slot,
					const struct takt_insn *insn)
{
	const ZydisDecodedOperandMem *mem = &operand->mem;
	bool address_only = is_address_only(x86, operand);
	struct takt_memory memory = {
		.displacement = mem->disp.value,
		.slot = (uint8_t)slot,
		.segment = mem->segment == ZYDIS_REGISTER_FS   ? 'f'
			   : mem->segment == ZYDIS_REGISTER_GS ? 'g'
							       : 0,
		.read = !address_only && operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ,
		.write = !address_only && operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE,
		.address_only = address_only,
		.address_size_bytes = x86->insn.address_width / 8,
		.size_bytes = mem->type == ZYDIS_MEMOP_TYPE_AGEN ? 0 : operand->size / 8,
	};

	if (mem->base == ZYDIS_REGISTER_RIP || mem->base == ZYDIS_REGISTER_EIP) {
		uint64_t target = insn->address + insn->length_bytes + (uint64_t)mem->disp.value;

		memory.rip_relative = true;
		memory.displacement =
			(int64_t)(memory.address_size_bytes == 4 ? (uint32_t)target : target);
	} else if (mem->base != ZYDIS_REGISTER_NONE) {
		memory.base = takt_x86_register(mem->base).location;
	}
	if (mem->index != ZYDIS_REGISTER_NONE) {
		memory.index = takt_x86_register(mem->index).location;
		memory.scale = mem->scale ? mem->scale : 1;
	}
	return memory;
}

static void add_value(const struct takt_memory *memory, struct takt_insn *insn)
{
	unsigned flags = memory->slot == TAKT_SLOT_STACK ? TAKT_HIDDEN : 0;

	if (memory->read)
		flags |= TAKT_READ;
	if (memory->write)
		flags |= TAKT_WRITE;
	if (memory->read || memory->write)
		takt_insn_add_access(insn, TAKT_LOC_NONE, memory->slot, flags, memory->size_bytes);
}

static void add_memory_record(const struct takt_memory *memory, struct takt_insn *insn)
{
	if (insn->memory_count == TAKT_MEMORIES_MAX)
		insn->flags |= TAKT_INSN_ACCESSES_CUT;
	else
		insn->memories[insn->memory_count++] = *memory;
	if (memory->read)
		insn->flags |= TAKT_INSN_LOADS;
	if (memory->write)
		insn->flags |= TAKT_INSN_STORES;
	add_value(memory, insn);
}

static void add_written_memory(const struct takt_x86 *x86, const ZydisDecodedOperand *operand,
			       unsigned slot, struct takt_insn *insn)
{
	struct takt_memory memory = memory_record(x86, operand, slot, insn);
	unsigned index_bytes = memory.index >= TAKT_LOC_VECTOR
				       ? takt_x86_register(operand->mem.index).size_bytes
				       : memory.address_size_bytes;

	if (memory.index)
		insn->flags |= TAKT_INSN_INDEXED;
	/* pop computes its address after it has changed rsp; takt_memory has rsp before that. */
	if (x86->insn.mnemonic == ZYDIS_MNEMONIC_POP && memory.base == TAKT_LOC_RSP)
		memory.displacement += memory.size_bytes;
	if (memory.base)
		takt_insn_add_access(insn, memory.base, TAKT_SLOT_BASE, TAKT_READ | TAKT_ADDRESS,
				     memory.address_size_bytes);
	if (memory.index)
		takt_insn_add_access(insn, memory.index, TAKT_SLOT_INDEX, TAKT_READ | TAKT_ADDRESS,
				     index_bytes);
	add_memory_record(&memory, insn);
}

/* ---- implicit memory: stack and strings ------------------------------- */

/* Return the bytes that the instruction adds to rsp, given the size of its stack slot. */
static int32_t stack_delta(const struct takt_x86 *x86, const struct takt_memory *memory)
{
	int32_t delta = memory->size_bytes;
	int32_t first_imm = (int32_t)(x86->insn.raw.imm[0].value.u & 0xffff);
	int32_t second_imm = (int32_t)(x86->insn.raw.imm[1].value.u & 31);

	switch ((int)x86->insn.mnemonic) {
	case ZYDIS_MNEMONIC_RET:
		return delta + first_imm;
	case ZYDIS_MNEMONIC_ENTER:
		return -delta * (1 + second_imm) - first_imm;
	default:
		return memory->write ? -delta : delta;
	}
}

static void add_hidden_memory(const struct takt_x86 *x86, const ZydisDecodedOperand *operand,
			      struct takt_insn *insn)
{
	struct takt_memory memory = memory_record(x86, operand, TAKT_SLOT_STACK, insn);
	unsigned flags = TAKT_READ | TAKT_ADDRESS | TAKT_HIDDEN;

	if (memory.base == TAKT_LOC_RSP &&
	    (is_stack_step(x86) || x86->insn.mnemonic == ZYDIS_MNEMONIC_ENTER)) {
		insn->rsp_delta = stack_delta(x86, &memory);
		if (memory.write)
			memory.displacement = -(int64_t)memory.size_bytes;
		flags |= TAKT_WRITE | (is_stack_step(x86) ? TAKT_STACK_ENGINE : 0);
	} else if (takt_x86_is_string(x86)) {
		flags |= TAKT_WRITE; /* rsi and rdi advance */
	}
	if (memory.base)
		takt_insn_add_access(insn, memory.base, TAKT_SLOT_IMPLICIT + memory.base, flags,
				     memory.address_size_bytes);
	add_memory_record(&memory, insn);
}

/* True for registers that are handled elsewhere, or that have no location. */
static bool is_left_to_others(const struct takt_x86 *x86, ZydisRegister reg)
{
	switch ((int)reg) {
	case ZYDIS_REGISTER_RSI:
	case ZYDIS_REGISTER_RDI:
	case ZYDIS_REGISTER_ESI:
	case ZYDIS_REGISTER_EDI:
		return takt_x86_is_string(x86); /* add_hidden_memory() adds them */
	case ZYDIS_REGISTER_RFLAGS:
	case ZYDIS_REGISTER_X87STATUS: /* takt_x86_add_state_roles() adds both */
	case ZYDIS_REGISTER_RIP:       /* control flow, not data */
		return true;
	default:
		return false;
	}
}

static void add_hidden(const struct takt_x86 *x86, struct takt_insn *insn)
{
	for (unsigned index = x86->insn.operand_count_visible; index < x86->insn.operand_count;
	     index++) {
		const ZydisDecodedOperand *operand = &x86->operands[index];

		if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
			add_hidden_memory(x86, operand, insn);
		else if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
			 !is_left_to_others(x86, operand->reg.value))
			add_register(x86, operand, TAKT_SLOT_IMPLICIT, TAKT_HIDDEN, insn);
	}
	if (x86->insn.mnemonic == ZYDIS_MNEMONIC_XLAT)
		takt_insn_add_access(insn, TAKT_LOC_GPR, TAKT_SLOT_IMPLICIT + TAKT_LOC_GPR,
				     TAKT_READ | TAKT_ADDRESS, 1);
}

void takt_x86_add_roles(const struct takt_x86 *x86, struct takt_insn *insn)
{
	for (unsigned slot = 0; slot < x86->written_count; slot++) {
		const ZydisDecodedOperand *operand = &x86->operands[x86->written[slot]];

		if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
			add_written_memory(x86, operand, slot, insn);
		else if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER && !takt_x86_is_nop(x86))
			add_register(x86, operand, slot, 0, insn);
	}
	if (x86->mask != TAKT_X86_NO_OPERAND)
		add_register(x86, &x86->operands[x86->mask], TAKT_SLOT_MASK, 0, insn);
	add_hidden(x86, insn);
	takt_x86_add_state_roles(x86, insn);
}
