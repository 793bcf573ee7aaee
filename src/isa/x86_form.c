/* SPDX-License-Identifier: MIT */
/* Forms of x86-64: operand kinds and flags (docs/formats/forms.md) from Zydis's operands. */
#include "isa/x86.h"

/* Consecutive registers of Zydis; their locations are consecutive too, or all TAKT_LOC_SYSTEM. */
struct register_range {
	uint16_t first, last; /* ZydisRegister */
	uint8_t location, kind, size_bytes;
};

/* The ranges, frequent ones first. */
static const struct register_range register_ranges[] = {
	{ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_R15, TAKT_LOC_GPR, TAKT_KIND_R64, 8},
	{ZYDIS_REGISTER_EAX, ZYDIS_REGISTER_R15D, TAKT_LOC_GPR, TAKT_KIND_R32, 4},
	{ZYDIS_REGISTER_XMM0, ZYDIS_REGISTER_XMM31, TAKT_LOC_VECTOR, TAKT_KIND_XMM, 16},
	{ZYDIS_REGISTER_YMM0, ZYDIS_REGISTER_YMM31, TAKT_LOC_VECTOR, TAKT_KIND_YMM, 32},
	{ZYDIS_REGISTER_ZMM0, ZYDIS_REGISTER_ZMM31, TAKT_LOC_VECTOR, TAKT_KIND_ZMM, 64},
	{ZYDIS_REGISTER_K0, ZYDIS_REGISTER_K7, TAKT_LOC_MASK, TAKT_KIND_K, 8},
	{ZYDIS_REGISTER_AL, ZYDIS_REGISTER_BL, TAKT_LOC_GPR, TAKT_KIND_R8, 1},
	{ZYDIS_REGISTER_AH, ZYDIS_REGISTER_BH, TAKT_LOC_HIGH8, TAKT_KIND_R8H, 1},
	{ZYDIS_REGISTER_SPL, ZYDIS_REGISTER_R15B, TAKT_LOC_GPR + 4, TAKT_KIND_R8, 1},
	{ZYDIS_REGISTER_AX, ZYDIS_REGISTER_R15W, TAKT_LOC_GPR, TAKT_KIND_R16, 2},
	{ZYDIS_REGISTER_ST0, ZYDIS_REGISTER_ST7, TAKT_LOC_X87, TAKT_KIND_ST, 10},
	{ZYDIS_REGISTER_MM0, ZYDIS_REGISTER_MM7, TAKT_LOC_X87, TAKT_KIND_MM, 8},
	{ZYDIS_REGISTER_TMM0, ZYDIS_REGISTER_TMM7, TAKT_LOC_TILE, TAKT_KIND_TMM, 64},
	{ZYDIS_REGISTER_MXCSR, ZYDIS_REGISTER_MXCSR, TAKT_LOC_MXCSR, TAKT_KIND_NONE, 4},
	{ZYDIS_REGISTER_ES, ZYDIS_REGISTER_GS, TAKT_LOC_SYSTEM, TAKT_KIND_SREG, 2},
	{ZYDIS_REGISTER_CR0, ZYDIS_REGISTER_CR15, TAKT_LOC_SYSTEM, TAKT_KIND_CR, 8},
	{ZYDIS_REGISTER_DR0, ZYDIS_REGISTER_DR15, TAKT_LOC_SYSTEM, TAKT_KIND_DR, 8},
	{ZYDIS_REGISTER_BND0, ZYDIS_REGISTER_BND3, TAKT_LOC_SYSTEM, TAKT_KIND_BND, 16},
};

struct takt_x86_register takt_x86_register(ZydisRegister reg)
{
	for (size_t index = 0; index < TAKT_COUNT_OF(register_ranges); index++) {
		const struct register_range *range = &register_ranges[index];
		unsigned offset = (unsigned)reg - range->first;

		if (offset > (unsigned)range->last - range->first)
			continue;
		if (range->location == TAKT_LOC_SYSTEM)
			offset = 0;
		return (struct takt_x86_register){(uint8_t)(range->location + offset), range->kind,
						  range->size_bytes};
	}
	return (struct takt_x86_register){TAKT_LOC_SYSTEM, TAKT_KIND_NONE, 8};
}

bool takt_x86_has_register(const struct takt_x86 *x86, enum takt_operand_kind first,
			   enum takt_operand_kind last)
{
	for (unsigned index = 0; index < x86->written_count; index++) {
		const ZydisDecodedOperand *operand = &x86->operands[x86->written[index]];
		unsigned kind;

		if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER)
			continue;
		kind = takt_x86_register(operand->reg.value).kind;
		if (kind >= first && kind <= last)
			return true;
	}
	return false;
}

/* Return the kind of a register that the opcode fixes; most have a kind of their own. */
static enum takt_operand_kind fixed_kind(ZydisRegister reg)
{
	static const struct {
		uint16_t reg;
		uint8_t kind;
	} fixed[] = {
		{ZYDIS_REGISTER_AL, TAKT_KIND_AL},   {ZYDIS_REGISTER_AX, TAKT_KIND_AX},
		{ZYDIS_REGISTER_EAX, TAKT_KIND_EAX}, {ZYDIS_REGISTER_RAX, TAKT_KIND_RAX},
		{ZYDIS_REGISTER_CL, TAKT_KIND_CL},   {ZYDIS_REGISTER_DX, TAKT_KIND_DX},
		{ZYDIS_REGISTER_ST0, TAKT_KIND_ST0}, {ZYDIS_REGISTER_XMM0, TAKT_KIND_XMM0},
	};

	for (size_t index = 0; index < TAKT_COUNT_OF(fixed); index++) {
		if (fixed[index].reg == reg)
			return (enum takt_operand_kind)fixed[index].kind;
	}
	return (enum takt_operand_kind)takt_x86_register(reg).kind;
}

/*
 * Return the kind of an address: base, index, scale other than one, displacement. With rbp or r13
 * as base there is always a displacement, and cores add it even if it is 0.
 */
static enum takt_operand_kind address_kind(const ZydisDecodedOperandMem *mem)
{
	bool displaced = mem->disp.has_displacement, scaled = mem->scale > 1;

	if (mem->base == ZYDIS_REGISTER_RIP || mem->base == ZYDIS_REGISTER_EIP)
		return TAKT_KIND_A_RIP;
	if (mem->base == ZYDIS_REGISTER_NONE)
		return mem->index == ZYDIS_REGISTER_NONE ? TAKT_KIND_A_D : TAKT_KIND_A_ISD;
	if (mem->index == ZYDIS_REGISTER_NONE)
		return displaced ? TAKT_KIND_A_BD : TAKT_KIND_A_B;
	if (scaled)
		return displaced ? TAKT_KIND_A_BISD : TAKT_KIND_A_BIS;
	return displaced ? TAKT_KIND_A_BID : TAKT_KIND_A_BI;
}

static enum takt_operand_kind vector_index_kind(ZydisRegister index)
{
	switch (takt_x86_register(index).size_bytes) {
	case 16:
		return TAKT_KIND_MXMM;
	case 32:
		return TAKT_KIND_MYMM;
	default:
		return TAKT_KIND_MZMM;
	}
}

static enum takt_operand_kind sized_memory_kind(unsigned size_bits, bool broadcast)
{
	switch (size_bits) {
	case 8:
		return TAKT_KIND_M8;
	case 16:
		return broadcast ? TAKT_KIND_M16B : TAKT_KIND_M16;
	case 32:
		return broadcast ? TAKT_KIND_M32B : TAKT_KIND_M32;
	case 48:
		return TAKT_KIND_M48;
	case 64:
		return broadcast ? TAKT_KIND_M64B : TAKT_KIND_M64;
	case 80:
		return TAKT_KIND_M80;
	case 128:
		return TAKT_KIND_M128;
	case 256:
		return TAKT_KIND_M256;
	case 512:
		return TAKT_KIND_M512;
	default:
		return TAKT_KIND_M;
	}
}

static enum takt_operand_kind memory_kind(const struct takt_x86 *x86,
					  const ZydisDecodedOperand *operand)
{
	bool broadcast = x86->insn.avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID &&
			 !x86->insn.avx.broadcast.is_static;

	if (operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
		return address_kind(&operand->mem);
	if (operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB)
		return vector_index_kind(operand->mem.index);
	return sized_memory_kind(operand->size, broadcast);
}

/* Return the kind of an immediate; `imm_index` counts the encoded immediates seen so far. */
static enum takt_operand_kind
immediate_kind(const struct takt_x86 *x86, const ZydisDecodedOperand *operand, unsigned *imm_index)
{
	unsigned size_bits;

	if (operand->encoding == ZYDIS_OPERAND_ENCODING_NONE)
		return TAKT_KIND_ONE;
	if (operand->imm.is_relative)
		return TAKT_KIND_REL;
	size_bits = x86->insn.raw.imm[*imm_index & 1].size;
	++*imm_index;
	if (size_bits <= 8) /* 4 bits in the register byte of XOP and FMA4 */
		return TAKT_KIND_I8;
	if (size_bits == 16)
		return TAKT_KIND_I16;
	return size_bits == 32 ? TAKT_KIND_I32 : TAKT_KIND_I64;
}

static enum takt_operand_kind operand_kind(const struct takt_x86 *x86,
					   const ZydisDecodedOperand *operand, unsigned *imm_index)
{
	switch (operand->type) {
	case ZYDIS_OPERAND_TYPE_REGISTER:
		if (operand->encoding == ZYDIS_OPERAND_ENCODING_NONE)
			return fixed_kind(operand->reg.value);
		return (enum takt_operand_kind)takt_x86_register(operand->reg.value).kind;
	case ZYDIS_OPERAND_TYPE_MEMORY:
		return memory_kind(x86, operand);
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		return immediate_kind(x86, operand, imm_index);
	case ZYDIS_OPERAND_TYPE_POINTER: /* not in 64-bit mode */
	case ZYDIS_OPERAND_TYPE_UNUSED:
	default:
		return TAKT_KIND_NONE;
	}
}

/* Return LOCK and REP flags if they have a meaning: "rep ret" is ret, xchg locks by itself. */
static unsigned prefix_flags(const struct takt_x86 *x86)
{
	ZydisInstructionAttributes attributes = x86->insn.attributes;

	if (attributes & ZYDIS_ATTRIB_HAS_LOCK && x86->insn.mnemonic != ZYDIS_MNEMONIC_XCHG)
		return TAKT_FORM_LOCK;
	if (!takt_x86_is_string(x86))
		return 0;
	if (attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE))
		return TAKT_FORM_REP;
	return attributes & ZYDIS_ATTRIB_HAS_REPNE ? TAKT_FORM_REPNE : 0;
}

static unsigned evex_flags(const struct takt_x86 *x86, const struct takt_form *form)
{
	unsigned flags = 0;
	bool vex_like = true; /* no property that only EVEX can encode */

	if (x86->mask != TAKT_X86_NO_OPERAND)
		flags |= TAKT_FORM_K;
	if (x86->insn.raw.evex.z)
		flags |= TAKT_FORM_Z;
	if (x86->insn.avx.rounding.mode != ZYDIS_ROUNDING_MODE_INVALID)
		flags |= TAKT_FORM_ER;
	else if (x86->insn.avx.has_sae)
		flags |= TAKT_FORM_SAE;
	for (unsigned index = 0; index < x86->written_count; index++) {
		unsigned kind = form->kinds[index];

		if (kind == TAKT_KIND_ZMM || kind == TAKT_KIND_K || kind == TAKT_KIND_M512 ||
		    (kind >= TAKT_KIND_M16B && kind <= TAKT_KIND_MZMM))
			vex_like = false;
	}
	if (flags == 0 && vex_like && takt_x86_has_vex_twin(x86->insn.mnemonic))
		flags = TAKT_FORM_EVEX;
	return flags;
}

takt_form_key takt_x86_form(const struct takt_x86 *x86)
{
	struct takt_form form = {
		.mnemonic = (uint16_t)x86->insn.mnemonic,
		.flags = (uint16_t)prefix_flags(x86),
	};
	unsigned imm_index = 0;

	for (unsigned index = 0; index < x86->written_count; index++) {
		const ZydisDecodedOperand *operand = &x86->operands[x86->written[index]];

		form.kinds[index] = (uint8_t)operand_kind(x86, operand, &imm_index);
	}
	if (x86->insn.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX)
		form.flags |= (uint16_t)evex_flags(x86, &form);
	return takt_form_pack(&form);
}
