/* SPDX-License-Identifier: MIT */
/* Guesses the syntax and the instruction set of text by a vote of its lines. */
#include <string.h>

#include "input/code.h"
#include "input/token.h"

/* Split a line into its mnemonic and the rest; false for labels, directives and empty lines. */
static bool split_line(const char **line, size_t *size_bytes, struct takt_token *ret_mnemonic)
{
	*ret_mnemonic = takt_token_next(line, size_bytes);
	return ret_mnemonic->size_bytes && *ret_mnemonic->text != '.' &&
	       !(*size_bytes && (**line == ':' || **line == '='));
}

/* ---- AT&T or Intel --------------------------------------------------------------- */

static bool is_x86_register(struct takt_token word)
{
	return takt_token_is_quad(word) || takt_token_is_double(word) ||
	       takt_token_starts(word, "xmm") || takt_token_starts(word, "ymm") ||
	       takt_token_starts(word, "zmm");
}

/* Return +1 for signs of AT&T syntax, -1 for signs of Intel syntax. */
static int syntax_vote(const char *line, size_t size_bytes)
{
	const char *comment;
	struct takt_token mnemonic;

	if (!split_line(&line, &size_bytes, &mnemonic))
		return 0;
	comment = memchr(line, '#', size_bytes);
	if (comment)
		size_bytes = (size_t)(comment - line);
	if (memchr(line, '%', size_bytes) || memchr(line, '$', size_bytes))
		return 1;
	if (memchr(line, '[', size_bytes))
		return -1;
	return is_x86_register(takt_token_next(&line, &size_bytes)) ? -1 : 0;
}

bool takt_source_says_syntax(const struct takt_source *source)
{
	for (uint32_t i = 0; i < source->line_count; i++) {
		const char *line = source->lines[i];
		size_t size = strcspn(line, "\n");
		struct takt_token word = takt_token_next(&line, &size);

		if (takt_token_is(word, ".intel_syntax") || takt_token_is(word, ".att_syntax"))
			return true;
	}
	return false;
}

enum takt_syntax takt_source_guess_syntax(const struct takt_source *source)
{
	long votes = 0;

	for (uint32_t i = 0; i < source->line_count; i++) {
		const char *line = source->lines[i];
		size_t size = strcspn(line, "\n");
		const char *rest = line;
		size_t left = size;

		/* Assemblers begin with AT&T syntax and change it at this directive. */
		if (takt_token_is(takt_token_next(&rest, &left), ".intel_syntax"))
			return TAKT_SYNTAX_ATT;
		votes += syntax_vote(line, size);
	}
	return votes < 0 ? TAKT_SYNTAX_INTEL : TAKT_SYNTAX_ATT;
}

/* ---- x86-64 or AArch64 ------------------------------------------------------------- */

/* True for a letter and a number up to 31: "x0", "w30", "v7.2d", "d31", "z3.d", "p0". */
static bool is_aarch64_register(struct takt_token word)
{
	unsigned number = 0;
	size_t at = 1;

	if (word.size_bytes < 2 || !strchr("xwvqdshbzp", word.text[0] | 0x20))
		return false;
	for (; at < word.size_bytes && at < 3 && takt_is_digit(word.text[at]); at++)
		number = 10 * number + (unsigned)(word.text[at] - '0');
	return at > 1 && number < 32 && (at == word.size_bytes || word.text[at] == '.');
}

/* Return +1 for signs of AArch64, -1 for signs of x86-64. */
static int isa_vote(const char *line, size_t size_bytes)
{
	struct takt_token mnemonic, operand;

	if (!split_line(&line, &size_bytes, &mnemonic))
		return 0;
	if (memchr(line, '%', size_bytes))
		return -1;
	if (memchr(line, '(', size_bytes)) /* an address, but not of AArch64 */
		return 0;
	while (size_bytes && (takt_is_blank(*line) || *line == '{')) {
		line++;
		size_bytes--;
	}
	operand = takt_token_next(&line, &size_bytes);
	if (is_x86_register(operand))
		return -1;
	while (size_bytes && (takt_is_blank(*line) || *line == '}')) {
		line++;
		size_bytes--;
	}
	/* The comma excludes a name that a call or a jump leads to. */
	return is_aarch64_register(operand) && size_bytes && *line == ',';
}

const struct takt_isa *takt_source_guess_isa(const struct takt_source *source)
{
	long votes = 0;

	for (uint32_t i = 0; i < source->line_count; i++)
		votes += isa_vote(source->lines[i], strcspn(source->lines[i], "\n"));
	if (!votes)
		return NULL;
	return votes > 0 ? &takt_isa_aarch64 : &takt_isa_x86;
}

/* ---- RISC-V ---------------------------------------------------------------------------- */

/* True for names that registers of RISC-V alone have: "a0", "t6", "s11", "fa0", "zero", "ra". */
static bool is_riscv_register(struct takt_token word)
{
	bool is_float = word.size_bytes > 2 && word.text[0] == 'f';
	size_t at = is_float ? 2 : 1;

	if (takt_token_is(word, "zero") || takt_token_is(word, "ra"))
		return true;
	if (word.size_bytes < 2 || word.size_bytes > at + 2 || !strchr("ats", word.text[at - 1]))
		return false;
	for (; at < word.size_bytes; at++)
		if (word.text[at] < '0' || word.text[at] > '9')
			return false;
	return true;
}

bool takt_source_is_riscv(const struct takt_source *source)
{
	uint32_t hits = 0, insns = 0;

	for (uint32_t i = 0; i < source->line_count; i++) {
		const char *line = source->lines[i];
		size_t size = strcspn(line, "\n");
		struct takt_token mnemonic;

		if (!split_line(&line, &size, &mnemonic) || !size)
			continue;
		insns++;
		hits += is_riscv_register(takt_token_next(&line, &size)) && size && *line == ',';
	}
	return hits > 1 && 2 * hits > insns;
}

/* ---- assembly or other text -------------------------------------------------------- */

/* True if a line names a register of x86-64 or AArch64. */
static bool has_register(const char *line, size_t size_bytes)
{
	while (size_bytes) {
		struct takt_token word = takt_token_next(&line, &size_bytes);

		if (is_x86_register(word) || is_aarch64_register(word))
			return true;
		if (!size_bytes)
			return false;
		if (*line == '%' && size_bytes > 1 && line[1] >= 'a' && line[1] <= 'z')
			return true;
		line++;
		size_bytes--;
	}
	return false;
}

/* True if a line is a mnemonic and operands of a word each, as "addi a0, a0, 1". */
static bool has_operands(const char *line, size_t size_bytes)
{
	const char *end = line + size_bytes;
	struct takt_token mnemonic;
	unsigned commas = 0;

	if (!split_line(&line, &size_bytes, &mnemonic) || line == end || !takt_is_blank(*line))
		return false;
	for (;;) {
		const char *begin;

		while (line < end && takt_is_blank(*line))
			line++;
		for (begin = line; line < end && *line != ',' && !takt_is_blank(*line);)
			line++;
		if (line == begin)
			return false;
		while (line < end && takt_is_line_blank(*line))
			line++;
		if (line == end)
			return commas > 0;
		if (*line++ != ',')
			return false;
		commas++;
	}
}

bool takt_source_is_like_assembly(const struct takt_source *source)
{
	uint32_t lines = 0, like = 0;

	for (uint32_t i = 0; i < source->line_count; i++) {
		const char *line = source->lines[i];
		size_t size = strcspn(line, "\r\n");

		if (has_register(line, size))
			return true;
		lines += size > 0;
		like += has_operands(line, size);
	}
	return like && 2 * like >= lines;
}
