/* SPDX-License-Identifier: MIT */
/*
 * Instruction forms as keys and as text: the grammar of docs/formats/forms.md,
 * "Instruction forms". The parser accepts what the writer writes, and also the
 * other spellings of condition codes.
 */
#include <assert.h>
#include <string.h>

#include "base/base.h"
#include "isa/functions.h"
#include "isa/llvm.h"

#define MNEMONIC_BITS 11
#define KIND_BITS 8
#define FLAGS_SHIFT (MNEMONIC_BITS + KIND_BITS * TAKT_FORM_OPERANDS_MAX)
#define FLAGS_BITS 12
#define FOREIGN_SHIFT 63
#define OPCODE_MASK 0xffffffu
#define BITS_MASK(bits) ((UINT64_C(1) << (bits)) - 1)

_Static_assert(FLAGS_SHIFT + FLAGS_BITS == FOREIGN_SHIFT, "a form key is full");

takt_form_key takt_form_pack(const struct takt_form *form)
{
	uint64_t key = form->mnemonic & BITS_MASK(MNEMONIC_BITS);

	for (unsigned index = 0; index < TAKT_FORM_OPERANDS_MAX; index++)
		key |= (uint64_t)form->kinds[index] << (MNEMONIC_BITS + KIND_BITS * index);
	return key | (uint64_t)form->flags << FLAGS_SHIFT |
	       (uint64_t)form->is_foreign << FOREIGN_SHIFT;
}

struct takt_form takt_form_unpack(takt_form_key key)
{
	struct takt_form form = {
		.is_foreign = key >> FOREIGN_SHIFT,
		.mnemonic = (uint16_t)(key & BITS_MASK(MNEMONIC_BITS)),
		.flags = (uint16_t)(key >> FLAGS_SHIFT & BITS_MASK(FLAGS_BITS)),
	};

	for (unsigned index = 0; index < TAKT_FORM_OPERANDS_MAX; index++)
		form.kinds[index] = (uint8_t)(key >> (MNEMONIC_BITS + KIND_BITS * index) &
					      BITS_MASK(KIND_BITS));
	return form;
}

/* ---- kinds ------------------------------------------------------------ */

static const char *const kind_texts[] = {
#define X(name, text) [name] = text,
	TAKT_KIND_LIST(X)
#undef X
#define X(text) text,
#include "isa/aarch64_kinds.def"
#undef X
};

_Static_assert(TAKT_COUNT_OF(kind_texts) <= 1 << KIND_BITS, "operand kinds fit into a form key");

const char *takt_kind_text(unsigned kind)
{
	return kind < TAKT_COUNT_OF(kind_texts) ? kind_texts[kind] : NULL;
}

bool takt_kind_is_memory(enum takt_operand_kind kind)
{
	if (kind >= TAKT_KIND_AARCH64 && kind < TAKT_COUNT_OF(kind_texts))
		return kind_texts[kind][0] == '[';
	return kind >= TAKT_KIND_M8 && kind <= TAKT_KIND_MZMM;
}

uint16_t takt_kind_size_bytes(enum takt_operand_kind kind)
{
	static const uint8_t sizes[TAKT_KIND_X86_COUNT] = {
		[TAKT_KIND_R8] = 1,    [TAKT_KIND_R8H] = 1,   [TAKT_KIND_R16] = 2,
		[TAKT_KIND_R32] = 4,   [TAKT_KIND_R64] = 8,   [TAKT_KIND_MM] = 8,
		[TAKT_KIND_XMM] = 16,  [TAKT_KIND_YMM] = 32,  [TAKT_KIND_ZMM] = 64,
		[TAKT_KIND_K] = 8,     [TAKT_KIND_BND] = 16,  [TAKT_KIND_ST] = 10,
		[TAKT_KIND_SREG] = 2,  [TAKT_KIND_CR] = 8,    [TAKT_KIND_DR] = 8,
		[TAKT_KIND_AL] = 1,    [TAKT_KIND_AX] = 2,    [TAKT_KIND_EAX] = 4,
		[TAKT_KIND_RAX] = 8,   [TAKT_KIND_CL] = 1,    [TAKT_KIND_DX] = 2,
		[TAKT_KIND_ST0] = 10,  [TAKT_KIND_XMM0] = 16, [TAKT_KIND_I8] = 1,
		[TAKT_KIND_I16] = 2,   [TAKT_KIND_I32] = 4,   [TAKT_KIND_I64] = 8,
		[TAKT_KIND_M8] = 1,    [TAKT_KIND_M16] = 2,   [TAKT_KIND_M32] = 4,
		[TAKT_KIND_M48] = 6,   [TAKT_KIND_M64] = 8,   [TAKT_KIND_M80] = 10,
		[TAKT_KIND_M128] = 16, [TAKT_KIND_M256] = 32, [TAKT_KIND_M512] = 64,
		[TAKT_KIND_M16B] = 2,  [TAKT_KIND_M32B] = 4,  [TAKT_KIND_M64B] = 8,
	};

	return (unsigned)kind < TAKT_KIND_X86_COUNT ? sizes[kind] : 0;
}

/* The kinds of AArch64 are many and sorted: a binary search finds them. */
unsigned takt_kind_parse(const char *text, size_t size_bytes)
{
	unsigned found;

	TAKT_BISECT(found, TAKT_COUNT_OF(kind_texts),
		    found < TAKT_KIND_AARCH64 ||
			    takt_compare_text(kind_texts[found], text, size_bytes) < 0);
	return found < TAKT_COUNT_OF(kind_texts) &&
			       takt_string_is(kind_texts[found], text, size_bytes)
		       ? found
		       : TAKT_KIND_NONE;
}

static enum takt_operand_kind kind_of_text(const struct takt_isa *isa, const char *text,
					   size_t size_bytes)
{
	if (isa != &takt_isa_x86)
		return (enum takt_operand_kind)takt_kind_parse(text, size_bytes);
	for (unsigned kind = TAKT_KIND_NONE + 1; kind < TAKT_KIND_X86_COUNT; kind++) {
		if (takt_string_is(kind_texts[kind], text, size_bytes))
			return (enum takt_operand_kind)kind;
	}
	return TAKT_KIND_NONE;
}

/* ---- writing ---------------------------------------------------------- */

struct form_word {
	const char *text;
	uint16_t flag;
};

static const struct form_word prefixes[] = {
	{"lock", TAKT_FORM_LOCK},
	{"rep", TAKT_FORM_REP},
	{"repne", TAKT_FORM_REPNE},
	{"{evex}", TAKT_FORM_EVEX},
};

static const struct form_word suffixes[] = {
	{"{er}", TAKT_FORM_ER},		  {"{sae}", TAKT_FORM_SAE},   {"[same]", TAKT_FORM_SAME},
	{"[indexed]", TAKT_FORM_INDEXED}, {"[imm0]", TAKT_FORM_IMM0}, {"[short]", TAKT_FORM_SHORT},
};

void takt_form_write(const struct takt_isa *isa, takt_form_key key, struct takt_text *text)
{
	struct takt_form form = takt_form_unpack(key);

	if (isa->llvm) {
		takt_text_add_string(
			text, isa->llvm->opcode_name(isa->target,
						     key >> TAKT_LLVM_OPCODE_SHIFT & OPCODE_MASK));
		return;
	}
	for (size_t index = 0; index < TAKT_COUNT_OF(prefixes); index++) {
		if (form.flags & prefixes[index].flag) {
			takt_text_add_string(text, prefixes[index].text);
			takt_text_add(text, " ", 1);
		}
	}
	takt_text_add_string(text, takt_mnemonic_text(isa, form.mnemonic));
	for (size_t index = 0; index < TAKT_FORM_OPERANDS_MAX && form.kinds[index]; index++) {
		takt_text_add_string(text, index == 0 ? " " : ", ");
		takt_text_add_string(text, takt_kind_text(form.kinds[index])
						   ? takt_kind_text(form.kinds[index])
						   : "?");
		if (index == 0 && form.flags & TAKT_FORM_K)
			takt_text_add_string(text, "{k}");
		if (index == 0 && form.flags & TAKT_FORM_Z)
			takt_text_add_string(text, "{z}");
	}
	for (size_t index = 0; index < TAKT_COUNT_OF(suffixes); index++) {
		if (form.flags & suffixes[index].flag) {
			takt_text_add(text, " ", 1);
			takt_text_add_string(text, suffixes[index].text);
		}
	}
}

/* ---- parsing ---------------------------------------------------------- */

struct parser {
	const struct takt_isa *isa;
	const char *next, *end;
	struct takt_form form;
	const char *error; /* description of the error at `next` */
};

static bool fail(struct parser *parser, const char *at, const char *error)
{
	parser->next = at;
	parser->error = error;
	return false;
}

static void skip_blanks(struct parser *parser)
{
	while (parser->next < parser->end && takt_is_blank(*parser->next))
		parser->next++;
}

/* Return the number of bytes up to a blank, a comma or the end. */
static size_t word_size(const struct parser *parser)
{
	const char *end = parser->next;

	while (end < parser->end && *end != ' ' && *end != '\t' && *end != ',')
		end++;
	return (size_t)(end - parser->next);
}

/*
 * Return the size of an operand of AArch64. It may have blanks and commas within brackets
 * ("[x, x lsl]"), blanks before shifts ("x lsl"), and a post-index increment ("[x], i"). A blank
 * before a bracket ends it: a qualifier follows.
 */
static size_t operand_size(const struct parser *parser)
{
	const char *end = parser->next;
	int depth = 0;

	if (parser->isa == &takt_isa_x86)
		return word_size(parser);
	for (; end < parser->end; end++) {
		bool is_address_end = end > parser->next && end[-1] == ']' && *parser->next == '[';

		if (depth == 0 && *end == ',' && !is_address_end)
			break;
		if (depth == 0 && *end == ' ' &&
		    (end + 1 == parser->end || end[1] == '[' || end[1] == '{'))
			break;
		depth += (*end == '[' || *end == '{') - (*end == ']' || *end == '}');
	}
	return (size_t)(end - parser->next);
}

static uint16_t take_word(struct parser *parser, const struct form_word *words, size_t count)
{
	size_t size_bytes = word_size(parser);

	for (size_t index = 0; index < count; index++) {
		if (takt_string_is(words[index].text, parser->next, size_bytes)) {
			parser->next += size_bytes;
			skip_blanks(parser);
			return words[index].flag;
		}
	}
	return 0;
}

static bool parse_mnemonic(struct parser *parser)
{
	uint16_t flag;
	size_t size_bytes;

	skip_blanks(parser);
	while ((flag = take_word(parser, prefixes, TAKT_COUNT_OF(prefixes))) != 0) {
		/* Prefixes are one of lock, rep and repne, and then {evex}. */
		if (flag == TAKT_FORM_EVEX ? parser->form.flags & flag : parser->form.flags)
			return fail(parser, parser->next, "misplaced prefix before this");
		parser->form.flags |= flag;
	}
	size_bytes = word_size(parser);
	if (size_bytes == 0)
		return fail(parser, parser->next, "mnemonic expected");
	parser->form.mnemonic = parser->isa->functions->mnemonic_parse(parser->next, size_bytes);
	if (parser->form.mnemonic == 0)
		return fail(parser, parser->next, "unknown mnemonic");
	parser->next += size_bytes;
	skip_blanks(parser);
	return true;
}

/* Cut "{z}" and "{k}" off the end of the first operand's word; return the remaining size. */
static size_t parse_mask(struct parser *parser, size_t size_bytes)
{
	static const struct form_word masks[] = {
		{"{k}{z}", TAKT_FORM_K | TAKT_FORM_Z},
		{"{k}", TAKT_FORM_K},
	};

	for (size_t index = 0; index < TAKT_COUNT_OF(masks); index++) {
		size_t mask_bytes = strlen(masks[index].text);

		if (size_bytes > mask_bytes && memcmp(parser->next + size_bytes - mask_bytes,
						      masks[index].text, mask_bytes) == 0) {
			parser->form.flags |= masks[index].flag;
			return size_bytes - mask_bytes;
		}
	}
	return size_bytes;
}

static bool parse_operands(struct parser *parser)
{
	unsigned count = 0;
	bool comma = false;

	/* "[b+i]" is an operand, "[same]" a qualifier: a word that is no suffix is an operand. */
	while (parser->next < parser->end) {
		const char *start = parser->next;
		uint16_t flag = take_word(parser, suffixes, TAKT_COUNT_OF(suffixes));
		size_t size_bytes, kind_bytes;
		enum takt_operand_kind kind;

		parser->next = start;
		if (flag || (count > 0 && !comma))
			break;
		size_bytes = operand_size(parser);
		kind_bytes = count == 0 ? parse_mask(parser, size_bytes) : size_bytes;
		kind = kind_of_text(parser->isa, parser->next, kind_bytes);
		if (kind == TAKT_KIND_NONE)
			return fail(parser, start, "unknown operand kind");
		if (count == TAKT_FORM_OPERANDS_MAX)
			return fail(parser, start, "more than five operands");
		parser->form.kinds[count++] = (uint8_t)kind;
		parser->next += size_bytes;
		skip_blanks(parser);
		comma = parser->next < parser->end && *parser->next == ',';
		if (comma) {
			parser->next++;
			skip_blanks(parser);
		}
	}
	return comma ? fail(parser, parser->next, "operand expected after the comma") : true;
}

static bool parse_suffixes(struct parser *parser)
{
	while (parser->next < parser->end) {
		const char *start = parser->next;
		uint16_t flag = take_word(parser, suffixes, TAKT_COUNT_OF(suffixes));

		if (flag == 0)
			return fail(parser, start, "unexpected text after the form");
		if (parser->form.flags & flag)
			return fail(parser, start, "repeated");
		parser->form.flags |= flag;
	}
	return true;
}

takt_form_key takt_form_parse(const struct takt_isa *isa, const char *text, size_t size_bytes,
			      size_t *ret_error_index, const char **ret_error)
{
	struct parser parser = {.isa = isa,
				.next = text,
				.end = text + size_bytes,
				.form.is_foreign = isa != &takt_isa_x86};

	if (isa->llvm) {
		*ret_error_index = 0;
		*ret_error = "forms of this instruction set are known to LLVM alone";
		return 0;
	}
	if (!parse_mnemonic(&parser) || !parse_operands(&parser) || !parse_suffixes(&parser)) {
		assert(parser.error != NULL);
		*ret_error_index = (size_t)(parser.next - text);
		*ret_error = parser.error;
		return 0;
	}
	return takt_form_pack(&parser.form);
}
