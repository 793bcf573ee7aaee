/* SPDX-License-Identifier: MIT */
/*
 * Checks that a form exists. Forms composed from another source's words may name no instruction
 * at all (kaddb r16, r16, r16). The check encodes an instruction of the form, with a different
 * register for every operand, and decodes it: the result is the form that takt will look up.
 */
#include <string.h>

#include <Zydis/Zydis.h>

#include "isa/isa.h"

#define BASE_REGISTER ZYDIS_REGISTER_R11
#define DISPLACEMENT 0x40 /* a multiple of every vector size: one byte with EVEX, too */

struct register_kind {
	uint8_t kind;
	uint16_t first; /* ZydisRegister of operand 1; later operands get the following ones */
};

/* Accumulator, count and stack registers are avoided: they have encodings of their own. */
static const struct register_kind register_kinds[] = {
	{TAKT_KIND_R8, ZYDIS_REGISTER_R8B},   {TAKT_KIND_R16, ZYDIS_REGISTER_R8W},
	{TAKT_KIND_R32, ZYDIS_REGISTER_R8D},  {TAKT_KIND_R64, ZYDIS_REGISTER_R8},
	{TAKT_KIND_MM, ZYDIS_REGISTER_MM1},   {TAKT_KIND_XMM, ZYDIS_REGISTER_XMM1},
	{TAKT_KIND_YMM, ZYDIS_REGISTER_YMM1}, {TAKT_KIND_ZMM, ZYDIS_REGISTER_ZMM1},
	{TAKT_KIND_K, ZYDIS_REGISTER_K1},     {TAKT_KIND_TMM, ZYDIS_REGISTER_TMM1},
	{TAKT_KIND_BND, ZYDIS_REGISTER_BND0}, {TAKT_KIND_ST, ZYDIS_REGISTER_ST1},
	{TAKT_KIND_SREG, ZYDIS_REGISTER_FS},  {TAKT_KIND_CR, ZYDIS_REGISTER_CR2},
	{TAKT_KIND_DR, ZYDIS_REGISTER_DR0},
};

static const struct register_kind fixed_kinds[] = {
	{TAKT_KIND_AL, ZYDIS_REGISTER_AL},   {TAKT_KIND_AX, ZYDIS_REGISTER_AX},
	{TAKT_KIND_EAX, ZYDIS_REGISTER_EAX}, {TAKT_KIND_RAX, ZYDIS_REGISTER_RAX},
	{TAKT_KIND_CL, ZYDIS_REGISTER_CL},   {TAKT_KIND_DX, ZYDIS_REGISTER_DX},
	{TAKT_KIND_ST0, ZYDIS_REGISTER_ST0}, {TAKT_KIND_XMM0, ZYDIS_REGISTER_XMM0},
};

static uint16_t register_of(unsigned kind, unsigned index, bool high8)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(fixed_kinds); i++)
		if (fixed_kinds[i].kind == kind)
			return fixed_kinds[i].first;
	/* ah, ch, dh and bh cannot be combined with a register that needs REX. */
	if (kind == TAKT_KIND_R8H)
		return (uint16_t)(ZYDIS_REGISTER_CH + index);
	for (size_t i = 0; i < TAKT_COUNT_OF(register_kinds); i++) {
		unsigned first = register_kinds[i].first;

		if (register_kinds[i].kind != kind)
			continue;
		if (high8 && kind == TAKT_KIND_R8)
			first = ZYDIS_REGISTER_DL;
		else if (high8 && kind == TAKT_KIND_R16)
			first = ZYDIS_REGISTER_SI;
		else if (high8 && kind == TAKT_KIND_R32)
			first = ZYDIS_REGISTER_ESI;
		return (uint16_t)(first + index);
	}
	return ZYDIS_REGISTER_NONE;
}

static void set_memory(unsigned kind, bool high8, uint16_t open_size_bytes,
		       ZydisEncoderOperand *operand)
{
	bool address = kind >= TAKT_KIND_A_B && kind <= TAKT_KIND_A_RIP;

	operand->type = ZYDIS_OPERAND_TYPE_MEMORY;
	operand->mem.base = high8 ? ZYDIS_REGISTER_RDI : BASE_REGISTER;
	operand->mem.displacement = DISPLACEMENT;
	operand->mem.size = takt_kind_size_bytes((enum takt_operand_kind)kind);
	if (!operand->mem.size)
		operand->mem.size = open_size_bytes;
	if (kind >= TAKT_KIND_MXMM && kind <= TAKT_KIND_MZMM) {
		operand->mem.index =
			(ZydisRegister)((kind == TAKT_KIND_MXMM	  ? ZYDIS_REGISTER_XMM0
					 : kind == TAKT_KIND_MYMM ? ZYDIS_REGISTER_YMM0
								  : ZYDIS_REGISTER_ZMM0) +
					7);
		operand->mem.scale = 1;
	}
	if (!address)
		return;
	if (kind == TAKT_KIND_A_B || kind == TAKT_KIND_A_BI || kind == TAKT_KIND_A_BIS)
		operand->mem.displacement = 0;
	if (kind == TAKT_KIND_A_ISD || kind == TAKT_KIND_A_D)
		operand->mem.base = ZYDIS_REGISTER_NONE;
	if (kind == TAKT_KIND_A_RIP)
		operand->mem.base = ZYDIS_REGISTER_RIP;
	if (kind >= TAKT_KIND_A_BI && kind <= TAKT_KIND_A_BISD) {
		operand->mem.index = ZYDIS_REGISTER_RSI;
		operand->mem.scale = kind == TAKT_KIND_A_BI || kind == TAKT_KIND_A_BID ? 1 : 4;
	}
}

/* Set an immediate that is too large for the next smaller size. */
static bool set_immediate(unsigned kind, ZydisEncoderOperand *operand)
{
	static const int64_t values[] = {0x05, 0x1234, 0x12345678, 0x123456789abcdef0};

	operand->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
	if (kind == TAKT_KIND_ONE)
		operand->imm.s = 1;
	else if (kind == TAKT_KIND_REL)
		operand->imm.s = 5; /* short enough for loop and jrcxz */
	else if (kind >= TAKT_KIND_I8 && kind <= TAKT_KIND_I64)
		operand->imm.s = values[kind - TAKT_KIND_I8];
	else
		return false;
	return true;
}

static bool set_operand(const struct takt_form *form, unsigned index, bool high8,
			uint16_t open_size_bytes, ZydisEncoderOperand *operand)
{
	unsigned kind = form->kinds[index];
	uint16_t reg = register_of(kind, index, high8);

	if (reg != ZYDIS_REGISTER_NONE) {
		operand->type = ZYDIS_OPERAND_TYPE_REGISTER;
		operand->reg.value = (ZydisRegister)reg;
		operand->reg.is4 = index == 3 ? ZYAN_TRUE : ZYAN_FALSE;
		return true;
	}
	if (takt_kind_is_memory((enum takt_operand_kind)kind) ||
	    (kind >= TAKT_KIND_A_B && kind <= TAKT_KIND_A_RIP)) {
		set_memory(kind, high8, open_size_bytes, operand);
		return true;
	}
	return set_immediate(kind, operand);
}

/* Assumptions about what a form does not fix. */
struct guess {
	ZydisRegister mask;	      /* mask register after operand 1, or ZYDIS_REGISTER_NONE */
	ZydisBroadcastMode broadcast; /* how often the element repeats */
	uint16_t size_bytes;	      /* size of memory whose kind has no size */
};

/* True for cmps and scas, whose prefix is repe instead of rep. */
static bool compares(const struct takt_form *form)
{
	const char *mnemonic = takt_mnemonic_text(&takt_isa_x86, form->mnemonic);

	return strncmp(mnemonic, "cmps", 4) == 0 || strncmp(mnemonic, "scas", 4) == 0;
}

static void set_flags(const struct takt_form *form, const struct guess *guess,
		      ZydisEncoderRequest *request)
{
	if (form->flags & TAKT_FORM_LOCK)
		request->prefixes |= ZYDIS_ATTRIB_HAS_LOCK;
	if (form->flags & TAKT_FORM_REP)
		request->prefixes |= compares(form) ? ZYDIS_ATTRIB_HAS_REPE : ZYDIS_ATTRIB_HAS_REP;
	if (form->flags & TAKT_FORM_REPNE)
		request->prefixes |= ZYDIS_ATTRIB_HAS_REPNE;
	if (form->flags & TAKT_FORM_EVEX)
		request->allowed_encodings = ZYDIS_ENCODABLE_ENCODING_EVEX;
	request->evex.broadcast = guess->broadcast;
	request->evex.rounding =
		form->flags & TAKT_FORM_ER ? ZYDIS_ROUNDING_MODE_RN : ZYDIS_ROUNDING_MODE_INVALID;
	request->evex.sae = form->flags & TAKT_FORM_SAE ? ZYAN_TRUE : ZYAN_FALSE;
	request->evex.zeroing_mask = form->flags & TAKT_FORM_Z ? ZYAN_TRUE : ZYAN_FALSE;
}

static bool make_request(const struct takt_form *form, const struct guess *guess,
			 ZydisEncoderRequest *ret_request)
{
	ZydisEncoderRequest request = {.machine_mode = ZYDIS_MACHINE_MODE_LONG_64,
				       .mnemonic = (ZydisMnemonic)form->mnemonic};
	bool high8 = false;

	for (unsigned i = 0; i < TAKT_FORM_OPERANDS_MAX; i++)
		high8 |= form->kinds[i] == TAKT_KIND_R8H;
	for (unsigned i = 0; i < TAKT_FORM_OPERANDS_MAX && form->kinds[i]; i++) {
		if (i > 0 && form->kinds[i] == TAKT_KIND_XMM0)
			break; /* xmm0 of blends is implicit for the encoder */
		if (i == 1 && guess->mask != ZYDIS_REGISTER_NONE)
			request.operand_count++;
		if (request.operand_count == ZYDIS_ENCODER_MAX_OPERANDS ||
		    !set_operand(form, i, high8, guess->size_bytes,
				 &request.operands[request.operand_count++]))
			return false;
	}
	if (guess->mask != ZYDIS_REGISTER_NONE) {
		if (request.operand_count == 1)
			request.operand_count++;
		request.operands[1].type = ZYDIS_OPERAND_TYPE_REGISTER;
		request.operands[1].reg.value = guess->mask;
	}
	set_flags(form, guess, &request);
	*ret_request = request;
	return true;
}

static takt_form_key encode(const struct takt_form *form, const struct guess *guess)
{
	ZyanU8 bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
	ZyanUSize size = sizeof(bytes);
	ZydisEncoderRequest request;
	struct takt_insn insn;

	if (!make_request(form, guess, &request) ||
	    !ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&request, bytes, &size)) ||
	    takt_decode(&takt_isa_x86, bytes, size, 0, &insn) != TAKT_OK ||
	    insn.length_bytes != size)
		return 0;
	return insn.form;
}

/*
 * True if the forms have the same mnemonic and the same number of operands: the size of the
 * immediate, and registers that the encoding fixes, may differ.
 */
static bool is_alike(takt_form_key left, takt_form_key right)
{
	struct takt_form a = takt_form_unpack(left), b = takt_form_unpack(right);
	unsigned differ = 0;

	for (unsigned i = 0; i < TAKT_FORM_OPERANDS_MAX; i++)
		differ += !a.kinds[i] != !b.kinds[i];
	return a.mnemonic == b.mnemonic && differ == 0;
}

static bool has_kind(const struct takt_form *form, unsigned first, unsigned last)
{
	for (unsigned i = 0; i < TAKT_FORM_OPERANDS_MAX; i++)
		if (form->kinds[i] >= first && form->kinds[i] <= last)
			return true;
	return false;
}

static takt_form_key encode_with_mask(const struct takt_form *form, ZydisRegister mask)
{
	static const uint16_t sizes[] = {8, 4, 1, 2, 6, 10, 16, 28, 32, 64, 108, 512, 576, 0};
	bool open = has_kind(form, TAKT_KIND_M, TAKT_KIND_M) ||
		    has_kind(form, TAKT_KIND_MXMM, TAKT_KIND_A_RIP);
	bool broadcast = has_kind(form, TAKT_KIND_M16B, TAKT_KIND_M64B);
	unsigned first = broadcast ? ZYDIS_BROADCAST_MODE_1_TO_2 : ZYDIS_BROADCAST_MODE_INVALID;
	unsigned last = broadcast ? ZYDIS_BROADCAST_MODE_1_TO_32 : ZYDIS_BROADCAST_MODE_INVALID;
	takt_form_key found = 0;

	for (unsigned mode = first; !found && mode <= last; mode++)
		for (size_t i = 0; !found && i < (open ? TAKT_COUNT_OF(sizes) : 1); i++)
			found = encode(form, &(struct guess){mask, (ZydisBroadcastMode)mode,
							     open ? sizes[i] : 0});
	return found;
}

static bool is_encodable(const struct takt_form *form)
{
	bool masked = (form->flags & TAKT_FORM_K) != 0;
	takt_form_key found =
		encode_with_mask(form, masked ? ZYDIS_REGISTER_K1 : ZYDIS_REGISTER_NONE);

	/* For EVEX encodings without a mask the encoder expects k0. */
	if (!found && !masked)
		found = encode_with_mask(form, ZYDIS_REGISTER_K0);
	return found && is_alike(found, takt_form_pack(form));
}

/* True for moves to a general register that ignore REX.W: the encoder accepts only r32. */
static bool ignores_width(const struct takt_form *form)
{
	static const char *const names[] = {"pmovmskb", "movmskp", "pextrb", "pextrw", "extractps"};
	const char *name = takt_mnemonic_text(&takt_isa_x86, form->mnemonic);

	name += *name == 'v';
	for (size_t i = 0; i < TAKT_COUNT_OF(names); i++)
		if (takt_string_starts(name, names[i]))
			return true;
	return false;
}

bool takt_form_exists(takt_form_key key)
{
	struct takt_form form = takt_form_unpack(key);

	if (!key)
		return false;
	form.flags = (uint16_t)(form.flags & ~TAKT_FORM_QUALIFIERS);
	if (is_encodable(&form))
		return true;
	if (form.kinds[0] != TAKT_KIND_R64 || !ignores_width(&form))
		return false;
	form.kinds[0] = TAKT_KIND_R32;
	return is_encodable(&form);
}
