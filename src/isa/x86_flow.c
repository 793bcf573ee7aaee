/* SPDX-License-Identifier: MIT */
/* Instruction lengths and control flow of x86-64. */
#include <Zydis/Zydis.h>

#include "isa/x86.h"

static enum takt_flow flow_of(const ZydisDecodedInstruction *insn)
{
	bool direct = insn->raw.imm[0].is_relative;

	/* Zydis counts the transaction instructions as branches; no loop consists of them. */
	if (insn->mnemonic == ZYDIS_MNEMONIC_XBEGIN || insn->mnemonic == ZYDIS_MNEMONIC_XABORT)
		return TAKT_FLOW_NEXT;
	if (insn->meta.category == ZYDIS_CATEGORY_CALL)
		return TAKT_FLOW_CALL;
	if (insn->meta.category == ZYDIS_CATEGORY_COND_BR)
		return TAKT_FLOW_BRANCH;
	if (insn->meta.category == ZYDIS_CATEGORY_UNCOND_BR)
		return direct ? TAKT_FLOW_JUMP : TAKT_FLOW_STOP;
	if (insn->meta.category == ZYDIS_CATEGORY_RET)
		return TAKT_FLOW_STOP;
	if (insn->mnemonic == ZYDIS_MNEMONIC_UD2 || insn->mnemonic == ZYDIS_MNEMONIC_HLT ||
	    insn->mnemonic == ZYDIS_MNEMONIC_INT3)
		return TAKT_FLOW_STOP;
	return TAKT_FLOW_NEXT;
}

bool takt_x86_flow(const struct takt_isa *isa, const uint8_t *bytes, size_t size_bytes,
		   struct takt_insn_flow *ret_flow)
{
	ZydisDecodedInstruction insn;
	ZydisDecoder decoder;
	bool relative, rip;

	(void)isa;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, size_bytes, &insn)))
		return false;
	relative = insn.raw.imm[0].is_relative;
	rip = !relative && (insn.attributes & ZYDIS_ATTRIB_IS_RELATIVE) && insn.raw.disp.size == 32;
	*ret_flow = (struct takt_insn_flow){
		.length_bytes = insn.length,
		.flow = (uint8_t)flow_of(&insn),
		.target_size_bytes = relative ? insn.raw.imm[0].size / 8 : 0,
		.rip_index = rip ? insn.raw.disp.offset : 0,
		.target = relative ? (int32_t)insn.raw.imm[0].value.s : 0,
	};
	return true;
}
