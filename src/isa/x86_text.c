/* SPDX-License-Identifier: MIT */
/*
 * Disassembly of x86-64. Zydis formats; what assemblers would not accept is corrected:
 * mnemonics, st(i), the position of rounding, and sizes of memory without a single size.
 */
#include <string.h>

#include "isa/x86.h"

/* Set the formatter up: short numbers in lower case; sizes in Intel syntax, as objdump prints. */
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

static void add_span(const char *begin, const char *end, struct takt_text *text)
{
	takt_text_add(text, begin, (size_t)(end - begin));
}

/* Return the start of the operand that contains `place`. */
static const char *operand_start(const char *operands, const char *place)
{
	const char *start = operands;

	for (const char *next = operands; next < place; next++) {
		if (next[0] == ',' && next[1] == ' ')
			start = next + 2;
	}
	return start;
}

/*
 * Append the operands with rounding in its place. Zydis attaches {rn-sae} to a register;
 * assemblers have it as a separate operand, after the register in Intel and before it in AT&T
 * syntax.
 */
static void add_rounded(const char *operands, bool att, struct takt_text *text)
{
	const char *end = strstr(operands, "sae}") + 4, *begin = end, *start;

	while (*begin != '{')
		begin--;
	start = att ? operand_start(operands, begin) : begin - 1;
	add_span(operands, start, text);
	takt_text_add_string(text, att ? "" : ", ");
	add_span(begin, end, text);
	takt_text_add_string(text, att ? ", " : "");
	add_span(start, begin - 1, text);
	takt_text_add_string(text, end);
}

/* True if assemblers have no word for the memory operand's size: gathers, cache lines. */
static bool has_odd_size(const struct takt_x86 *x86)
{
	const ZydisDecodedOperand *memory = takt_x86_written_memory(x86);

	switch ((int)x86->insn.mnemonic) {
	case ZYDIS_MNEMONIC_CLFLUSH:
	case ZYDIS_MNEMONIC_CLFLUSHOPT:
	case ZYDIS_MNEMONIC_CLWB:
		return true;
	default:
		return memory && memory->mem.type == ZYDIS_MEMOP_TYPE_VSIB;
	}
}

static void add_unsized(const char *operands, struct takt_text *text)
{
	const char *size = strstr(operands, "ptr ");

	if (size) {
		add_span(operands, operand_start(operands, size), text);
		operands = size + 4;
	}
	takt_text_add_string(text, operands);
}

/* Append the operands with st2 changed to st(2). */
static void add_x87(const char *operands, struct takt_text *text)
{
	const char *reg;

	while ((reg = strstr(operands, "st")) != NULL && reg[2] >= '0' && reg[2] <= '7') {
		add_span(operands, reg + 2, text);
		takt_text_printf(text, "(%c)", reg[2]);
		operands = reg + 3;
	}
	takt_text_add_string(text, operands);
}

static void add_operands(const struct takt_x86 *x86, const char *operands, bool att,
			 struct takt_text *text)
{
	bool branch = x86->insn.meta.category == ZYDIS_CATEGORY_CALL ||
		      x86->insn.meta.category == ZYDIS_CATEGORY_UNCOND_BR;

	takt_text_add(text, " ", 1);
	if (att && branch && x86->operands[0].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
		takt_text_add(text, "*", 1);
	if (strstr(operands, "sae}"))
		add_rounded(operands, att, text);
	else if (has_odd_size(x86))
		add_unsized(operands, text);
	else if (takt_x86_is_x87(x86))
		add_x87(operands, text);
	else
		takt_text_add_string(text, operands);
}

/* Return the prefix that selects the encoding where assemblers would choose another one. */
static const char *encoding_prefix(const struct takt_insn *insn)
{
	if (takt_form_unpack(insn->form).flags & TAKT_FORM_EVEX)
		return "{evex} ";
	return insn->isa_set == ZYDIS_ISA_SET_AVX_VNNI ? "{vex} " : "";
}

/* Append `line` (prefixes, mnemonic with AT&T's size suffix, operands) with corrections. */
static void add_corrected(const struct takt_x86 *x86, const char *line, bool att,
			  struct takt_text *text)
{
	const char *name = ZydisMnemonicGetString(x86->insn.mnemonic);
	const char *mnemonic = strstr(line, name), *end;

	if (mnemonic == NULL) {
		takt_text_add_string(text, line);
		return;
	}
	add_span(line, mnemonic, text);
	if (att)
		takt_x86_write_att_mnemonic(x86, text);
	else
		takt_text_add_string(
			text, takt_mnemonic_text(&takt_isa_x86, (uint16_t)x86->insn.mnemonic));
	end = mnemonic + strcspn(mnemonic, " ");
	if (*end)
		add_operands(x86, end + 1, att, text);
}

void takt_x86_write(const struct takt_insn *insn, enum takt_syntax syntax, struct takt_text *text)
{
	struct takt_x86 x86;
	ZydisFormatter formatter;
	char line[256];

	set_up(&formatter, syntax);
	if (ZYAN_SUCCESS(takt_x86_read(insn->bytes, insn->length_bytes, &x86)) &&
	    ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&formatter, &x86.insn, x86.operands,
							 x86.insn.operand_count_visible, line,
							 sizeof(line), insn->address, NULL))) {
		takt_text_add_string(text, encoding_prefix(insn));
		add_corrected(&x86, line, syntax == TAKT_SYNTAX_ATT, text);
	} else {
		takt_text_add_string(text, "(bad)");
	}
}
