/* SPDX-License-Identifier: MIT */
/*
 * Operands of AArch64 instructions from LLVM's text. Each becomes the text of its kind, with
 * numbers left out, which is then looked up; an operand of unknown kind has the kind "?".
 */
#include <stdlib.h>
#include <string.h>

#include "isa/aarch64.h"

#define KIND_TEXT_MAX 32

/* A part of the text. */
struct span {
	const char *begin, *end;
};

/* One operand, and the text of its kind as it is built. */
struct writer {
	struct takt_aarch64_operand *operand;
	char kind[KIND_TEXT_MAX];
	size_t size_bytes;
};

static void add(struct writer *writer, const char *text, size_t size_bytes)
{
	if (size_bytes > KIND_TEXT_MAX - writer->size_bytes)
		size_bytes = KIND_TEXT_MAX - writer->size_bytes; /* already longer than any kind */
	memcpy(writer->kind + writer->size_bytes, text, size_bytes);
	writer->size_bytes += size_bytes;
}

static void add_string(struct writer *writer, const char *text)
{
	add(writer, text, strlen(text));
}

static size_t span_size(struct span span)
{
	return (size_t)(span.end - span.begin);
}

static bool span_is(struct span span, const char *word)
{
	return span_size(span) == strlen(word) && memcmp(span.begin, word, span_size(span)) == 0;
}

static bool span_starts(struct span span, const char *start)
{
	return span_size(span) >= strlen(start) && memcmp(span.begin, start, strlen(start)) == 0;
}

static struct span trim(struct span span)
{
	while (span.begin < span.end && *span.begin == ' ')
		span.begin++;
	while (span.begin < span.end && span.end[-1] == ' ')
		span.end--;
	return span;
}

/* Take the text before the next comma outside of brackets; false at the end. */
static bool next_piece(struct span *rest, struct span *ret_piece)
{
	const char *end = rest->begin;
	int depth = 0;

	if (rest->begin >= rest->end)
		return false;
	for (; end < rest->end && (*end != ',' || depth > 0); end++)
		depth += (*end == '[' || *end == '{') - (*end == ']' || *end == '}');
	*ret_piece = trim((struct span){rest->begin, end});
	rest->begin = end < rest->end ? end + 1 : end;
	return true;
}

/* Return the number at the start of the span, and advance the span past it. */
static unsigned take_number(struct span *span)
{
	unsigned number = 0;

	while (span->begin < span->end && takt_is_digit(*span->begin) && number < 1000)
		number = number * 10 + (unsigned)(*span->begin++ - '0');
	return number;
}

/* ---- registers -------------------------------------------------------- */

struct reg {
	char letter;	  /* register class: w x b h s d q v z p n(pn) m(za) t(zt) */
	uint8_t location; /* TAKT_LOC_NONE for the zero register */
	uint8_t size_bytes, element_bytes;
	bool is_element, is_merging;
	struct span suffix; /* ".4s", "/m" */
	uint8_t index;	    /* location of the register in "[w12, 0]" */
};

static unsigned letter_bytes(char letter)
{
	switch (letter) {
	case 'b':
		return 1;
	case 'h':
	case 'p':
	case 'n':
		return 2;
	case 'w':
	case 's':
		return 4;
	case 'x':
	case 'd':
		return 8;
	default:
		return TAKT_AARCH64_VECTOR_BYTES;
	}
}

static uint8_t location_of(char letter, unsigned number)
{
	switch (letter) {
	case 'w':
	case 'x':
		return (uint8_t)(TAKT_LOC_GPR + number);
	case 'p':
	case 'n':
		return (uint8_t)(TAKT_LOC_MASK + number);
	case 'm':
		return TAKT_LOC_TILE;
	case 't':
		return TAKT_LOC_TILE + 1;
	default:
		return (uint8_t)(TAKT_LOC_VECTOR + number);
	}
}

static bool take_fixed_register(struct span *span, struct reg *reg)
{
	static const struct {
		char name[4], letter;
		uint8_t location;
	} fixed[] = {
		{"wzr", 'w', TAKT_LOC_NONE},
		{"xzr", 'x', TAKT_LOC_NONE},
		{"wsp", 'w', TAKT_AARCH64_SP},
		{"sp", 'x', TAKT_AARCH64_SP},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(fixed); i++) {
		if (span_is(*span, fixed[i].name)) {
			reg->letter = fixed[i].letter;
			reg->location = fixed[i].location;
			span->begin = span->end;
			return true;
		}
	}
	return false;
}

static bool take_numbered_register(struct span *span, struct reg *reg)
{
	char letter = *span->begin;
	unsigned number;

	if (span_starts(*span, "za") || span_starts(*span, "zt")) {
		reg->letter = letter = span->begin[1] == 'a' ? 'm' : 't';
		span->begin += 2;
		take_number(span);
		if (span->begin < span->end && (*span->begin == 'h' || *span->begin == 'v'))
			span->begin++; /* horizontal or vertical slice */
		reg->location = location_of(letter, 0);
		return true;
	}
	if (!strchr("wxbhsdqvzp", letter))
		return false;
	span->begin++;
	if (letter == 'p' && span->begin < span->end && *span->begin == 'n') {
		letter = 'n';
		span->begin++;
	}
	if (span->begin == span->end || !takt_is_digit(*span->begin))
		return false;
	number = take_number(span);
	if (number > (location_of(letter, 0) == TAKT_LOC_MASK ? 15u : 31u))
		return false;
	reg->letter = letter;
	reg->location = location_of(letter, number);
	return true;
}

/* Take an arrangement such as ".4s", which determines the sizes. */
static bool take_arrangement(struct span *span, struct reg *reg)
{
	unsigned count;

	if (span->begin == span->end || *span->begin != '.')
		return true;
	span->begin++;
	count = take_number(span);
	if (span->begin == span->end || !strchr("bhsdq", *span->begin))
		return false;
	reg->element_bytes = (uint8_t)letter_bytes(*span->begin++);
	if (reg->letter == 'v')
		reg->size_bytes = (uint8_t)(reg->element_bytes * (count ? count : 1));
	return true;
}

static void parse_register(struct span span, struct reg *ret_reg);

/* Take an element index such as "[1]" or "[w12, 0]". */
static bool take_element(struct span *span, struct reg *reg)
{
	struct span inside = {span->begin + 1, span->end - 1}, piece;

	if (span->begin == span->end || *span->begin != '[')
		return true;
	if (span_size(*span) < 2 || span->end[-1] != ']')
		return false;
	reg->is_element = true;
	if (next_piece(&inside, &piece)) {
		struct reg index;

		parse_register(piece, &index);
		reg->index = index.location;
	}
	span->begin = span->end;
	return true;
}

/* Parse a register; its letter is 0 if the span is no register. */
static void parse_register(struct span span, struct reg *ret_reg)
{
	struct reg reg = {0};

	*ret_reg = reg;
	if (span.begin == span.end)
		return;
	if (!take_fixed_register(&span, &reg) && !take_numbered_register(&span, &reg))
		return;
	reg.size_bytes = (uint8_t)letter_bytes(reg.letter);
	reg.suffix.begin = span.begin;
	if (!take_arrangement(&span, &reg))
		return;
	if (span_starts(span, "/m") || span_starts(span, "/z")) {
		reg.is_merging = span.begin[1] == 'm';
		span.begin += 2;
	}
	reg.suffix.end = span.begin;
	if (!take_element(&span, &reg) || span.begin != span.end)
		return;
	*ret_reg = reg;
}

static void add_register(struct writer *writer, const struct reg *reg)
{
	static const char *const names[] = {['n'] = "pn", ['m'] = "za", ['t'] = "zt"};
	struct span suffix = reg->suffix;

	if ((size_t)reg->letter < TAKT_COUNT_OF(names) && names[(size_t)reg->letter])
		add_string(writer, names[(size_t)reg->letter]);
	else
		add(writer, &reg->letter, 1);
	if (reg->letter != 'p' || !reg->is_element)
		add(writer, suffix.begin, span_size(suffix));
	if (reg->is_element)
		add_string(writer, "[]");
}

static void note_location(struct takt_aarch64_operand *operand, unsigned location)
{
	if (location != TAKT_LOC_NONE)
		operand->registers.words[location / 64] |= UINT64_C(1) << location % 64;
}

static void note_register(struct takt_aarch64_operand *operand, const struct reg *reg)
{
	operand->count++;
	operand->size_bytes = reg->size_bytes;
	operand->element_bytes = reg->element_bytes;
	operand->is_element |= reg->is_element;
	operand->is_merging |= reg->is_merging;
	operand->is_zero |= reg->location == TAKT_LOC_NONE;
	note_location(operand, reg->location);
	note_location(operand, reg->index);
}

/* ---- operands --------------------------------------------------------- */

static bool is_condition(struct span span)
{
	static const char conditions[] = "eq ne hs lo mi pl vs vc hi ls ge lt gt le al nv ";

	if (span_size(span) != 2)
		return false;
	for (const char *next = conditions; *next; next += 3)
		if (memcmp(next, span.begin, 2) == 0)
			return true;
	return false;
}

static void read_number(struct writer *writer, struct span span)
{
	writer->operand->has_immediate = true;
	/* For fractions it only matters whether they are zero. */
	writer->operand->immediate = (int64_t)strtoll(span.begin, NULL, 0);
	for (const char *next = span.begin; next < span.end; next++)
		if (*next == '.' && takt_strtod(span.begin, NULL) != 0)
			writer->operand->immediate |= 1;
	add_string(writer, "i");
}

/* Read an operand that is neither a list nor an address. */
static void read_atom(struct writer *writer, struct span span, struct reg *ret_reg)
{
	*ret_reg = (struct reg){0};
	if (span_starts(span, "#")) {
		read_number(writer, (struct span){span.begin + 1, span.end});
		return;
	}
	if (span_starts(span, "0x")) {
		writer->operand->is_label = true;
		writer->operand->immediate = (int64_t)strtoull(span.begin, NULL, 16);
		add_string(writer, "label");
		return;
	}
	parse_register(span, ret_reg);
	if (ret_reg->letter)
		add_register(writer, ret_reg);
	else
		add_string(writer, is_condition(span) ? "cond" : "op");
}

/* Add a modifier such as "lsl #3", "uxtw" or "mul vl" to the operand; false if it is none. */
static bool read_modifier(struct writer *writer, struct span span)
{
	static const struct {
		char word[5];
		uint8_t modifier; /* enum takt_aarch64_modifier */
	} words[] = {
		{"lsl", TAKT_AARCH64_LSL},
		{"lsr", TAKT_AARCH64_SHIFT},
		{"asr", TAKT_AARCH64_SHIFT},
		{"ror", TAKT_AARCH64_SHIFT},
		{"msl", TAKT_AARCH64_SHIFT},
		{"uxtb", TAKT_AARCH64_ZERO_EXTEND},
		{"uxth", TAKT_AARCH64_ZERO_EXTEND},
		{"uxtw", TAKT_AARCH64_ZERO_EXTEND},
		{"uxtx", TAKT_AARCH64_ZERO_EXTEND},
		{"sxtb", TAKT_AARCH64_SIGNED_EXTEND},
		{"sxth", TAKT_AARCH64_SIGNED_EXTEND},
		{"sxtw", TAKT_AARCH64_SIGNED_EXTEND},
		{"sxtx", TAKT_AARCH64_SIGNED_EXTEND},
		{"mul", TAKT_AARCH64_MULTIPLE},
	};
	struct span word = span, amount;

	if (span.begin == span.end || *span.begin < 'a') /* rejects most operands */
		return false;
	while (word.end > word.begin && word.end[-1] != ' ')
		word.end--;
	word = word.end == word.begin ? span : trim(word);
	amount = trim((struct span){word.end, span.end});
	for (size_t i = 0; i < TAKT_COUNT_OF(words); i++) {
		if (!span_is(word, words[i].word))
			continue;
		writer->operand->modifier = words[i].modifier;
		add_string(writer, " ");
		add_string(writer, words[i].word);
		if (span_is(amount, "vl")) {
			writer->operand->modifier = TAKT_AARCH64_VECTOR_LENGTHS;
			add_string(writer, " vl");
		} else if (span_starts(amount, "#")) {
			amount.begin++;
			writer->operand->amount = (uint8_t)take_number(&amount);
		}
		return true;
	}
	return false;
}

/* Read an address such as "[x0, w1, sxtw #2]!". */
static void read_address(struct writer *writer, struct span span)
{
	struct takt_aarch64_operand *operand = writer->operand;
	struct span inside = {span.begin + 1, span.end}, piece;
	unsigned count = 0;

	operand->is_address = true;
	if (inside.end > inside.begin && inside.end[-1] == '!') {
		operand->is_updated = true;
		inside.end--;
	}
	if (inside.end > inside.begin)
		inside.end--; /* drop the bracket */
	add_string(writer, "[");
	while (next_piece(&inside, &piece)) {
		struct reg reg;

		if (count > 0 && read_modifier(writer, piece))
			continue;
		add_string(writer, count ? ", " : "");
		read_atom(writer, piece, &reg);
		if (count++ == 0) {
			operand->base = reg.location;
		} else if (reg.letter) {
			operand->index = reg.location;
		}
	}
	add_string(writer, operand->is_updated ? "]!" : "]");
}

static void note_range(struct writer *writer, const struct reg *first, const struct reg *last)
{
	struct reg reg = *first;
	uint8_t start = location_of(first->letter, 0);
	unsigned registers = start == TAKT_LOC_MASK ? 16 : 32;

	while (reg.location != last->location && writer->operand->count < 4) {
		reg.location = (uint8_t)(start + (reg.location - start + 1u) % registers);
		note_register(writer->operand, &reg);
	}
}

/* Read the text between braces: "v0.4s, v1.4s" or "z0.d - z3.d". */
static void read_listed(struct writer *writer, struct span inside)
{
	struct span piece;
	struct reg reg, last;

	for (bool first = true; next_piece(&inside, &piece); first = false) {
		struct span dash = piece;

		while (dash.begin < dash.end && *dash.begin != '-')
			dash.begin++;
		parse_register(trim((struct span){piece.begin, dash.begin}), &reg);
		if (!reg.letter)
			return;
		if (first)
			add_register(writer, &reg);
		note_register(writer->operand, &reg);
		if (dash.begin == dash.end)
			continue;
		parse_register(trim((struct span){dash.begin + 1, dash.end}), &last);
		if (last.letter == reg.letter)
			note_range(writer, &reg, &last);
	}
}

/* Read a list such as "{ v0.b, v1.b }[2]"; the matrix is written without braces. */
static void read_list(struct writer *writer, struct span span)
{
	struct takt_aarch64_operand *operand = writer->operand;
	const char *close = memchr(span.begin, '}', span_size(span));
	struct span inside = trim((struct span){span.begin + 1, close ? close : span.end});
	bool is_matrix = span_starts(inside, "za") || span_starts(inside, "zt");
	char count[] = "*0";

	if (inside.begin == inside.end) {
		add_string(writer, "op");
		return;
	}
	add_string(writer, is_matrix ? "" : "{");
	read_listed(writer, inside);
	if (is_matrix)
		return;
	count[1] = (char)('0' + operand->count % 10);
	add_string(writer, operand->count > 1 ? count : "");
	add_string(writer, "}");
	if (span.end[-1] == ']') {
		operand->is_element = true;
		add_string(writer, "[]");
	}
}

static void read_operand(struct writer *writer, struct span span)
{
	bool is_updated = span.end[-1] == '!' && *span.begin != '[';
	struct reg reg;

	if (*span.begin == '[') {
		read_address(writer, span);
	} else if (*span.begin == '{') {
		read_list(writer, span);
	} else {
		span.end -= is_updated;
		read_atom(writer, span, &reg);
		if (reg.letter)
			note_register(writer->operand, &reg);
		add_string(writer, is_updated ? "!" : "");
	}
}

/* Read a post-index increment: ", #8" or ", x2". */
static void read_post_index(struct writer *writer, struct span span)
{
	struct reg reg;

	writer->operand->is_updated = true;
	add_string(writer, ", ");
	read_atom(writer, span, &reg);
	writer->operand->index = reg.location;
}

static bool ends_in_bracket(const struct writer *writer)
{
	return writer->size_bytes > 0 && writer->kind[writer->size_bytes - 1] == ']';
}

static void finish(struct writer *writer)
{
	unsigned kind = takt_kind_parse(writer->kind, writer->size_bytes);

	writer->operand->kind = (uint8_t)(kind ? kind : takt_kind_parse("?", 1));
}

void takt_aarch64_read_text(struct takt_aarch64 *a64)
{
	const char *text = a64->llvm->text;
	size_t name_bytes = strcspn(text, " ");
	struct span rest = {text + name_bytes, text + strlen(text)}, piece;
	const char *comment = strstr(text, " //");
	struct writer writer = {0};

	rest.end = comment ? comment : rest.end;
	a64->mnemonic = takt_aarch64_mnemonic_parse(text, name_bytes);
	if (!a64->mnemonic)
		a64->mnemonic = takt_aarch64_mnemonic_parse("?", 1);
	a64->name = takt_aarch64_mnemonic_text(a64->mnemonic);
	a64->operand_count = 0;
	while (next_piece(&rest, &piece)) {
		if (piece.begin == piece.end)
			continue;
		if (writer.operand && read_modifier(&writer, piece))
			continue;
		if (writer.operand && writer.operand->is_address && ends_in_bracket(&writer)) {
			read_post_index(&writer, piece);
			continue;
		}
		if (a64->operand_count == TAKT_AARCH64_OPERANDS_MAX)
			break;
		if (writer.operand)
			finish(&writer);
		writer = (struct writer){.operand = &a64->operands[a64->operand_count++]};
		*writer.operand = (struct takt_aarch64_operand){0};
		read_operand(&writer, piece);
	}
	if (writer.operand)
		finish(&writer);
}
