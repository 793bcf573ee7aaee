/* SPDX-License-Identifier: MIT */
/* Encodes instructions of a given form with chosen operands: a sample is changed and encoded. */
#include <string.h>

#include "isa/aarch64.h"
#include "isa/x86.h"

/* The registers that operands of a kind may be; they are consecutive in Zydis. */
struct bank {
	uint8_t kind, location, count;
	uint16_t first; /* ZydisRegister of `location` */
};

static const struct bank banks[] = {
	{TAKT_KIND_R64, TAKT_LOC_GPR, 16, ZYDIS_REGISTER_RAX},
	{TAKT_KIND_R32, TAKT_LOC_GPR, 16, ZYDIS_REGISTER_EAX},
	{TAKT_KIND_R16, TAKT_LOC_GPR, 16, ZYDIS_REGISTER_AX},
	{TAKT_KIND_R8, TAKT_LOC_GPR, 4, ZYDIS_REGISTER_AL},
	{TAKT_KIND_R8, TAKT_LOC_GPR + 4, 12, ZYDIS_REGISTER_SPL},
	{TAKT_KIND_R8H, TAKT_LOC_HIGH8, 4, ZYDIS_REGISTER_AH},
	{TAKT_KIND_ST, TAKT_LOC_X87, 8, ZYDIS_REGISTER_ST0},
	{TAKT_KIND_MM, TAKT_LOC_X87, 8, ZYDIS_REGISTER_MM0},
	{TAKT_KIND_XMM, TAKT_LOC_VECTOR, 32, ZYDIS_REGISTER_XMM0},
	{TAKT_KIND_YMM, TAKT_LOC_VECTOR, 32, ZYDIS_REGISTER_YMM0},
	{TAKT_KIND_ZMM, TAKT_LOC_VECTOR, 32, ZYDIS_REGISTER_ZMM0},
	{TAKT_KIND_K, TAKT_LOC_MASK, 8, ZYDIS_REGISTER_K0},
	{TAKT_KIND_TMM, TAKT_LOC_TILE, 8, ZYDIS_REGISTER_TMM0},
};

/* Return Zydis's register of a location, ZYDIS_REGISTER_NONE if the kind has no such register. */
static ZydisRegister bank_register(unsigned kind, unsigned location)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(banks); i++)
		if (banks[i].kind == kind && location >= banks[i].location &&
		    location < (unsigned)banks[i].location + banks[i].count)
			return (ZydisRegister)(banks[i].first + location - banks[i].location);
	return ZYDIS_REGISTER_NONE;
}

static bool set_register(unsigned kind, unsigned location, ZydisRegister *reg)
{
	if (location != TAKT_LOC_NONE)
		*reg = bank_register(kind, location);
	return *reg != ZYDIS_REGISTER_NONE;
}

static bool set_memory(const struct takt_choice *choice, ZydisEncoderOperand *operand)
{
	struct takt_x86_register base = takt_x86_register(operand->mem.base);
	struct takt_x86_register index = takt_x86_register(operand->mem.index);

	if (choice->displacement && operand->mem.displacement)
		operand->mem.displacement = choice->displacement;
	if (operand->mem.base != ZYDIS_REGISTER_NONE && operand->mem.base != ZYDIS_REGISTER_RIP &&
	    !set_register(base.kind, choice->base, &operand->mem.base))
		return false;
	return operand->mem.index == ZYDIS_REGISTER_NONE ||
	       set_register(index.kind, choice->index, &operand->mem.index);
}

/* Set operand n of the form. Registers that the encoding fixes stay, and so do all immediates. */
static bool set_operand(const struct takt_x86 *x86, unsigned n, const struct takt_choice *choice,
			ZydisEncoderRequest *request)
{
	const ZydisDecodedOperand *old = &x86->operands[x86->written[n]];
	ZydisEncoderOperand *operand = &request->operands[x86->written[n]];

	if (x86->written[n] >= request->operand_count ||
	    old->encoding == ZYDIS_OPERAND_ENCODING_NONE)
		return true;
	if (old->type == ZYDIS_OPERAND_TYPE_MEMORY)
		return set_memory(choice, operand);
	if (old->type == ZYDIS_OPERAND_TYPE_REGISTER)
		return set_register(takt_x86_register(old->reg.value).kind, choice->registers[n],
				    &operand->reg.value);
	return true;
}

static void set_immediate(const struct takt_choice *choice, ZydisEncoderRequest *request)
{
	if (!choice->has_immediate)
		return;
	for (unsigned i = request->operand_count; i-- > 0;)
		if (request->operands[i].type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
			request->operands[i].imm.s = choice->immediate;
			return;
		}
}

/* Return the number of operands without the xmm0 of takt_x86_read(), which the encoder rejects. */
static unsigned encoder_operands(const struct takt_x86 *x86)
{
	unsigned count = x86->insn.operand_count_visible;
	const ZydisDecodedOperand *last = &x86->operands[count ? count - 1 : 0];

	if (count && last->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    last->reg.value == ZYDIS_REGISTER_XMM0 && last->encoding == ZYDIS_OPERAND_ENCODING_NONE)
		count--;
	return count;
}

/*
 * The long nop's own opcode. Others, from 0f 18 on, decode as long nops, too, and the encoder uses
 * the first of them; but some cores execute these as prefetches, or slowly.
 */
#define LONG_NOP_OPCODE 0x1f

static void set_nop_opcode(const struct takt_x86 *x86, uint8_t *bytes)
{
	if (takt_x86_is_nop(x86) && x86->insn.raw.modrm.offset > 1)
		bytes[x86->insn.raw.modrm.offset - 1] = LONG_NOP_OPCODE;
}

size_t takt_sample_encode(const struct takt_sample *sample, const struct takt_choice *choice,
			  uint8_t ret_bytes[TAKT_X86_LENGTH_MAX])
{
	ZyanUSize size = TAKT_X86_LENGTH_MAX;
	ZydisEncoderRequest request;
	struct takt_x86 x86;

	if (takt_form_unpack(sample->form).is_foreign)
		return takt_aarch64_sample_encode(sample, choice, ret_bytes);
	if (!ZYAN_SUCCESS(takt_x86_read(sample->bytes, sample->length_bytes, &x86)) ||
	    !ZYAN_SUCCESS(ZydisEncoderDecodedInstructionToEncoderRequest(
		    &x86.insn, x86.operands, (ZyanU8)encoder_operands(&x86), &request)))
		return 0;
	for (unsigned n = 0; n < x86.written_count; n++)
		if (!set_operand(&x86, n, choice, &request))
			return 0;
	if (x86.mask != TAKT_X86_NO_OPERAND &&
	    !set_register(TAKT_KIND_K, choice->mask, &request.operands[x86.mask].reg.value))
		return 0;
	set_immediate(choice, &request);
	if (!ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&request, ret_bytes, &size)) ||
	    !ZYAN_SUCCESS(takt_x86_read(ret_bytes, size, &x86)) || x86.insn.length != size ||
	    takt_x86_form(&x86) != sample->form)
		return 0;
	set_nop_opcode(&x86, ret_bytes);
	return size;
}

static ZydisEncoderOperand encoder_operand(const struct takt_x86_operand *operand)
{
	if (operand->kind != TAKT_KIND_NONE)
		return (ZydisEncoderOperand){
			.type = ZYDIS_OPERAND_TYPE_REGISTER,
			.reg.value = bank_register(operand->kind, operand->location)};
	if (operand->size_bytes)
		return (ZydisEncoderOperand){
			.type = ZYDIS_OPERAND_TYPE_MEMORY,
			.mem = {.base = bank_register(TAKT_KIND_R64, operand->location),
				.index = bank_register(TAKT_KIND_R64, operand->index),
				.scale = operand->index != TAKT_LOC_NONE,
				.displacement = operand->value,
				.size = operand->size_bytes}};
	return (ZydisEncoderOperand){.type = ZYDIS_OPERAND_TYPE_IMMEDIATE, .imm.s = operand->value};
}

size_t takt_x86_encode(const char *mnemonic, bool evex, const struct takt_x86_operand *operands,
		       unsigned count, uint8_t ret_bytes[TAKT_X86_LENGTH_MAX])
{
	ZyanUSize size = TAKT_X86_LENGTH_MAX;
	ZydisEncoderRequest request = {
		.machine_mode = ZYDIS_MACHINE_MODE_LONG_64,
		.allowed_encodings =
			evex ? ZYDIS_ENCODABLE_ENCODING_EVEX
			     : ZYDIS_ENCODABLE_ENCODING_LEGACY | ZYDIS_ENCODABLE_ENCODING_VEX,
		.mnemonic = (ZydisMnemonic)takt_x86_mnemonic_parse(mnemonic, strlen(mnemonic)),
		.operand_count = (ZyanU8)count,
	};

	for (unsigned i = 0; i < count; i++)
		request.operands[i] = encoder_operand(&operands[i]);
	if (ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&request, ret_bytes, &size)))
		return size;
	if (!evex || count == 0 || count == ZYDIS_ENCODER_MAX_OPERANDS)
		return 0;
	/* Zydis expects k0 as the mask operand of an unmasked instruction that could have one. */
	memmove(&request.operands[2], &request.operands[1],
		(count - 1) * sizeof(request.operands[0]));
	request.operands[1] = (ZydisEncoderOperand){.type = ZYDIS_OPERAND_TYPE_REGISTER,
						    .reg.value = ZYDIS_REGISTER_K0};
	request.operand_count++;
	size = TAKT_X86_LENGTH_MAX;
	return ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&request, ret_bytes, &size)) ? size : 0;
}
