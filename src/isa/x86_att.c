/* SPDX-License-Identifier: MIT */
/*
 * AT&T mnemonics, mostly the suffixes for the size of a memory operand. Zydis gets
 * some of them wrong (movssl, fldq) and leaves others out.
 */
#include <string.h>

#include "isa/x86.h"

const ZydisDecodedOperand *takt_x86_written_memory(const struct takt_x86 *x86)
{
	for (unsigned index = 0; index < x86->written_count; index++) {
		const ZydisDecodedOperand *operand = &x86->operands[x86->written[index]];

		if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
			return operand;
	}
	return NULL;
}

static const char *size_letter(unsigned size_bits)
{
	switch (size_bits) {
	case 8:
		return "b";
	case 16:
		return "w";
	case 32:
		return "l";
	default:
		return "q";
	}
}

static const char *x87_end(const ZydisDecodedOperand *memory)
{
	bool real = memory->element_type != ZYDIS_ELEMENT_TYPE_INT;

	switch (memory->size) {
	case 16:
		return real ? "" : "s"; /* control and status words have no suffix */
	case 32:
		return real ? "s" : "l";
	case 64:
		return real ? "l" : "ll";
	case 80:
		return memory->element_type == ZYDIS_ELEMENT_TYPE_FLOAT80 ? "t" : "";
	default:
		return "";
	}
}

/* True for conversions to half the width: from memory, only a suffix tells xmm from ymm. */
static bool is_narrowing(const char *name)
{
	static const char *const stems[] = {"pd2ps", "pd2dq", "pd2udq", "qq2ps",    "pd2ph",
					    "qq2ph", "dq2ph", "ps2phx", "neps2bf16"};

	for (size_t index = 0; index < TAKT_COUNT_OF(stems); index++) {
		if (strstr(name, stems[index]))
			return true;
	}
	return false;
}

static const char *vector_end(const struct takt_x86 *x86, const ZydisDecodedOperand *memory)
{
	const char *name = ZydisMnemonicGetString(x86->insn.mnemonic);
	bool narrow = takt_x86_register(x86->operands[0].reg.value).kind == TAKT_KIND_XMM;

	if (strstr(name, "si2s"))
		return size_letter(memory->size);
	if (strncmp(name, "vfpclassp", 9) != 0 &&
	    !(narrow && strncmp(name, "vcvt", 4) == 0 && is_narrowing(name)))
		return "";
	if (x86->insn.avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID)
		return ""; /* {1to4} implies the size */
	switch (x86->insn.avx.vector_length) {
	case 128:
		return "x";
	case 256:
		return "y";
	default:
		return "z";
	}
}

/* True if no register operand implies the size of the memory operand. */
static bool is_size_open(const struct takt_x86 *x86)
{
	for (unsigned index = 0; index < x86->written_count; index++) {
		const ZydisDecodedOperand *operand = &x86->operands[x86->written[index]];

		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    operand->encoding != ZYDIS_OPERAND_ENCODING_NONE)
			return false;
	}
	return true;
}

static const char *integer_end(const struct takt_x86 *x86, const ZydisDecodedOperand *memory)
{
	switch ((int)x86->insn.meta.category) {
	case ZYDIS_CATEGORY_BINARY:
	case ZYDIS_CATEGORY_BITBYTE:
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_DATAXFER:
	case ZYDIS_CATEGORY_LOGICAL:
	case ZYDIS_CATEGORY_POP:
	case ZYDIS_CATEGORY_PT:
	case ZYDIS_CATEGORY_PUSH:
	case ZYDIS_CATEGORY_ROTATE:
	case ZYDIS_CATEGORY_SHIFT:
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_WIDENOP:
		return is_size_open(x86) ? size_letter(memory->size) : "";
	default:
		return "";
	}
}

/*
 * Return the mnemonic in AT&T syntax: if the destination is st(i), fsub is exchanged with fsubr
 * and fdiv with fdivr, an assembler's old mistake that became the syntax.
 */
static ZydisMnemonic reversed(const struct takt_x86 *x86)
{
	static const ZydisMnemonic pairs[][2] = {
		{ZYDIS_MNEMONIC_FSUB, ZYDIS_MNEMONIC_FSUBR},
		{ZYDIS_MNEMONIC_FSUBP, ZYDIS_MNEMONIC_FSUBRP},
		{ZYDIS_MNEMONIC_FDIV, ZYDIS_MNEMONIC_FDIVR},
		{ZYDIS_MNEMONIC_FDIVP, ZYDIS_MNEMONIC_FDIVRP},
	};

	if (x86->operands[0].type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    x86->operands[0].encoding != ZYDIS_OPERAND_ENCODING_MODRM_RM)
		return x86->insn.mnemonic;
	for (size_t index = 0; index < TAKT_COUNT_OF(pairs); index++) {
		if (pairs[index][0] == x86->insn.mnemonic)
			return pairs[index][1];
		if (pairs[index][1] == x86->insn.mnemonic)
			return pairs[index][0];
	}
	return x86->insn.mnemonic;
}

/* Append the mnemonic if AT&T spells it differently, by operand sizes; false for others. */
static bool write_respelled(const struct takt_x86 *x86, struct takt_text *text)
{
	const char *name = ZydisMnemonicGetString(x86->insn.mnemonic);
	unsigned to = x86->operands[0].size, from = x86->operands[1].size;

	switch ((int)x86->insn.mnemonic) {
	case ZYDIS_MNEMONIC_MOVZX:
		takt_text_printf(text, "movz%s%s", size_letter(from), size_letter(to));
		return true;
	case ZYDIS_MNEMONIC_MOVSX:
	case ZYDIS_MNEMONIC_MOVSXD:
		takt_text_printf(text, "movs%s%s", size_letter(from), size_letter(to));
		return true;
	case ZYDIS_MNEMONIC_CRC32:
		takt_text_printf(text, "crc32%s", size_letter(from));
		return true;
	case ZYDIS_MNEMONIC_MOV: /* movabs, with an 8-byte address */
		if (x86->insn.attributes & ZYDIS_ATTRIB_HAS_MODRM || x86->insn.raw.disp.size == 0)
			return false;
		takt_text_add_string(text, "movabs");
		return true;
	case ZYDIS_MNEMONIC_IRET:
		takt_text_add_string(text, "iretw");
		return true;
	case ZYDIS_MNEMONIC_IRETD:
		takt_text_add_string(text, "iretl");
		return true;
	default:
		if (!takt_x86_is_string(x86) || name[strlen(name) - 1] != 'd')
			return false;
		takt_text_printf(text, "%.*sl", (int)strlen(name) - 1, name);
		return true;
	}
}

void takt_x86_write_att_mnemonic(const struct takt_x86 *x86, struct takt_text *text)
{
	const ZydisDecodedOperand *memory = takt_x86_written_memory(x86);

	if (write_respelled(x86, text))
		return;
	takt_text_add_string(text, takt_mnemonic_text(&takt_isa_x86, (uint16_t)reversed(x86)));
	if (memory == NULL)
		return;
	if (takt_x86_is_x87(x86))
		takt_text_add_string(text, x87_end(memory));
	else if (takt_x86_has_register(x86, TAKT_KIND_MM, TAKT_KIND_K))
		takt_text_add_string(text, vector_end(x86, memory));
	else
		takt_text_add_string(text, integer_end(x86, memory));
}
