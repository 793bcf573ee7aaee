/* SPDX-License-Identifier: MIT */
/*
 * Reads listings that Microsoft's compiler writes for its own assembler (/FA): procedures between
 * PROC and ENDP, comments after semicolons, names with any of "?@$", numbers such as 0ffH, and
 * global data without "[rip]"; with /FAc, also offsets and bytes in front of instructions.
 * Everything outside of procedures is data and is left out, except
 * for constants ("n$ = 8"), which are offsets in the frame.
 */
#include <string.h>

#include "input/listing.h"
#include "input/token.h"

static size_t code_size(const char *line)
{
	return takt_trimmed_size(line, strcspn(line, "\n;"));
}

/* Split "NAME PROC": the last word of the line is the directive. */
static bool ends_in_word(const char *line, size_t size, const char *word, size_t *ret_name_size)
{
	size_t word_size = strlen(word), end = size - word_size;

	if (size <= word_size || memcmp(line + end, word, word_size) != 0 ||
	    !takt_is_blank(line[end - 1]))
		return false;
	while (end && takt_is_blank(line[end - 1]))
		end--;
	*ret_name_size = end;
	return end > 0;
}

static bool is_listing(const struct takt_source *source)
{
	bool begins = false;
	size_t name;

	for (uint32_t i = 0; i < source->line_count; i++) {
		size_t size = code_size(source->lines[i]);

		if (ends_in_word(source->lines[i], size, "PROC", &name))
			begins = true;
		else if (begins && ends_in_word(source->lines[i], size, "ENDP", &name))
			return true;
	}
	return false;
}

/* ---- columns of /FAc ------------------------------------------------------------------- */

#define OFFSET_DIGITS_MIN 5u
#define OFFSET_DIGITS_MAX 8u

static size_t skip_blanks(const char *line, size_t size, size_t at)
{
	while (at < size && takt_is_blank(line[at]))
		at++;
	return at;
}

static size_t hex_digits(const char *line, size_t size, size_t at)
{
	size_t digits = 0;

	while (at + digits < size && strchr("0123456789abcdef", line[at + digits]))
		digits++;
	return digits;
}

/* Return the offset after pairs of digits and the blanks after them. */
static size_t skip_bytes(const char *line, size_t size, size_t at)
{
	while (hex_digits(line, size, at) == 2 && (at + 2 == size || takt_is_blank(line[at + 2])))
		at = skip_blanks(line, size, at + 2);
	return at;
}

/*
 * Return the offset after "  00010  f2 0f 58 04 c1", which /FAc prints in front of an instruction;
 * 0: there is nothing of that. Long instructions have further bytes in the next line, before their
 * text: *is_cut is true before such a line, and is set for the next one.
 */
static size_t skip_code(const char *line, size_t size, bool *is_cut)
{
	size_t at = skip_blanks(line, size, 0), digits = hex_digits(line, size, at), end;
	bool goes_on = *is_cut;

	*is_cut = false;
	if (!at)
		return 0;
	if (digits >= OFFSET_DIGITS_MIN && digits <= OFFSET_DIGITS_MAX && at + digits < size &&
	    takt_is_blank(line[at + digits])) {
		at = skip_blanks(line, size, at + digits);
		goes_on = true;
	}
	end = goes_on ? skip_bytes(line, size, at) : at;
	if (!goes_on || end == at)
		return 0;
	*is_cut = end == size;
	return *is_cut ? end : end - 1; /* a blank remains, as in front of any instruction */
}

/* ---- words ------------------------------------------------------------------------------ */

static bool is_name_char(char c)
{
	return (takt_is_name_char(c) && c != '-') || c == '@' || c == '?';
}

static bool is_hex_number(const char *word, size_t size)
{
	if (size < 2 || (word[size - 1] != 'H' && word[size - 1] != 'h') || word[0] < '0' ||
	    word[0] > '9')
		return false;
	return strspn(word, "0123456789abcdefABCDEF") == size - 1;
}

static bool is_word(const char *word, size_t size, const char *text)
{
	return takt_token_is((struct takt_token){word, size}, text);
}

/* Write a word of an operand; SHORT and FLAT: are no part of LLVM's language. */
static void write_word(const char *word, size_t size, struct takt_text *text)
{
	if (is_hex_number(word, size)) {
		takt_text_add_string(text, "0x");
		takt_text_add(text, word, size - 1);
	} else if (takt_is_digit(*word)) {
		takt_text_add(text, word, size);
	} else if (!is_word(word, size, "SHORT")) {
		if (*word == '$')
			takt_text_add_string(text, ".L"); /* a label that the compiler made */
		takt_plain_name_write(word, size, text);
	}
}

/* Write words as they are, but for names and numbers that LLVM does not know. */
static void write_words(const char *line, size_t size, struct takt_text *text)
{
	for (size_t i = 0, end; i < size; i = end) {
		end = i + 1;
		if (!is_name_char(line[i])) {
			takt_text_add(text, line + i, 1);
			continue;
		}
		while (end < size && is_name_char(line[end]))
			end++;
		if (is_word(line + i, end - i, "FLAT") && end < size && line[end] == ':')
			end++;
		else
			write_word(line + i, end - i, text);
	}
}

/* True for "QWORD PTR name", which means an address relative to the next instruction. */
static bool is_global_operand(const char *operand, size_t size)
{
	const char *hit = memmem(operand, size, " PTR ", 5);
	const char *name = hit ? hit + 5 : NULL;
	size_t left = hit ? size - (size_t)(name - operand) : 0;

	return left && is_name_char(*name) && !takt_is_digit(*name) && !memchr(name, '[', left) &&
	       !memchr(name, ':', left);
}

/* Write "lea rcx, OFFSET FLAT:name", of which LLVM knows the address only as memory. */
static bool write_address(const char *operand, size_t size, struct takt_text *text)
{
	static const char flat[] = "OFFSET FLAT:";
	const char *hit = memmem(operand, size, flat, strlen(flat));

	if (!hit)
		return false;
	hit += strlen(flat);
	takt_text_add_string(text, " [rip+");
	write_words(hit, size - (size_t)(hit - operand), text);
	takt_text_add_string(text, "]");
	return true;
}

static void write_operand(const char *operand, size_t size, bool is_lea, struct takt_text *text)
{
	if (is_lea && write_address(operand, size, text))
		return;
	write_words(operand, size, text);
	if (is_global_operand(operand, size))
		takt_text_add_string(text, "[rip]");
}

static void write_insn(const char *line, size_t size, struct takt_text *text)
{
	size_t begin = 0, end;
	const char *rest = line;
	size_t left = size;
	struct takt_token mnemonic = takt_token_next(&rest, &left);

	if (takt_token_is(mnemonic, "npad")) {
		takt_text_add_string(text, ".nops");
		takt_text_add(text, rest, left);
		return;
	}
	for (; begin < size; begin = end) {
		const char *comma = memchr(line + begin, ',', size - begin);

		end = comma ? (size_t)(comma - line) : size;
		write_operand(line + begin, end - begin, takt_token_is(mnemonic, "lea"), text);
		if (comma)
			takt_text_add(text, line + end++, 1);
	}
}

/* Write a line within a procedure: a label, or an instruction. */
static void write_line(const char *line, size_t size, struct takt_text *text)
{
	if (!size)
		return;
	if (line[size - 1] == ':') {
		write_words(line, size - 1, text);
		takt_text_add_string(text, ":");
	} else if (takt_is_blank(*line)) {
		write_insn(line, size, text);
	}
}

/* Write a constant, "name$ = 8"; false for other lines. */
static bool write_constant(const char *line, size_t size, struct takt_text *text)
{
	const char *equals = memmem(line, size, " = ", 3);

	if (!equals || !size || !is_name_char(*line))
		return false;
	write_words(line, size, text);
	return true;
}

bool takt_masm_read(struct takt_source *source, struct takt_arena *arena)
{
	bool inside = false, is_cut = false;
	struct takt_map labels;
	struct takt_text text = {0};

	if (!is_listing(source))
		return false;
	takt_labels_init(&labels);
	for (uint32_t i = 0; i < source->line_count; i++) {
		const char *line = source->lines[i];
		size_t size = code_size(line), name;

		if (takt_line_is_mark(line))
			continue;
		takt_text_clear(&text);
		if (ends_in_word(line, size, "PROC", &name)) {
			takt_quoted_label_write(&labels, line, name, &text);
			inside = true;
		} else if (ends_in_word(line, size, "ENDP", &name)) {
			inside = false;
		} else if (inside) {
			size_t code = skip_code(line, size, &is_cut);

			write_line(line + code, size - code, &text);
		} else {
			write_constant(line, size, &text);
		}
		source->lines[i] =
			takt_arena_copy(arena, takt_text_data(&text), takt_text_size_bytes(&text));
	}
	takt_text_release(&text);
	takt_map_release(&labels);
	return true;
}
