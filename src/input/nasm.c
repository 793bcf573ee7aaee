/* SPDX-License-Identifier: MIT */
/*
 * Reads text in the syntax of NASM: "dword [rbx]" without PTR, "[rel name]", comments after
 * semicolons, and directives without a dot. Only what differs from LLVM's Intel syntax is written
 * anew. Data are left out; macros are for NASM itself, whose object files takt reads.
 */
#include <string.h>

#include "input/listing.h"
#include "input/token.h"

/* Sizes of memory operands, by NASM's names. */
static const struct {
	const char *nasm, *llvm;
} sizes[] = {
	{"byte", "byte"},     {"word", "word"},	    {"dword", "dword"},
	{"qword", "qword"},   {"tword", "tbyte"},   {"oword", "xmmword"},
	{"xword", "xmmword"}, {"yword", "ymmword"}, {"zword", "zmmword"},
};

/* Directives that say nothing about code. */
static const char *const silent[] = {"bits",   "cpu",	  "default", "extern",
				     "global", "section", "segment"};

/* Return true for definitions of data after the label: "dd 1", "times 8 dd 1". */
static bool is_data(const char *line, size_t left)
{
	static const char *const words[] = {"db", "dw",	  "dd",	  "dq",	  "dt",	  "do",	   "dy",
					    "dz", "resb", "resw", "resd", "resq", "incbin"};
	struct takt_token word = takt_token_next(&line, &left);

	if (takt_token_is(word, "times")) {
		takt_token_next(&line, &left);
		word = takt_token_next(&line, &left);
	}
	return takt_token_is_one_of(word, words, TAKT_COUNT_OF(words));
}

/* Return LLVM's name of a size in front of a memory operand; NULL: it is none. */
static const char *size_of(struct takt_token word, const char *rest, size_t left)
{
	while (left && takt_is_blank(*rest)) {
		rest++;
		left--;
	}
	if (!left || *rest != '[')
		return NULL;
	for (size_t i = 0; i < TAKT_COUNT_OF(sizes); i++)
		if (takt_token_is(word, sizes[i].nasm))
			return sizes[i].llvm;
	return NULL;
}

/* Write the words of a line; return how many of them only NASM has. */
static unsigned write_words(const char *line, size_t left, struct takt_text *text)
{
	unsigned found = 0;

	while (left) {
		const char *begin = line;
		struct takt_token word = takt_token_next(&line, &left);
		const char *size = size_of(word, line, left);
		bool is_rel;

		takt_text_add(text, begin, (size_t)(word.text - begin));
		is_rel = takt_token_is(word, "rel") && text->size_bytes &&
			 text->data[text->size_bytes - 1] == '[';
		if (size)
			takt_text_printf(text, "%s ptr", size);
		else if (is_rel)
			takt_text_add_string(text, "rip +");
		else
			takt_text_add(text, word.text, word.size_bytes);
		found += size || is_rel;
		if (left && !takt_is_blank(*line)) {
			takt_text_add(text, line++, 1);
			left--;
		}
	}
	return found;
}

/* Return true if a line has what only NASM takes. */
static bool is_nasm(const char *line, struct takt_text *text)
{
	size_t left = strcspn(line, "\n;#"); /* other assemblers' comments say nothing */
	struct takt_token first;

	takt_text_clear(text);
	if (write_words(line, left, text))
		return true;
	first = takt_token_next(&line, &left);
	return takt_token_is(first, "default") &&
	       takt_token_is(takt_token_next(&line, &left), "rel");
}

static void write_line(const char *line, struct takt_text *text)
{
	size_t size = strcspn(line, "\n;"), left = size;
	const char *rest = line;
	struct takt_token first = takt_token_next(&rest, &left);
	bool is_label = left && *rest == ':';

	if (!is_label && takt_token_is_one_of(first, silent, TAKT_COUNT_OF(silent)))
		return;
	if (!is_label && takt_token_is(first, "align")) {
		takt_text_add_string(text, ".balign");
		takt_text_add(text, rest, left);
		return;
	}
	rest += is_label;
	left -= is_label;
	if (is_data(line, size) || is_data(rest, left))
		return;
	if (takt_token_is(takt_token_next(&rest, &left), "equ")) {
		takt_text_add(text, first.text, first.size_bytes);
		takt_text_add_string(text, " =");
		takt_text_add(text, rest, left);
	} else {
		write_words(line, size, text);
	}
}

bool takt_nasm_read(struct takt_source *source, struct takt_arena *arena)
{
	struct takt_text text = {0};
	uint32_t i = 0;

	while (i < source->line_count && !is_nasm(source->lines[i], &text))
		i++;
	for (uint32_t k = 0; i < source->line_count && k < source->line_count; k++) {
		if (takt_line_is_mark(source->lines[k]))
			continue;
		takt_text_clear(&text);
		write_line(source->lines[k], &text);
		source->lines[k] =
			takt_arena_copy(arena, takt_text_data(&text), takt_text_size_bytes(&text));
	}
	takt_text_release(&text);
	return i < source->line_count;
}
