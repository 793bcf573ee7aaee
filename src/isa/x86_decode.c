/* SPDX-License-Identifier: MIT */
/* Decoder of x86-64: Zydis decodes, and the other x86_*.c translate its records. */
#include "isa/x86.h"

/* ---- reading ---------------------------------------------------------- */

/* True for legacy blends and sha256rnds2: their xmm0 is written by everyone except Zydis. */
static bool has_written_xmm0(const struct takt_x86 *x86)
{
	switch ((int)x86->insn.mnemonic) {
	case ZYDIS_MNEMONIC_BLENDVPD:
	case ZYDIS_MNEMONIC_BLENDVPS:
	case ZYDIS_MNEMONIC_PBLENDVB:
	case ZYDIS_MNEMONIC_SHA256RNDS2:
		return true;
	default:
		return false;
	}
}

/* Make Zydis's visible operands those that a person writes. */
static void set_visible(struct takt_x86 *x86)
{
	ZydisDecodedInstruction *insn = &x86->insn;

	if (has_written_xmm0(x86)) {
		x86->operands[insn->operand_count_visible++].visibility =
			ZYDIS_OPERAND_VISIBILITY_IMPLICIT;
	} else if (takt_x86_is_nop(x86) && insn->operand_count > 1) {
		/* The register field of the long nop is part of its opcode. */
		insn->operand_count = insn->operand_count_visible = 1;
	}
}

static void pick_written(struct takt_x86 *x86)
{
	x86->written_count = 0;
	x86->mask = TAKT_X86_NO_OPERAND;
	for (unsigned index = 0; index < x86->insn.operand_count_visible; index++) {
		const ZydisDecodedOperand *operand = &x86->operands[index];

		if (operand->encoding != ZYDIS_OPERAND_ENCODING_MASK)
			x86->written[x86->written_count++] = (uint8_t)index;
		else if (operand->reg.value != ZYDIS_REGISTER_K0)
			x86->mask = (uint8_t)index;
	}
}

ZyanStatus takt_x86_read(const uint8_t *bytes, size_t size_bytes, struct takt_x86 *x86)
{
	ZydisDecoder decoder;
	ZydisDecoderContext context;
	ZyanStatus status;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	status = ZydisDecoderDecodeInstruction(&decoder, &context, bytes, size_bytes, &x86->insn);
	if (ZYAN_SUCCESS(status))
		status = ZydisDecoderDecodeOperands(&decoder, &context, &x86->insn, x86->operands,
						    x86->insn.operand_count);
	if (ZYAN_SUCCESS(status)) {
		set_visible(x86);
		pick_written(x86);
	}
	return status;
}

/* ---- properties ------------------------------------------------------- */

static void set_branch(const struct takt_x86 *x86, struct takt_insn *insn)
{
	const ZydisDecodedOperand *target = &x86->operands[0];

	switch ((int)x86->insn.meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		if (x86->insn.meta.branch_type == ZYDIS_BRANCH_TYPE_NONE)
			return; /* xbegin and xend */
		insn->flags |= TAKT_INSN_BRANCH | TAKT_INSN_CONDITIONAL;
		break;
	case ZYDIS_CATEGORY_UNCOND_BR:
		if (x86->insn.mnemonic != ZYDIS_MNEMONIC_JMP)
			return; /* xabort */
		insn->flags |= TAKT_INSN_BRANCH;
		break;
	case ZYDIS_CATEGORY_CALL:
		insn->flags |= TAKT_INSN_BRANCH | TAKT_INSN_CALL;
		break;
	case ZYDIS_CATEGORY_RET:
		insn->flags |= TAKT_INSN_BRANCH | TAKT_INSN_RETURN | TAKT_INSN_INDIRECT;
		return;
	default:
		return;
	}
	if (target->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		insn->branch_target =
			insn->address + insn->length_bytes + (uint64_t)target->imm.value.s;
	else
		insn->flags |= TAKT_INSN_INDIRECT;
}

/* The condition is the low digit of the opcode of jcc, cmovcc and setcc. */
static int condition(const struct takt_x86 *x86)
{
	unsigned row = x86->insn.opcode >> 4;
	bool second_map = x86->insn.opcode_map == ZYDIS_OPCODE_MAP_0F;

	switch ((int)x86->insn.meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		if (row != (second_map ? 8 : 7))
			return -1;
		break;
	case ZYDIS_CATEGORY_CMOV:
	case ZYDIS_CATEGORY_SETCC:
		break;
	default:
		return -1;
	}
	return x86->insn.opcode & 15;
}

static void set_immediate(const struct takt_x86 *x86, struct takt_insn *insn)
{
	unsigned encoded = 0;

	for (unsigned index = 0; index < x86->written_count; index++) {
		const ZydisDecodedOperand *operand = &x86->operands[x86->written[index]];

		if (operand->type != ZYDIS_OPERAND_TYPE_IMMEDIATE || operand->imm.is_relative)
			continue;
		insn->immediate = operand->imm.value.s;
		if (operand->encoding == ZYDIS_OPERAND_ENCODING_NONE)
			continue;
		insn->immediate_size_bytes =
			(uint8_t)((x86->insn.raw.imm[encoded & 1].size + 7) / 8);
		encoded++;
	}
	if (encoded > 0) {
		insn->flags |= TAKT_INSN_HAS_IMM;
		if (insn->immediate == 0)
			insn->flags |= TAKT_INSN_IMM0;
	}
}

/* Return the offset of the opcode byte. Zydis lacks it: it is derived from the bytes after it. */
static uint8_t opcode_offset(const ZydisDecodedInstruction *insn)
{
	unsigned end = insn->length;

	if (insn->attributes & ZYDIS_ATTRIB_HAS_MODRM)
		end = insn->raw.modrm.offset;
	else if (insn->raw.disp.size > 0)
		end = insn->raw.disp.offset;
	else if (insn->raw.imm[0].size > 0)
		end = insn->raw.imm[0].offset;
	return (uint8_t)(end > 0 ? end - 1 : 0);
}

static uint8_t constant_count(const struct takt_x86 *x86)
{
	const ZydisDecodedInstruction *insn = &x86->insn;
	const unsigned sizes[] = {insn->raw.disp.size, insn->raw.imm[0].size,
				  insn->raw.imm[1].size};
	unsigned count = 0;

	if (takt_x86_is_nop(x86))
		return 0;
	for (size_t i = 0; i < TAKT_COUNT_OF(sizes); i++)
		count += sizes[i] > 32 ? 2 : sizes[i] > 0;
	return (uint8_t)count;
}

static uint8_t narrow_constant_count(const struct takt_x86 *x86)
{
	const ZydisDecodedInstruction *insn = &x86->insn;

	if (takt_x86_is_nop(x86))
		return 0;
	return (uint8_t)((insn->raw.disp.size == 8) + (insn->raw.imm[0].size == 8) +
			 (insn->raw.imm[1].size == 8));
}

/*
 * True if a prefix changes the length: 66 turns an imm32 into an imm16, 67 an 8-byte moffs into a
 * 4-byte one.
 */
static bool has_length_changing_prefix(const struct takt_x86 *x86)
{
	ZydisInstructionAttributes attributes = x86->insn.attributes;

	if (attributes & ZYDIS_ATTRIB_HAS_ADDRESSSIZE && x86->insn.raw.disp.size == 32 &&
	    !(attributes & ZYDIS_ATTRIB_HAS_MODRM))
		return true;
	if (!(attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE) || x86->insn.raw.imm[0].size != 16)
		return false;
	for (unsigned index = 0; index < x86->written_count; index++) {
		switch ((int)x86->operands[x86->written[index]].encoding) {
		case ZYDIS_OPERAND_ENCODING_UIMM16_32_64:
		case ZYDIS_OPERAND_ENCODING_UIMM32_32_64:
		case ZYDIS_OPERAND_ENCODING_UIMM16_32_32:
		case ZYDIS_OPERAND_ENCODING_SIMM16_32_64:
		case ZYDIS_OPERAND_ENCODING_SIMM32_32_64:
		case ZYDIS_OPERAND_ENCODING_SIMM16_32_32:
			return true;
		default:
			break;
		}
	}
	return false;
}

static bool is_serializing(const struct takt_x86 *x86)
{
	switch ((int)x86->insn.mnemonic) {
	case ZYDIS_MNEMONIC_CPUID:
	case ZYDIS_MNEMONIC_SERIALIZE:
	case ZYDIS_MNEMONIC_LFENCE: /* not formally, but nothing later starts before it ends */
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
	case ZYDIS_MNEMONIC_RSM:
	case ZYDIS_MNEMONIC_INVD:
	case ZYDIS_MNEMONIC_WBINVD:
	case ZYDIS_MNEMONIC_INVLPG:
	case ZYDIS_MNEMONIC_INVEPT:
	case ZYDIS_MNEMONIC_INVVPID:
	case ZYDIS_MNEMONIC_INVPCID:
	case ZYDIS_MNEMONIC_LGDT:
	case ZYDIS_MNEMONIC_LIDT:
	case ZYDIS_MNEMONIC_LLDT:
	case ZYDIS_MNEMONIC_LTR:
	case ZYDIS_MNEMONIC_LMSW:
	case ZYDIS_MNEMONIC_WRMSR:
		return true;
	case ZYDIS_MNEMONIC_MOV: /* to a control or debug register */
		switch (takt_x86_register(x86->operands[0].reg.value).kind) {
		case TAKT_KIND_CR:
		case TAKT_KIND_DR:
			return x86->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER;
		default:
			return false;
		}
	default:
		return false;
	}
}

/* Set the flags for vector, mask and x87 operands, and for one register as all sources. */
static void set_register_flags(const struct takt_x86 *x86, struct takt_insn *insn)
{
	ZydisRegister source = ZYDIS_REGISTER_NONE;
	unsigned sources = 0;
	bool widens = x86->insn.mnemonic == ZYDIS_MNEMONIC_MOVZX;
	bool move = widens || (insn->insn_class == TAKT_CLASS_MOVE && x86->written_count == 2);
	bool same = true;

	for (unsigned index = 0; index < x86->written_count; index++) {
		const ZydisDecodedOperand *operand = &x86->operands[x86->written[index]];
		ZydisRegister reg;
		unsigned kind;

		if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
			same = false;
		if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER)
			continue;
		reg = operand->reg.value;
		kind = takt_x86_register(reg).kind;
		if (kind >= TAKT_KIND_MM && kind <= TAKT_KIND_K)
			insn->flags |= TAKT_INSN_VECTOR;
		else if (kind == TAKT_KIND_ST)
			insn->flags |= TAKT_INSN_X87;
		/* A plain move counts its destination: mov r, r of one register is "same". */
		if (!move && !(operand->actions & ~ZYDIS_OPERAND_ACTION_WRITE))
			continue;
		/* movzx ebx, bl has two names of one register; bh is a register apart. */
		if (widens && kind != TAKT_KIND_R8H)
			reg = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
		if (sources++ == 0)
			source = reg;
		same = same && reg == source;
	}
	if (same && sources > 1)
		insn->flags |= TAKT_INSN_SAME;
	if (insn->insn_class == TAKT_CLASS_X87)
		insn->flags |= TAKT_INSN_X87;
}

static bool widens_rex_byte(const struct takt_x86 *x86)
{
	const ZydisDecodedOperand *source = &x86->operands[1];
	int number;

	if (x86->insn.mnemonic != ZYDIS_MNEMONIC_MOVZX ||
	    source->type != ZYDIS_OPERAND_TYPE_REGISTER || source->size != 8 ||
	    takt_x86_register(source->reg.value).kind == TAKT_KIND_R8H)
		return false;
	number = takt_x86_register(source->reg.value).location - TAKT_LOC_GPR;
	return number % 8 >= 4;
}

/* True for non-temporal stores: write-combining, whatever the memory type of their page. */
static bool is_non_temporal(const struct takt_x86 *x86)
{
	switch ((int)x86->insn.mnemonic) {
	case ZYDIS_MNEMONIC_MOVNTI:
	case ZYDIS_MNEMONIC_MOVNTQ:
	case ZYDIS_MNEMONIC_MOVNTDQ:
	case ZYDIS_MNEMONIC_MOVNTPD:
	case ZYDIS_MNEMONIC_MOVNTPS:
	case ZYDIS_MNEMONIC_MOVNTSD:
	case ZYDIS_MNEMONIC_MOVNTSS:
	case ZYDIS_MNEMONIC_VMOVNTDQ:
	case ZYDIS_MNEMONIC_VMOVNTPD:
	case ZYDIS_MNEMONIC_VMOVNTPS:
	case ZYDIS_MNEMONIC_MASKMOVQ:
	case ZYDIS_MNEMONIC_MASKMOVDQU:
	case ZYDIS_MNEMONIC_VMASKMOVDQU:
	case ZYDIS_MNEMONIC_MOVDIRI:
	case ZYDIS_MNEMONIC_MOVDIR64B:
		return true;
	default:
		return false;
	}
}

static bool is_locked(const struct takt_x86 *x86)
{
	return x86->insn.attributes & ZYDIS_ATTRIB_HAS_LOCK ||
	       (x86->insn.mnemonic == ZYDIS_MNEMONIC_XCHG &&
		(x86->operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY ||
		 x86->operands[1].type == ZYDIS_OPERAND_TYPE_MEMORY));
}

static void set_flags(const struct takt_x86 *x86, struct takt_insn *insn)
{
	if (widens_rex_byte(x86))
		insn->flags |= TAKT_INSN_REX_BYTE;
	if (takt_x86_is_nop(x86))
		insn->flags |= TAKT_INSN_NOP;
	else
		set_register_flags(x86, insn);
	if (has_length_changing_prefix(x86))
		insn->flags |= TAKT_INSN_LCP;
	if (is_serializing(x86))
		insn->flags |= TAKT_INSN_SERIALIZING;
	if (is_non_temporal(x86))
		insn->flags |= TAKT_INSN_NON_TEMPORAL;
	if (is_locked(x86))
		insn->flags |= TAKT_INSN_LOCKED;
}

static enum takt_status decode_insn(const struct takt_isa *isa, const uint8_t *bytes,
				    size_t size_bytes, uint64_t address, struct takt_insn *ret_insn)
{
	struct takt_x86 x86;

	if (!ZYAN_SUCCESS(takt_x86_read(bytes, size_bytes, &x86)))
		return TAKT_BAD_INPUT;
	*ret_insn = (struct takt_insn){
		.isa = isa,
		.address = address,
		.bytes = bytes,
		.form = takt_x86_form(&x86),
		.isa_set = (uint16_t)x86.insn.meta.isa_set,
		.insn_class = (uint8_t)takt_x86_class(&x86),
		.length_bytes = x86.insn.length,
		.opcode_offset_bytes = opcode_offset(&x86.insn),
		.constant_count = constant_count(&x86),
		.narrow_constant_count = narrow_constant_count(&x86),
		.condition = (int8_t)condition(&x86),
	};
	set_branch(&x86, ret_insn);
	set_immediate(&x86, ret_insn);
	set_flags(&x86, ret_insn);
	takt_x86_add_roles(&x86, ret_insn);
	return TAKT_OK;
}

bool takt_insn_has_wide_immediate(const struct takt_insn *insn)
{
	int64_t immediate = insn->immediate;
	bool memory = false;

	if (!(insn->flags & TAKT_INSN_HAS_IMM))
		return false;
	for (unsigned i = 0; i < insn->memory_count; i++)
		memory = memory || !insn->memories[i].address_only;
	return memory ? immediate != (int16_t)immediate : immediate != (int32_t)immediate;
}

const struct takt_isa_functions takt_x86_functions = {
	.decode = decode_insn,
	.step = takt_x86_flow,
	.write = takt_x86_write,
	.location_name = takt_x86_location_name,
	.mnemonic_text = takt_x86_mnemonic_text,
	.mnemonic_parse = takt_x86_mnemonic_parse,
	.operation = takt_x86_operation,
	.operands = takt_x86_operands,
	.is_affine = takt_x86_is_affine,
	.undecodable_note = "if this is data or padding, choose a range or function without it; "
			    "APX and other extensions newer than AMX are not supported",
};
