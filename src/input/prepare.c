/* SPDX-License-Identifier: MIT */
/*
 * Prepares assembly text for LLVM. Lines keep their numbers, so that LLVM's reports can be shown
 * at the user's own line.
 */
#include <string.h>

#include "input/listing.h"
#include "input/token.h"

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

/* Find the beginning of the comment whose text starts at `at`; false if it is no comment. */
static bool find_opening(const char *line, size_t at, size_t *ret_begin)
{
	while (at && takt_is_blank(line[at - 1]))
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
	const char *line;
	size_t size_bytes;	       /* of the line */
	const struct keyword *keyword; /* NULL: the comment makes a setting */
	size_t begin, end;	       /* offsets of the comment */
	struct takt_token word, name;  /* the keyword as the text has it, and the text after it */
};

static void find_name(const char *line, size_t size_bytes, struct found_comment *found)
{
	size_t begin = (size_t)(found->word.text - line) + found->word.size_bytes, end = size_bytes;
	const char *close = memmem(line + begin, end - begin, "*/", 2);

	found->end = size_bytes;
	if (line[found->begin] == '/' && line[found->begin + 1] == '*' && close) {
		end = (size_t)(close - line);
		found->end = end + 2;
	}
	while (begin < end && takt_is_blank(line[begin]))
		begin++;
	while (end > begin && takt_is_blank(line[end - 1]))
		end--;
	found->name = (struct takt_token){line + begin, end - begin};
}

/* Find a comment whose text begins with the keyword; more characters may follow the keyword. */
static bool find_keyword(const char *line, size_t size_bytes, const char *keyword,
			 struct found_comment *ret_found)
{
	const char *hit = memmem(line, size_bytes, keyword, strlen(keyword));

	if (!hit || !find_opening(line, (size_t)(hit - line), &ret_found->begin))
		return false;
	ret_found->word = (struct takt_token){hit, strlen(keyword)};
	return true;
}

static bool find_comment(const char *line, size_t size_bytes, struct found_comment *ret_found)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(keywords); i++) {
		struct found_comment found = {line, size_bytes, .keyword = &keywords[i]};
		const char *behind;

		if (!find_keyword(line, size_bytes, keywords[i].text, &found))
			continue;
		behind = found.word.text + found.word.size_bytes;
		if (behind < line + size_bytes && takt_is_name_char(*behind))
			continue;
		find_name(line, size_bytes, &found);
		*ret_found = found;
		return true;
	}
	return false;
}

/* Return the length of a word of a setting, such as "RISCV-LMUL" or "M2": up to a blank. */
static size_t word_length(const char *text, size_t size_bytes)
{
	size_t length = 0;

	while (length < size_bytes && !takt_is_blank(text[length]))
		length++;
	return length;
}

/* Find a setting such as LLVM-MCA-RISCV-LMUL M2; a name may follow. */
static bool find_setting(const char *line, size_t size_bytes, struct found_comment *ret_found)
{
	struct found_comment found = {line, size_bytes, .keyword = NULL};

	if (!find_keyword(line, size_bytes, TAKT_SETTING_KEYWORD, &found))
		return false;
	found.word.size_bytes =
		word_length(found.word.text, (size_t)(line + size_bytes - found.word.text));
	find_name(line, size_bytes, &found);
	found.name.size_bytes = word_length(found.name.text, found.name.size_bytes);
	*ret_found = found;
	return true;
}

static struct takt_comment *add_comment(struct takt_comment **comments, size_t *count,
					struct takt_arena *arena)
{
	if ((*count & (*count - 1)) == 0) /* the array is full at powers of two */
		*comments = takt_arena_grow(arena, *comments, *count, *count ? 2 * *count : 1,
					    sizeof(**comments));
	return &(*comments)[(*count)++];
}

static void write_comment(struct takt_source *source, struct takt_arena *arena, uint32_t number,
			  const struct found_comment *found, struct takt_text *text)
{
	const struct keyword *keyword = found->keyword;
	struct takt_comment *comment =
		keyword ? add_comment(&source->comments, &source->comment_count, arena)
			: add_comment(&source->settings, &source->setting_count, arena);

	*comment = (struct takt_comment){
		.keyword = takt_arena_copy(arena, found->word.text, found->word.size_bytes),
		.name = takt_arena_copy(arena, found->name.text, found->name.size_bytes),
		.line = number,
		.column = (uint32_t)(found->word.text - found->line) + 1,
		.mca = keyword && keyword->mca,
		.begins = keyword && keyword->begins,
	};
	takt_text_add(text, found->line, found->begin);
	takt_text_printf(
		text, ";" TAKT_COMMENT_LABEL "%zu:", source->comment_count + source->setting_count);
	takt_text_add(text, found->line + found->end, found->size_bytes - found->end);
}

/* ---- directives that are left out ---------------------------------------- */

/*
 * True for directives that are dropped: debug information, because the text's own lines are used
 * instead, and frame information, which is not needed.
 */
static bool is_dropped(struct takt_token directive)
{
	return takt_token_is(directive, ".loc") || takt_token_is(directive, ".file") ||
	       takt_token_starts(directive, ".cfi_") || takt_token_starts(directive, ".cv_");
}

static bool changes_section(struct takt_token directive)
{
	return takt_token_is(directive, ".section") || takt_token_is(directive, ".text") ||
	       takt_token_is(directive, ".data") || takt_token_is(directive, ".bss") ||
	       takt_token_is(directive, ".pushsection");
}

static bool names_debug_section(struct takt_token name)
{
	return takt_token_starts(name, "__DWARF") || takt_token_starts(name, ".debug$") ||
	       takt_token_starts(name, ".debug_") || takt_token_starts(name, ".zdebug_") ||
	       takt_token_starts(name, ".gnu.debuglto_");
}

/* True if the line must be left out. Keeps track of debug sections. */
static bool is_debug(const char *line, size_t size_bytes, bool *in_debug)
{
	struct takt_token directive = takt_token_next(&line, &size_bytes);

	if (!directive.size_bytes || *directive.text != '.')
		return *in_debug;
	if (*in_debug &&
	    (takt_token_is(directive, ".previous") || takt_token_is(directive, ".popsection"))) {
		*in_debug = false;
		return true;
	}
	if (changes_section(directive)) {
		if (size_bytes && takt_is_blank(*line))
			*in_debug = names_debug_section(takt_token_next(&line, &size_bytes));
		else
			*in_debug = false;
	}
	return *in_debug || is_dropped(directive);
}

/* ---- spellings ------------------------------------------------------------ */

#define FLAT_BYTES (sizeof("OFFSET FLAT:") - 1)

/* True for GCC's "movsx rax, ecx", which other assemblers call movsxd. */
static bool is_movsxd(const char *line, size_t size_bytes, size_t *ret_mnemonic_end)
{
	const char *begin = line;

	if (!takt_token_is(takt_token_next(&line, &size_bytes), "movsx"))
		return false;
	*ret_mnemonic_end = (size_t)(line - begin);
	if (!takt_token_is_quad(takt_token_next(&line, &size_bytes)))
		return false;
	while (size_bytes && (takt_is_blank(*line) || *line == ',')) {
		line++;
		size_bytes--;
	}
	return takt_token_is_double(takt_token_next(&line, &size_bytes));
}

/* True for GCC's "call [QWORD PTR 16[rax]]", of which LLVM does not know the outer brackets. */
static bool is_bracketed_target(const char *line, size_t size_bytes, size_t *ret_open,
				size_t *ret_close)
{
	static const char opening[] = "[QWORD PTR ";
	const char *begin = line, *close = memrchr(line, ']', size_bytes);
	struct takt_token mnemonic = takt_token_next(&line, &size_bytes);

	if (takt_token_is(mnemonic, "notrack"))
		mnemonic = takt_token_next(&line, &size_bytes);
	if (!takt_token_is(mnemonic, "call") && !takt_token_is(mnemonic, "jmp"))
		return false;
	while (size_bytes && takt_is_blank(*line)) {
		line++;
		size_bytes--;
	}
	if (size_bytes < strlen(opening) || memcmp(line, opening, strlen(opening)) != 0 || !close)
		return false;
	*ret_open = (size_t)(line - begin);
	*ret_close = (size_t)(close - begin);
	return true;
}

/* Find "OFFSET FLAT:", or ICC's "offset flat:". */
static const char *find_flat(const char *line, size_t size_bytes)
{
	const char *hit = memmem(line, size_bytes, "OFFSET FLAT:", FLAT_BYTES);

	return hit ? hit : memmem(line, size_bytes, "offset flat:", FLAT_BYTES);
}

static void write_x86_line(const char *line, size_t size_bytes, struct takt_text *text)
{
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
	} else if ((hit = find_flat(line, size_bytes))) {
		open = (size_t)(hit - line) + strlen("OFFSET");
		close = (size_t)(hit - line) + FLAT_BYTES;
		takt_text_add(text, line, open);
		takt_text_add_string(text, " ");
		takt_text_add(text, line + close, size_bytes - close);
	} else if (!takt_gnu_intel_write(line, size_bytes, text)) {
		takt_text_add(text, line, size_bytes);
	}
}

/* True for a comparison with zero that lacks the fraction LLVM wants: "fcmpe d0, #0". */
static bool is_zero_comparison(struct takt_token mnemonic, const char *rest, size_t size_bytes)
{
	const char *comma = memchr(rest, ',', size_bytes);
	size_t left;

	if (!comma || (!takt_token_is(mnemonic, "fcmp") && !takt_token_is(mnemonic, "fcmpe")))
		return false;
	left = (size_t)(rest + size_bytes - ++comma);
	while (left && takt_is_blank(comma[left - 1]))
		left--;
	for (; left && (takt_is_blank(*comma) || *comma == '#'); left--)
		comma++;
	return left == 1 && *comma == '0';
}

/*
 * Return the length of a whole vector's arrangement before an index, "2d" of "v1.2d[0]", up to its
 * letter. Groups of four bytes, as in "v1.4b[0]", are elements of their own.
 */
static size_t find_lanes(const char *text, size_t size_bytes)
{
	static const char letters[] = "bhsd";
	size_t digits = 0;
	unsigned lanes = 0;
	const char *letter;

	while (digits < size_bytes && digits < 2 && takt_is_digit(text[digits]))
		lanes = 10 * lanes + (unsigned)(text[digits++] - '0');
	if (!digits || digits + 1 >= size_bytes || text[digits + 1] != '[')
		return 0;
	letter = memchr(letters, text[digits] | 0x20, sizeof(letters) - 1);
	return letter && lanes << (letter - letters) >= 8 ? digits : 0;
}

/* Write a line of AArch64, with "v1.2d[0]" as "v1.d[0]" and comparisons with 0 as with 0.0. */
static void write_aarch64_line(const char *line, size_t size_bytes, struct takt_text *text)
{
	const char *rest = line;
	size_t left = size_bytes, begin = 0;
	struct takt_token mnemonic = takt_token_next(&rest, &left);

	for (size_t i = 0; i + 1 < size_bytes; i++) {
		size_t lanes = line[i] == '.' ? find_lanes(line + i + 1, size_bytes - i - 1) : 0;

		if (!lanes)
			continue;
		takt_text_add(text, line + begin, i + 1 - begin);
		begin = i + 1 + lanes;
	}
	takt_text_add(text, line + begin, size_bytes - begin);
	if (is_zero_comparison(mnemonic, rest, left))
		takt_text_add_string(text, ".0");
}

static size_t count_digits(const char *text, size_t size_bytes)
{
	size_t count = 0;

	while (count < size_bytes && takt_is_digit(text[count]))
		count++;
	return count;
}

/* Return the size of a version, "2p1", that ends a RISC-V extension's name; 0: there is none. */
static size_t version_size(const char *text, size_t size_bytes)
{
	size_t major = count_digits(text, size_bytes), size = major + 1, minor;

	if (!major || size >= size_bytes || text[major] != 'p')
		return 0;
	minor = count_digits(text + size, size_bytes - size);
	size += minor;
	return minor && size < size_bytes && (text[size] == '_' || text[size] == '"') ? size : 0;
}

/*
 * Write an attribute without the versions of a RISC-V set's extensions, "rv64i2p0_m2p0": each
 * compiler has those of its day, and LLVM refuses others than its own.
 */
static void write_attribute(const char *line, size_t size_bytes, struct takt_text *text)
{
	const char *set = memmem(line, size_bytes, "\"rv", 3);
	size_t at = set ? (size_t)(set - line) + sizeof("\"rv64") - 1 : size_bytes;

	at = at < size_bytes ? at : size_bytes;
	takt_text_add(text, line, at);
	while (at < size_bytes) {
		size_t version = version_size(line + at, size_bytes - at);

		if (!version)
			takt_text_add(text, line + at, 1);
		at += version ? version : 1;
	}
}

/* Write a line of other sets than x86-64, with ".inst", which LLVM would drop, as ".long". */
static void write_other_line(const char *line, size_t size_bytes, const struct takt_isa *isa,
			     struct takt_text *text)
{
	const char *rest = line;
	size_t left = size_bytes;
	struct takt_token directive = takt_token_next(&rest, &left);

	if (takt_token_is(directive, ".inst")) {
		takt_text_add_string(text, "\t.long");
		takt_text_add(text, rest, left);
	} else if (takt_token_is(directive, ".attribute")) {
		write_attribute(line, size_bytes, text);
	} else if (isa == &takt_isa_aarch64) {
		write_aarch64_line(line, size_bytes, text);
	} else {
		takt_text_add(text, line, size_bytes);
	}
}

/* Text being prepared. */
struct preparing {
	const struct takt_isa *isa;
	enum takt_object_format format;
	struct takt_map labels;
	struct takt_text names, translated; /* a line with other names; one as it is in ELF */
	struct takt_text *text;
};

/* Write a line with the names and spellings that LLVM takes. */
static void write_line(struct preparing *p, const char *line, size_t size_bytes)
{
	if (p->format != TAKT_OBJECT_ELF) {
		takt_text_clear(&p->translated);
		takt_object_format_write(p->format, p->isa, line, size_bytes, &p->translated);
		line = takt_text_data(&p->translated);
		size_bytes = p->translated.size_bytes;
	}
	takt_text_clear(&p->names);
	if (takt_foreign_names_write(&p->labels, line, size_bytes, &p->names)) {
		line = takt_text_data(&p->names);
		size_bytes = p->names.size_bytes;
	}
	if (p->isa == &takt_isa_x86)
		write_x86_line(line, size_bytes, p->text);
	else
		write_other_line(line, size_bytes, p->isa, p->text);
}

void takt_source_prepare(struct takt_source *source, const struct takt_isa *isa,
			 struct takt_arena *arena, struct takt_text *text)
{
	struct preparing p = {.isa = isa, .text = text};
	bool in_debug = false;

	if (!source->listed)
		p.format = takt_object_format_find(source, isa);
	source->is_macho |= p.format == TAKT_OBJECT_MACHO;
	takt_labels_init(&p.labels);
	for (uint32_t i = 0; i < source->line_count; i++) {
		const char *line = source->lines[i];
		size_t size = strcspn(line, "\n");
		struct found_comment comment;

		if (find_comment(line, size, &comment) ||
		    (isa->llvm && find_setting(line, size, &comment)))
			write_comment(source, arena, i + 1, &comment, text);
		else if (source->listed)
			takt_listing_write(source, i, &p.labels, text);
		else if (is_debug(line, size, &in_debug))
			; /* an empty line */
		else
			write_line(&p, line, size);
		takt_text_add_string(text, "\n");
	}
	takt_text_release(&p.names);
	takt_text_release(&p.translated);
	takt_map_release(&p.labels);
}
