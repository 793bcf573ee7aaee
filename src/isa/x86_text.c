/* SPDX-License-Identifier: MIT */
/* Disassembly: Zydis formats, and we correct its mnemonics. */
#include <string.h>

#include "isa/mnemonic.h"
#include "isa/x86.h"

/* Numbers are short and in lower case; Intel syntax always says sizes, as objdump does. */
static void set_up(ZydisFormatter *formatter, enum takt_syntax syntax)
{
	static const struct {
		ZydisFormatterProperty property;
		ZyanUPointer value;
	} properties[] = {
		{ZYDIS_FORMATTER_PROP_FORCE_RELATIVE_RIPREL, ZYAN_TRUE},
		{ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE, ZYDIS_PADDING_DISABLED},
		{ZYDIS_FORMATTER_PROP_ADDR_PADDING_RELATIVE, ZYDIS_PADDING_DISABLED},
		{ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED},
		{ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED},
		{ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE},
	};

	ZydisFormatterInit(formatter, syntax == TAKT_SYNTAX_ATT ? ZYDIS_FORMATTER_STYLE_ATT
								: ZYDIS_FORMATTER_STYLE_INTEL);
	ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_FORCE_SIZE,
				  syntax != TAKT_SYNTAX_ATT);
	for (size_t index = 0; index < TAKT_COUNT_OF(properties); index++)
		ZydisFormatterSetProperty(formatter, properties[index].property,
					  properties[index].value);
}

static const ZydisDecodedOperand *memory_operand(const struct takt_x86 *x86)
{
	for (unsigned index = 0; index < x86->written_count; index++) {
		const ZydisDecodedOperand *operand = &x86->operands[x86->written[index]];

		if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
			return operand;
	}
	return NULL;
}

static const char *x87_suffix(const ZydisDecodedOperand *memory)
{
	bool real = memory->element_type != ZYDIS_ELEMENT_TYPE_INT;

	switch (memory->size) {
	case 16:
		return real ? "" : "s"; /* a control or status word has none */
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

/* The size letter of AT&T mnemonics where Zydis leaves it out or puts a wrong one. */
static const char *vector_suffix(const struct takt_x86 *x86, const ZydisDecodedOperand *memory)
{
	const char *name = ZydisMnemonicGetString(x86->insn.mnemonic);
	bool narrow = takt_x86_register(x86->operands[0].reg.value).kind == TAKT_KIND_XMM;

	if (strstr(name, "si2s"))
		return memory->size == 64 ? "q" : "l";
	if (strncmp(name, "vcvt", 4) == 0 && narrow &&
	    (strstr(name, "pd2ps") || strstr(name, "pd2dq") || strstr(name, "pd2udq") ||
	     strstr(name, "qq2ps")))
		return x86->insn.avx.vector_length == 256 ? "y" : "x";
	return "";
}

/* NULL to keep Zydis's. */
static const char *att_suffix(const struct takt_x86 *x86, const struct takt_insn *insn)
{
	const ZydisDecodedOperand *memory = memory_operand(x86);

	if (memory && insn->flags & TAKT_INSN_X87)
		return x87_suffix(memory);
	if (memory && insn->flags & TAKT_INSN_VECTOR)
		return vector_suffix(x86, memory);
	if (memory && insn->flags & TAKT_INSN_NOP)
		return memory->size == 64 ? "q" : memory->size == 32 ? "l" : "w";
	return NULL;
}

/* Copies `line` with `mnemonic`, Zydis's word, replaced; `suffix` replaces the rest of it. */
static void add_respelled(const char *line, ZydisMnemonic mnemonic, const char *suffix,
			  struct takt_text *text)
{
	const char *zydis = ZydisMnemonicGetString(mnemonic);
	const char *place = zydis ? strstr(line, zydis) : NULL;

	if (place == NULL) {
		takt_text_add_string(text, line);
		return;
	}
	takt_text_add(text, line, (size_t)(place - line));
	takt_text_add_string(text, takt_mnemonic_text((uint16_t)mnemonic));
	place += strlen(zydis);
	if (suffix) {
		takt_text_add_string(text, suffix);
		place += strcspn(place, " ");
	}
	takt_text_add_string(text, place);
}

void takt_insn_write(const struct takt_insn *insn, enum takt_syntax syntax, struct takt_text *text)
{
	struct takt_x86 x86;
	ZydisFormatter formatter;
	char line[256];

	if (!ZYAN_SUCCESS(takt_x86_read(insn->bytes, insn->length_bytes, &x86))) {
		takt_text_add_string(text, "(bad)");
		return;
	}
	set_up(&formatter, syntax);
	if (!ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&formatter, &x86.insn, x86.operands,
							  x86.insn.operand_count_visible, line,
							  sizeof(line), insn->address, NULL))) {
		takt_text_add_string(text, "(bad)");
		return;
	}
	add_respelled(line, x86.insn.mnemonic,
		      syntax == TAKT_SYNTAX_ATT ? att_suffix(&x86, insn) : NULL, text);
}
