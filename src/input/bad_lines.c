/* SPDX-License-Identifier: MIT */
/*
 * Lines of assembly text that do not assemble. They are left out, and a label stands at their
 * place, so that lines outside of the chosen code do not matter. Those inside are errors, unless
 * the caller ignores them: then a note names them.
 */
#include <stdlib.h>
#include <string.h>

#include "input/code.h"
#include "input/token.h"

#define REPORTED_MAX 10u
#define NAMED_MAX 4u
/* Fewest errors for which text may be refused as no assembly at all. */
#define GARBAGE_ERRORS_MIN 4u

static const char *line_end(const char *line)
{
	return line + strcspn(line, "\n");
}

/* ---- leaving lines out ------------------------------------------------------------- */

/* Skip the labels that a prepared line begins with. */
static const char *skip_labels(const char *line, const char *end)
{
	for (;;) {
		const char *at = line;

		while (at < end && (takt_is_blank(*at) || *at == ';'))
			at++;
		if (at < end && *at == '"') {
			const char *close = memchr(at + 1, '"', (size_t)(end - at - 1));

			at = close ? close + 1 : at;
		} else {
			while (at < end && (takt_is_name_char(*at) || *at == '@'))
				at++;
		}
		if (at == end || *at != ':')
			return line;
		line = at + 1;
	}
}

/* Return the column after the labels of a line that LLVM refused; 0 if it refused a label. */
static size_t statement_column(const char *line, uint32_t column)
{
	size_t labels = (size_t)(skip_labels(line, line_end(line)) - line);

	return column > labels ? labels + 1 : 0;
}

/* Write a line with a label instead of its statements. */
static void write_without(const char *line, uint32_t number, struct takt_text *text)
{
	const char *end = line_end(line), *behind = skip_labels(line, end);
	const char *comment = memmem(behind, (size_t)(end - behind), ";" TAKT_COMMENT_LABEL,
				     sizeof(";" TAKT_COMMENT_LABEL) - 1);

	takt_text_add(text, line, (size_t)(behind - line));
	takt_text_printf(text, ";" TAKT_COMMENT_LABEL "_bad%u:", number);
	if (comment)
		takt_text_add(text, comment, (size_t)(end - comment));
}

/* Find a known bad line; NULL if it is none. */
static const struct takt_bad_line *find_bad(const struct takt_code *code, uint32_t line)
{
	for (size_t i = 0; i < code->bad_count; i++)
		if (code->bad[i].line == line)
			return &code->bad[i];
	return NULL;
}

static void rewrite(const struct takt_code *code, struct takt_text *text)
{
	struct takt_text rest = {0};
	const char *line = takt_text_data(text);
	uint32_t number = 1;

	for (size_t next = 0; *line; number++) {
		const char *end = line_end(line);

		if (next < code->bad_count && code->bad[next].line == number) {
			write_without(line, number, &rest);
			next++;
		} else {
			takt_text_add(&rest, line, (size_t)(end - line));
		}
		takt_text_add_string(&rest, "\n");
		line = end + (*end == '\n');
	}
	takt_text_release(text);
	*text = rest;
}

static void insert(struct takt_code *code, struct takt_bad_line bad)
{
	size_t at = code->bad_count;

	code->bad = takt_arena_grow(&code->arena, code->bad, at, at + 1, sizeof(*code->bad));
	for (; at && code->bad[at - 1].line > bad.line; at--)
		code->bad[at] = code->bad[at - 1];
	code->bad[at] = bad;
	code->bad_count++;
}

/* Return the lines of the text by number; the last one is followed by the end. */
static const char *find_line(const char *text, uint32_t number)
{
	for (; number > 1 && *text; number--) {
		text = line_end(text);
		text += *text == '\n';
	}
	return text;
}

bool takt_bad_lines_leave_out(struct takt_code *code, const struct takt_bad_line *reports,
			      size_t count, struct takt_text *text)
{
	size_t before = code->bad_count;

	for (size_t i = 0; i < count; i++) {
		uint32_t number = reports[i].line;

		if (!number || number > code->source.line_count ||
		    !statement_column(find_line(takt_text_data(text), number), reports[i].column))
			return false;
		if (!find_bad(code, number))
			insert(code, reports[i]);
	}
	if (code->bad_count == before)
		return false;
	rewrite(code, text);
	return true;
}

/* ---- text that is no assembly ------------------------------------------------------------ */

static bool is_statement(const char *line)
{
	line += strspn(line, " \t\r");
	return *line && !strchr("\n#;/.", *line);
}

/* True if a line is one word, which may be a mnemonic that is misspelt or unknown. */
static bool is_word(const char *line)
{
	line += strspn(line, " \t");
	line += strcspn(line, " \t\r\n");
	return !line[strspn(line, " \t\r\n")];
}

/* True if a line has more than labels and comments. */
static bool has_statement(const char *line)
{
	return is_statement(skip_labels(line, line_end(line)));
}

/* True if no statement of the text assembles, and it is not like assembly. */
static bool is_foreign(const struct takt_code *code, const struct takt_bad_line *reports,
		       size_t count)
{
	const char *const *lines = code->source.lines;
	uint32_t bad = 0, statements = 0, last = 0;

	for (size_t i = 0; i < count; i++) {
		bad += reports[i].line > last && has_statement(lines[reports[i].line - 1]);
		last = reports[i].line > last ? reports[i].line : last;
	}
	for (uint32_t i = 0; i < code->source.line_count; i++)
		statements += has_statement(lines[i]);
	return bad >= statements && !takt_source_is_like_assembly(&code->source) &&
	       (bad > 1 || !is_word(lines[reports[0].line - 1]));
}

bool takt_bad_lines_refuse_garbage(const struct takt_code *code,
				   const struct takt_bad_line *reports, size_t count,
				   struct takt_diag *diag)
{
	uint32_t bad = 0, statements = 0, last = 0;

	for (size_t i = 0; i < count; i++) {
		bad += reports[i].line > last;
		last = reports[i].line > last ? reports[i].line : last;
	}
	if (!bad || !reports[0].line || last > code->source.line_count)
		return false;
	for (uint32_t i = 0; i < last; i++)
		statements += is_statement(code->source.lines[i]);
	if ((count < GARBAGE_ERRORS_MIN || 2 * bad <= statements) &&
	    !is_foreign(code, reports, count))
		return false;
	if (statements < bad)
		statements = bad;
	takt_error(diag,
		   "'%s' is not assembly text: %u of its %u %s up to line %u %s not assemble, "
		   "first line %u: %s",
		   code->image.file, bad, statements,
		   takt_noun(statements, "statement", "statements"), last,
		   takt_noun(bad, "does", "do"), reports[0].line, reports[0].message);
	return true;
}

/* ---- inside or outside of the chosen code ----------------------------------------------- */

static uint64_t section_address(const struct takt_region_entry *entry, size_t offset)
{
	const struct takt_piece *piece = NULL;

	for (uint32_t i = 0; i < entry->piece_count && entry->pieces[i].offset <= offset; i++)
		piece = &entry->pieces[i];
	return piece ? piece->address + (offset - piece->offset) : entry->region.address + offset;
}

static const struct takt_comment *comment_at(const struct takt_code *code, uint32_t line)
{
	for (size_t i = 0; i < code->source.comment_count; i++)
		if (code->source.comments[i].line == line)
			return &code->source.comments[i];
	return NULL;
}

static bool is_label(const char *line)
{
	return skip_labels(line, line_end(line)) != line;
}

/*
 * True if a label or the comment of a region's begin is between the code before and the line's
 * statements.
 */
static bool has_begin_before(const struct takt_code *code, uint32_t line)
{
	if (is_label(code->source.lines[line - 1]))
		return true;
	for (uint32_t i = line - 1; i > 0; i--) {
		const char *text = code->source.lines[i - 1];
		const struct takt_comment *comment = comment_at(code, i);

		if (comment || is_label(text))
			return !comment || comment->begins;
		if (is_statement(text) && !find_bad(code, i))
			return false;
	}
	return false;
}

/* Return the line of the last instruction before `end`, 0 if it is not known. */
static uint32_t last_line(const struct takt_code *code, const struct takt_region_entry *entry,
			  uint64_t end)
{
	const struct takt_assembled_insn *last = NULL;

	for (size_t i = 0; i < code->assembled.insn_count; i++) {
		const struct takt_assembled_insn *insn = &code->assembled.insns[i];

		if (insn->section == code->image.sections[entry->section].elf_index &&
		    insn->offset < end && (!last || insn->offset > last->offset))
			last = insn;
	}
	return last && last->line <= code->source.line_count ? last->line : 0;
}

/* True if the line begins with a label that is a word of `branch`. */
static bool is_target(const char *line, const char *branch)
{
	const char *end = line_end(branch), *label = line + strspn(line, " \t");
	size_t size = 0, word_size;

	while (takt_is_name_char(label[size]))
		size++;
	if (!size || label[size] != ':')
		return false;
	for (const char *word = branch; word < end; word += word_size + 1) {
		for (word_size = 0; takt_is_name_char(word[word_size]);)
			word_size++;
		if (word > branch && word_size == size && memcmp(word, label, size) == 0)
			return true;
	}
	return false;
}

/* True if the label that a loop's last branch goes to is between the line and the code after. */
static bool has_loop_behind(const struct takt_code *code, const struct takt_region_entry *entry,
			    uint32_t line, uint64_t end)
{
	uint32_t last = entry->region.origin == TAKT_REGION_LOOP ? last_line(code, entry, end) : 0;

	for (uint32_t i = line + 1; last && i <= code->source.line_count; i++) {
		const char *text = code->source.lines[i - 1];

		if (is_target(text, code->source.lines[last - 1]))
			return true;
		if (has_statement(text) && !find_bad(code, i))
			return false;
	}
	return false;
}

/* True if the comment of a region's end is between the line and the code after it. */
static bool has_end_behind(const struct takt_code *code, uint32_t line)
{
	for (uint32_t i = line + 1; i <= code->source.line_count; i++) {
		const struct takt_comment *comment = comment_at(code, i);

		if (comment)
			return !comment->begins;
		if (is_statement(code->source.lines[i - 1]) && !find_bad(code, i))
			return false;
	}
	return false;
}

/* True if a line that was left out belongs to the region. */
static bool contains(const struct takt_code *code, const struct takt_region_entry *entry,
		     uint32_t line)
{
	const struct takt_assembled_insn *label = takt_label_at(code, line);
	uint64_t begin = section_address(entry, 0);
	uint64_t end = section_address(entry, entry->region.size_bytes - 1) + 1;

	if (!label || code->image.sections[entry->section].elf_index != label->section ||
	    label->offset < begin || label->offset > end)
		return false;
	if (label->offset == begin)
		return entry->region.origin == TAKT_REGION_WHOLE ||
		       (has_begin_before(code, line) && !has_loop_behind(code, entry, line, end));
	if (label->offset == end)
		return entry->region.origin == TAKT_REGION_WHOLE ||
		       (entry->region.origin == TAKT_REGION_MARKER && has_end_behind(code, line));
	return true;
}

static bool is_inside(const struct takt_code *code, const struct takt_code_options *options,
		      uint32_t line)
{
	if (options->line_count)
		return takt_line_is_wanted(options, line);
	for (size_t i = 0; i < code->entry_count; i++)
		if (contains(code, &code->entries[i], line))
			return true;
	return false;
}

static void report(const struct takt_code *code, const struct takt_bad_line *bad,
		   struct takt_diag *diag)
{
	const char *text = code->source.lines[bad->line - 1];
	struct takt_place place = {
		.file = code->image.file,
		.line = bad->line,
		.column = bad->column,
		.width = bad->width,
		.excerpt = text,
	};

	takt_error_at(diag, &place, "%s", bad->message);
}

static void name_lines(const struct takt_code *code, const bool *inside, size_t count,
		       struct takt_text *text)
{
	size_t named = 0;

	for (size_t i = 0; i < code->bad_count && named < NAMED_MAX; i++) {
		const char *line = code->source.lines[code->bad[i].line - 1];

		if (!inside[i])
			continue;
		line += strspn(line, " \t");
		takt_text_printf(text, "%s%u '%.*s'", named++ ? ", " : "", code->bad[i].line,
				 (int)strcspn(line, "\r\n"), line);
	}
	if (named < count)
		takt_text_printf(text, " and %zu more", count - named);
}

/* Add a note on the lines inside that are ignored. */
static void note_ignored(const struct takt_code *code, const bool *inside, size_t count)
{
	struct takt_text text = {0};

	name_lines(code, inside, count, &text);
	takt_code_add_note(code, "%zu %s not assemble and %s left out: line %s", count,
			   takt_noun(count, "line does", "lines do"), takt_noun(count, "is", "are"),
			   takt_text_data(&text));
	takt_text_release(&text);
}

static enum takt_status refuse(const struct takt_code *code, const bool *inside, size_t count,
			       struct takt_diag *diag)
{
	size_t reported = 0;

	for (size_t i = 0; i < code->bad_count && reported < REPORTED_MAX; i++)
		if (inside[i]) {
			report(code, &code->bad[i], diag);
			reported++;
		}
	if (count > reported)
		takt_note(diag, "%zu more lines do not assemble", count - reported);
	if (code->syntax_note)
		takt_note(diag, "%s", code->syntax_note);
	takt_note(diag, "'--ignore-unknown' leaves out lines that do not assemble");
	return TAKT_BAD_INPUT;
}

static uint32_t first_outside(const struct takt_code *code, const bool *inside)
{
	size_t i = 0;

	while (inside[i])
		i++;
	return code->bad[i].line;
}

enum takt_status takt_bad_lines_check(const struct takt_code *code,
				      const struct takt_code_options *options,
				      struct takt_diag *diag)
{
	bool *inside = takt_xcalloc(code->bad_count, sizeof(*inside));
	enum takt_status status = TAKT_OK;
	size_t count = 0;

	for (size_t i = 0; i < code->bad_count; i++)
		count += inside[i] = is_inside(code, options, code->bad[i].line);
	if (count && !options->ignore_unknown)
		status = refuse(code, inside, count, diag);
	else if (count)
		note_ignored(code, inside, count);
	if (!status && code->bad_count > count)
		takt_code_add_note(code,
				   "%zu %s outside of the code taken %s not assemble: first "
				   "line %u",
				   code->bad_count - count,
				   takt_noun(code->bad_count - count, "line", "lines"),
				   takt_noun(code->bad_count - count, "does", "do"),
				   first_outside(code, inside));
	free(inside);
	return status;
}
