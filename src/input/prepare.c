/* SPDX-License-Identifier: MIT */
/*
 * Assembly text made fit for LLVM. Lines keep their numbers, so that what LLVM
 * reports can be shown at the user's own line.
 */
#include <string.h>
#include <strings.h>

#include "input/code.h"

struct word {
	const char *text;
	size_t size_bytes;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.' || c == '$' || c == '-';
}

/* The next word of a line that is not all blank; moves *line behind it. */
static struct word next_word(const char **line, size_t *size_bytes)
{
	struct word word;

	while (*size_bytes && is_blank(**line)) {
		++*line;
		--*size_bytes;
	}
	word.text = *line;
	while (*size_bytes && is_name_char(**line)) {
		++*line;
		--*size_bytes;
	}
	word.size_bytes = (size_t)(*line - word.text);
	return word;
}

static bool is_word(struct word word, const char *text)
{
	return word.size_bytes == strlen(text) &&
	       strncasecmp(word.text, text, word.size_bytes) == 0;
}

static bool starts_with(struct word word, const char *text)
{
	return word.size_bytes >= strlen(text) && memcmp(word.text, text, strlen(text)) == 0;
}

/* ---- comments that mark regions ----------------------------------------- */

struct keyword {
	const char *text;
	bool mca, begins;
};

static const struct keyword keywords[] = {
	{"OSACA-BEGIN", false, true},
	{"OSACA-END", false, false},
	{"LLVM-MCA-BEGIN", true, true},
	{"LLVM-MCA-END", true, false},
};

/* Where the comment begins whose text starts at `at`; false if it is none. */
static bool find_opening(const char *line, size_t at, size_t *ret_begin)
{
	while (at && is_blank(line[at - 1]))
		at--;
	if (at >= 2 &&
	    (memcmp(line + at - 2, "//", 2) == 0 || memcmp(line + at - 2, "/*", 2) == 0)) {
		*ret_begin = at - 2;
		return true;
	}
	if (!at || (line[at - 1] != '#' && line[at - 1] != ';'))
		return false;
	while (at && (line[at - 1] == '#' || line[at - 1] == ';'))
		at--;
	*ret_begin = at;
	return true;
}

struct found_comment {
	const struct keyword *keyword;
	size_t begin, at, end; /* of the comment, its keyword, and behind it */
	struct word name;
};

static void find_name(const char *line, size_t size_bytes, struct found_comment *found)
{
	size_t begin = found->at + strlen(found->keyword->text), end = size_bytes;
	const char *close = memmem(line + begin, end - begin, "*/", 2);

	found->end = size_bytes;
	if (line[found->begin] == '/' && line[found->begin + 1] == '*' && close) {
		end = (size_t)(close - line);
		found->end = end + 2;
	}
	while (begin < end && is_blank(line[begin]))
		begin++;
	while (end > begin && is_blank(line[end - 1]))
		end--;
	found->name = (struct word){line + begin, end - begin};
}

static bool find_comment(const char *line, size_t size_bytes, struct found_comment *ret_found)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(keywords); i++) {
		size_t length = strlen(keywords[i].text);
		const char *hit = memmem(line, size_bytes, keywords[i].text, length);
		struct found_comment found = {.keyword = &keywords[i]};

		if (!hit)
			continue;
		found.at = (size_t)(hit - line);
		if (found.at + length < size_bytes && is_name_char(hit[length]))
			continue;
		if (!find_opening(line, found.at, &found.begin))
			continue;
		find_name(line, size_bytes, &found);
		*ret_found = found;
		return true;
	}
	return false;
}

static void write_comment(struct takt_source *source, struct takt_arena *arena, uint32_t number,
			  const char *line, size_t size_bytes, const struct found_comment *found,
			  struct takt_text *text)
{
	size_t capacity = source->comment_count;

	if ((capacity & (capacity - 1)) == 0) /* full at powers of two */
		source->comments =
			takt_arena_grow(arena, source->comments, capacity,
					capacity ? 2 * capacity : 1, sizeof(*source->comments));
	source->comments[source->comment_count++] = (struct takt_comment){
		.keyword = found->keyword->text,
		.name = takt_arena_copy(arena, found->name.text, found->name.size_bytes),
		.line = number,
		.column = (uint32_t)found->at + 1,
		.mca = found->keyword->mca,
		.begins = found->keyword->begins,
	};
	takt_text_add(text, line, found->begin);
	takt_text_printf(text, ";" TAKT_COMMENT_LABEL "%zu:", source->comment_count);
	takt_text_add(text, line + found->end, size_bytes - found->end);
}

/* ---- directives that are left out ---------------------------------------- */

/* Lines say more about the text than its own debug information; frames say nothing. */
static bool is_dropped(struct word directive)
{
	return is_word(directive, ".loc") || is_word(directive, ".file") ||
	       starts_with(directive, ".cfi_") || starts_with(directive, ".cv_");
}

static bool changes_section(struct word directive)
{
	return is_word(directive, ".section") || is_word(directive, ".text") ||
	       is_word(directive, ".data") || is_word(directive, ".bss") ||
	       is_word(directive, ".pushsection");
}

static bool names_debug_section(struct word name)
{
	return starts_with(name, ".debug_") || starts_with(name, ".zdebug_") ||
	       starts_with(name, ".gnu.debuglto_");
}

/* True if the line is to be left out; keeps track of debug sections. */
static bool is_debug(const char *line, size_t size_bytes, bool *in_debug)
{
	struct word directive = next_word(&line, &size_bytes);

	if (!directive.size_bytes || *directive.text != '.')
		return *in_debug;
	if (*in_debug && (is_word(directive, ".previous") || is_word(directive, ".popsection"))) {
		*in_debug = false;
		return true;
	}
	if (changes_section(directive)) {
		if (size_bytes && is_blank(*line))
			*in_debug = names_debug_section(next_word(&line, &size_bytes));
		else
			*in_debug = false;
	}
	return *in_debug || is_dropped(directive);
}

/* ---- spellings ------------------------------------------------------------ */

static const char *const quads[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp",
				    "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
static const char *const doubles[] = {"eax",  "ebx",  "ecx",  "edx",  "esi",  "edi",
				      "ebp",  "esp",  "r8d",  "r9d",  "r10d", "r11d",
				      "r12d", "r13d", "r14d", "r15d", "dword"};

static bool is_one_of(struct word word, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_word(word, names[i]))
			return true;
	return false;
}

/* GCC writes "movsx rax, ecx" for what others call movsxd. */
static bool is_movsxd(const char *line, size_t size_bytes, size_t *ret_mnemonic_end)
{
	const char *begin = line;

	if (!is_word(next_word(&line, &size_bytes), "movsx"))
		return false;
	*ret_mnemonic_end = (size_t)(line - begin);
	if (!is_one_of(next_word(&line, &size_bytes), quads, TAKT_COUNT_OF(quads)))
		return false;
	while (size_bytes && (is_blank(*line) || *line == ',')) {
		line++;
		size_bytes--;
	}
	return is_one_of(next_word(&line, &size_bytes), doubles, TAKT_COUNT_OF(doubles));
}

/* "call [QWORD PTR 16[rax]]", GCC again: the outer brackets are one pair too many. */
static bool is_bracketed_target(const char *line, size_t size_bytes, size_t *ret_open,
				size_t *ret_close)
{
	static const char opening[] = "[QWORD PTR ";
	const char *begin = line, *close = memrchr(line, ']', size_bytes);
	struct word mnemonic = next_word(&line, &size_bytes);

	if (is_word(mnemonic, "notrack"))
		mnemonic = next_word(&line, &size_bytes);
	if (!is_word(mnemonic, "call") && !is_word(mnemonic, "jmp"))
		return false;
	while (size_bytes && is_blank(*line)) {
		line++;
		size_bytes--;
	}
	if (size_bytes < strlen(opening) || memcmp(line, opening, strlen(opening)) != 0 || !close)
		return false;
	*ret_open = (size_t)(line - begin);
	*ret_close = (size_t)(close - begin);
	return true;
}

static void write_line(const char *line, size_t size_bytes, struct takt_text *text)
{
	static const char flat[] = "OFFSET FLAT:";
	const char *hit;
	size_t open, close;

	if (is_movsxd(line, size_bytes, &open)) {
		takt_text_add(text, line, open);
		takt_text_add_string(text, "d");
		takt_text_add(text, line + open, size_bytes - open);
	} else if (is_bracketed_target(line, size_bytes, &open, &close)) {
		takt_text_add(text, line, open);
		takt_text_add(text, line + open + 1, close - open - 1);
		takt_text_add(text, line + close + 1, size_bytes - close - 1);
	} else if ((hit = memmem(line, size_bytes, flat, strlen(flat)))) {
		open = (size_t)(hit - line) + strlen("OFFSET");
		close = (size_t)(hit - line) + strlen(flat);
		takt_text_add(text, line, open);
		takt_text_add_string(text, " ");
		takt_text_add(text, line + close, size_bytes - close);
	} else {
		takt_text_add(text, line, size_bytes);
	}
}

void takt_source_prepare(struct takt_source *source, struct takt_arena *arena,
			 struct takt_text *text)
{
	bool in_debug = false;

	for (uint32_t i = 0; i < source->line_count; i++) {
		const char *line = source->lines[i];
		size_t size = strcspn(line, "\n");
		struct found_comment comment;

		if (find_comment(line, size, &comment))
			write_comment(source, arena, i + 1, line, size, &comment, text);
		else if (!is_debug(line, size, &in_debug))
			write_line(line, size, text);
		takt_text_add_string(text, "\n");
	}
}

/* ---- which syntax --------------------------------------------------------- */

/* +1 for signs of AT&T syntax, -1 for signs of Intel. */
static int line_vote(const char *line, size_t size_bytes)
{
	struct word mnemonic = next_word(&line, &size_bytes), operand;
	const char *comment = memchr(line, '#', size_bytes);

	if (!mnemonic.size_bytes || *mnemonic.text == '.' ||
	    (size_bytes && (*line == ':' || *line == '=')))
		return 0;
	if (comment)
		size_bytes = (size_t)(comment - line);
	if (memchr(line, '%', size_bytes) || memchr(line, '$', size_bytes))
		return 1;
	if (memchr(line, '[', size_bytes))
		return -1;
	operand = next_word(&line, &size_bytes);
	return is_one_of(operand, quads, TAKT_COUNT_OF(quads)) ||
			       is_one_of(operand, doubles, TAKT_COUNT_OF(doubles)) ||
			       starts_with(operand, "xmm") || starts_with(operand, "ymm") ||
			       starts_with(operand, "zmm")
		       ? -1
		       : 0;
}

enum takt_syntax takt_source_guess(const struct takt_source *source)
{
	long votes = 0;

	for (uint32_t i = 0; i < source->line_count; i++) {
		const char *line = source->lines[i];
		size_t size = strcspn(line, "\n");
		const char *rest = line;
		size_t left = size;

		/* Assemblers start with AT&T and follow the directive from there. */
		if (is_word(next_word(&rest, &left), ".intel_syntax"))
			return TAKT_SYNTAX_ATT;
		votes += line_vote(line, size);
	}
	return votes < 0 ? TAKT_SYNTAX_INTEL : TAKT_SYNTAX_ATT;
}
