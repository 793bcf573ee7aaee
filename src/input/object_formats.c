/* SPDX-License-Identifier: MIT */
/*
 * Assembly text that compilers write for macOS (Mach-O) and Windows (COFF), as text for ELF, the
 * only object format that is assembled here. Directives of those formats are left out, but for
 * those that change the section: they become ".text" or ".data". Spellings of operands change.
 */
#include <string.h>

#include "input/listing.h"
#include "input/token.h"

/* ---- which format it is ------------------------------------------------------------------ */

/* Directives that only one format has. All are left out. */
static const char *const macho_directives[] = {
	".build_version",
	".subsections_via_symbols",
	".macosx_version_min",
	".ios_version_min",
	".tvos_version_min",
	".watchos_version_min",
	".zerofill",
	".tbss",
	".loh",
	".indirect_symbol",
	".data_region",
	".end_data_region",
	".weak_definition",
	".weak_def_can_be_hidden",
	".weak_reference",
	".private_extern",
	".no_dead_strip",
	".alt_entry",
	".linker_option",
	".desc",
};

static const char *const coff_directives[] = {
	".def",	   ".scl",     ".endef",  ".linkonce", ".secrel32",
	".secidx", ".safeseh", ".symidx", ".rva",      ".weak_anti_dep",
};

/* Sections of Mach-O that have directives of their own. */
static const char *const macho_sections[] = {
	".const",
	".const_data",
	".cstring",
	".literal4",
	".literal8",
	".literal16",
	".static_data",
	".static_const",
	".mod_init_func",
	".mod_term_func",
	".thread_init_func",
	".tdata",
	".tlv",
	".non_lazy_symbol_pointer",
	".lazy_symbol_pointer",
};

static void skip_to_word(const char **line, size_t *size_bytes)
{
	while (*size_bytes && (takt_is_blank(**line) || **line == '"')) {
		++*line;
		--*size_bytes;
	}
}

/* True for "__TEXT,__text" and the like behind ".section". */
static bool is_macho_section(const char *rest, size_t size_bytes)
{
	skip_to_word(&rest, &size_bytes);
	return size_bytes > 4 && memcmp(rest, "__", 2) == 0 && rest[2] >= 'A' && rest[2] <= 'Z' &&
	       memchr(rest, ',', size_bytes);
}

/* True for the flags of COFF behind a section's name, such as "dr": ELF has no 'd' and no 'r'. */
static bool has_coff_flags(const char *rest, size_t size_bytes)
{
	const char *flags = memmem(rest, size_bytes, ",\"", 2);

	if (!flags)
		return false;
	for (flags += 2; flags < rest + size_bytes && *flags != '"'; flags++)
		if (*flags == 'd' || *flags == 'r' || *flags == 'b' || *flags == 'y')
			return true;
	return false;
}

static enum takt_object_format line_format(const char *line, size_t size_bytes)
{
	struct takt_token word = takt_token_next(&line, &size_bytes);

	if (!word.size_bytes || *word.text != '.')
		return TAKT_OBJECT_ELF;
	if (takt_token_is_one_of(word, macho_directives, TAKT_COUNT_OF(macho_directives)))
		return TAKT_OBJECT_MACHO;
	if (takt_token_is_one_of(word, coff_directives, TAKT_COUNT_OF(coff_directives)) ||
	    takt_token_starts(word, ".seh_"))
		return TAKT_OBJECT_COFF;
	if (!takt_token_is(word, ".section"))
		return TAKT_OBJECT_ELF;
	if (is_macho_section(line, size_bytes))
		return TAKT_OBJECT_MACHO;
	return has_coff_flags(line, size_bytes) ? TAKT_OBJECT_COFF : TAKT_OBJECT_ELF;
}

/* True for what only Mach-O has in instructions and comments of AArch64, without directives. */
static bool is_macho_aarch64(const char *line, size_t size_bytes)
{
	static const char *const marks[] = {"@PAGE", "@GOTPAGE", "@TLVPPAGE", "; %bb.",
					    "; =>This "};

	for (size_t i = 0; i < TAKT_COUNT_OF(marks); i++)
		if (memmem(line, size_bytes, marks[i], strlen(marks[i])))
			return true;
	return false;
}

enum takt_object_format takt_object_format_find(const struct takt_source *source,
						const struct takt_isa *isa)
{
	for (uint32_t i = 0; i < source->line_count; i++) {
		const char *line = source->lines[i];
		size_t size = strcspn(line, "\n");
		enum takt_object_format format = line_format(line, size);

		if (format != TAKT_OBJECT_ELF)
			return format;
		if (isa == &takt_isa_aarch64 && is_macho_aarch64(line, size))
			return TAKT_OBJECT_MACHO;
	}
	return TAKT_OBJECT_ELF;
}

/* ---- directives -------------------------------------------------------------------------- */

static void write_section(bool is_code, struct takt_text *text)
{
	takt_text_add_string(text, is_code ? "\t.text" : "\t.data");
}

/* Code is in "__TEXT,__text", and in what is "pure_instructions". */
static bool is_macho_code(const char *rest, size_t size_bytes)
{
	return memmem(rest, size_bytes, ",__text", 7) ||
	       memmem(rest, size_bytes, "_instructions", 13);
}

/* Code is in ".text", ".text$f", and in what has the flag 'x'. */
static bool is_coff_code(const char *rest, size_t size_bytes)
{
	const char *flags = memmem(rest, size_bytes, ",\"", 2);

	skip_to_word(&rest, &size_bytes);
	if (size_bytes >= 5 && memcmp(rest, ".text", 5) == 0)
		return true;
	for (flags = flags ? flags + 2 : ""; *flags && *flags != '"' && *flags != '\n'; flags++)
		if (*flags == 'x')
			return true;
	return false;
}

/* Write a directive of Mach-O; false if it means the same in ELF. */
static bool write_macho_directive(struct takt_token word, const char *rest, size_t size_bytes,
				  struct takt_text *text)
{
	if (takt_token_is(word, ".section")) {
		write_section(is_macho_code(rest, size_bytes), text);
	} else if (takt_token_is_one_of(word, macho_sections, TAKT_COUNT_OF(macho_sections))) {
		write_section(false, text);
	} else if (takt_token_is(word, ".align")) { /* a power of two, not bytes */
		takt_text_add_string(text, "\t.p2align");
		takt_text_add(text, rest, size_bytes);
	} else {
		return takt_token_is_one_of(word, macho_directives,
					    TAKT_COUNT_OF(macho_directives)) ||
		       takt_token_is(word, ".comm") || takt_token_is(word, ".lcomm") ||
		       takt_token_is(word, ".lsym");
	}
	return true;
}

/* True if a symbol is named behind the flags: '.text,"xr",discard,f'. */
static bool has_comdat(const char *rest, size_t size_bytes)
{
	const char *quote = memrchr(rest, '"', size_bytes);

	return quote && memchr(quote, ',', (size_t)(rest + size_bytes - quote));
}

/* Code in a section of its own, as functions in headers are, stays so, since each has addresses. */
static void write_coff_section(const char *rest, size_t size_bytes, struct takt_text *text)
{
	bool is_code = is_coff_code(rest, size_bytes);
	struct takt_token word = takt_token_next(&rest, &size_bytes);

	if (!is_code || (takt_token_is(word, ".text") && !has_comdat(rest, size_bytes))) {
		write_section(is_code, text);
		return;
	}
	takt_text_add_string(text, "\t.section\t.text.");
	takt_plain_name_write(word.text, word.size_bytes, text);
	takt_plain_name_write(rest, takt_trimmed_size(rest, size_bytes), text);
	takt_text_add_string(text, ",\"ax\",@progbits");
}

/* Write a directive of COFF; false if it means the same in ELF. */
static bool write_coff_directive(struct takt_token word, const char *rest, size_t size_bytes,
				 struct takt_text *text)
{
	if (takt_token_is(word, ".section")) {
		write_coff_section(rest, size_bytes, text);
		return true;
	}
	if (takt_token_is(word, ".type")) /* "32;", not "f, @function" */
		return takt_is_digit(*takt_token_next(&rest, &size_bytes).text);
	if (takt_token_is(word, ".globl") || takt_token_is(word, ".set") ||
	    takt_token_is(word, ".weak")) { /* "@feat.00", a name that ELF cannot have */
		skip_to_word(&rest, &size_bytes);
		return size_bytes && *rest == '@';
	}
	return takt_token_is_one_of(word, coff_directives, TAKT_COUNT_OF(coff_directives)) ||
	       takt_token_starts(word, ".seh_") || takt_token_is(word, ".comm") ||
	       takt_token_is(word, ".lcomm");
}

/* ---- operands ---------------------------------------------------------------------------- */

/* A spelling behind a name ("x@PAGEOFF"), and the one that ELF has before or behind it. */
struct spelling {
	const char *text, *before, *behind;
};

/* Longer ones come first. */
static const struct spelling spellings[] = {
	{"@TLVPPAGEOFF", ":got_lo12:", ""},
	{"@TLVPPAGE", ":got:", ""},
	{"@GOTPAGEOFF", ":got_lo12:", ""},
	{"@GOTPAGE", ":got:", ""},
	{"@PAGEOFF", ":lo12:", ""},
	{"@PAGE", "", ""},
	{"@TLVP", "", "@GOTPCREL"},
	{"@SECREL32", "", "@TPOFF"},
	{"@IMGREL", "", ""},
};

/* Spellings before a name, and those of ELF. */
static const struct spelling modifiers[] = {
	{":secrel_hi12:", ":tprel_hi12:", ""},
	{":secrel_lo12:", ":tprel_lo12_nc:", ""},
};

static const struct spelling *find_spelling(const struct spelling *list, size_t count,
					    const char *at, const char *end)
{
	for (size_t i = 0; i < count; i++) {
		size_t size = strlen(list[i].text);

		if ((size_t)(end - at) >= size && memcmp(at, list[i].text, size) == 0)
			return &list[i];
	}
	return NULL;
}

/* Return the end of a name, or of anything else that is copied as it is, which begins at `at`. */
static const char *find_end(const char *at, const char *end)
{
	const char *quote;

	if (*at == '"') {
		quote = memchr(at + 1, '"', (size_t)(end - at - 1));
		return quote ? quote + 1 : end;
	}
	if (!takt_is_name_char(*at) || *at == '-')
		return at + 1;
	while (at < end && takt_is_name_char(*at) && *at != '-')
		at++;
	return at;
}

/* Write a line whose operands may have spellings of the format. */
static void write_operands(enum takt_object_format format, const char *at, const char *end,
			   struct takt_text *text)
{
	while (at < end) {
		const struct spelling *modifier =
			find_spelling(modifiers, TAKT_COUNT_OF(modifiers), at, end);
		const char *stop = modifier ? at + strlen(modifier->text) : find_end(at, end);
		const struct spelling *spelling =
			find_spelling(spellings, TAKT_COUNT_OF(spellings), stop, end);

		if (modifier) {
			takt_text_add_string(text, modifier->before);
			at = stop;
			continue;
		}
		takt_text_add_string(text, spelling ? spelling->before : "");
		/* Names of Mach-O that begin with L are local; those of ELF begin with ".L". */
		if (format == TAKT_OBJECT_MACHO && *at == 'L')
			takt_text_add_string(text, ".");
		/* Names of COFF may have '@', as "__real@3ff8000000000000" and "_f@8". */
		if (format == TAKT_OBJECT_COFF && *at == '@')
			takt_text_add_string(text, "_");
		else
			takt_text_add(text, at, (size_t)(stop - at));
		takt_text_add_string(text, spelling ? spelling->behind : "");
		at = spelling ? stop + strlen(spelling->text) : stop;
	}
}

/* Return the size of a line without the comment that begins with ';' in Mach-O on AArch64. */
static size_t size_without_comment(const char *line, size_t size_bytes)
{
	bool in_string = false;

	for (size_t i = 0; i < size_bytes; i++) {
		in_string ^= line[i] == '"';
		if (line[i] == ';' && !in_string)
			return i;
	}
	return size_bytes;
}

void takt_object_format_write(enum takt_object_format format, const struct takt_isa *isa,
			      const char *line, size_t size_bytes, struct takt_text *text)
{
	const char *rest = line;
	size_t left;
	struct takt_token word;

	if (format == TAKT_OBJECT_MACHO && isa == &takt_isa_aarch64)
		size_bytes = size_without_comment(line, size_bytes);
	left = size_bytes;
	word = takt_token_next(&rest, &left);
	if (format == TAKT_OBJECT_MACHO && write_macho_directive(word, rest, left, text))
		return;
	if (format == TAKT_OBJECT_COFF && write_coff_directive(word, rest, left, text))
		return;
	write_operands(format, line, line + size_bytes, text);
}
