/* SPDX-License-Identifier: MIT */
/* Finds the source line of an instruction, and the instructions of given source lines. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "input/code.h"

/* Map an address in a region that was copied together to the address in its section. */
static uint64_t original_address(const struct takt_region_entry *entry, uint64_t address)
{
	size_t offset = address - entry->region.address;
	const struct takt_piece *piece;
	uint32_t after;

	if (!entry->piece_count)
		return address;
	TAKT_BISECT(after, entry->piece_count, entry->pieces[after].offset <= offset);
	piece = &entry->pieces[after ? after - 1 : 0];
	return piece->address + (offset - piece->offset);
}

uint64_t takt_code_original(const struct takt_code *code, size_t region_index, uint64_t address)
{
	assert(region_index < code->entry_count);
	return original_address(&code->entries[region_index], address);
}

/* Find the line of the text that made the instruction at an offset; 0 if there is none. */
static uint32_t text_line(const struct takt_code *code, uint32_t elf_index, uint64_t offset)
{
	const struct takt_assembled_insn *insns = code->assembled.insns;
	size_t at;

	TAKT_BISECT(at, code->assembled.insn_count,
		    insns[at].section < elf_index ||
			    (insns[at].section == elf_index && insns[at].offset <= offset));
	if (!at || insns[at - 1].section != elf_index || insns[at - 1].offset != offset)
		return 0; /* alignment, or data between instructions */
	return insns[at - 1].line;
}

/* Return a trimmed line; NULL for one that is too long to show with each of its instructions. */
static const char *trimmed_line(const struct takt_code *code, uint32_t line)
{
	struct takt_line_cache *cache = code->cache;
	const char *begin = code->source.lines[line - 1];
	size_t size = strnlen(begin, TAKT_LINE_TEXT_MAX_BYTES + 1);
	const char *line_end = memchr(begin, '\n', size);

	if (line_end)
		size = (size_t)(line_end - begin);
	if (size > TAKT_LINE_TEXT_MAX_BYTES)
		return NULL;
	if (!cache->copies)
		cache->copies =
			TAKT_NEW_ARRAY(&cache->arena, code->source.line_count, const char *);
	if (cache->copies[line - 1])
		return cache->copies[line - 1];
	while (size && takt_is_line_blank(*begin)) {
		begin++;
		size--;
	}
	size = takt_trimmed_size(begin, size);
	return cache->copies[line - 1] = takt_arena_copy(&cache->arena, begin, size);
}

static struct takt_dwarf *dwarf_of(const struct takt_code *code)
{
	struct takt_line_cache *cache = code->cache;

	const char *fault = NULL;

	if (!cache->dwarf_tried && code->format == TAKT_INPUT_ELF && code->image.has_debug_line) {
		cache->dwarf = takt_dwarf_open(code, &cache->arena, &fault);
		if (!cache->dwarf)
			takt_code_add_note(code, "no source lines of '%s': %s", code->image.file,
					   fault);
	}
	cache->dwarf_tried = true;
	return cache->dwarf;
}

static struct takt_source_line find_line(const struct takt_code *code,
					 const struct takt_region_entry *entry, uint64_t address)
{
	const struct takt_section *section = &code->image.sections[entry->section];
	struct takt_source_line result = {0};
	struct takt_dwarf *dwarf;

	address = original_address(entry, address);
	if (code->format == TAKT_INPUT_ASSEMBLY) {
		result.line = text_line(code, section->elf_index, address - section->address);
		if (!result.line || result.line > code->source.line_count)
			return (struct takt_source_line){0};
		result.file = code->image.file;
		result.text = trimmed_line(code, result.line);
		return result;
	}
	dwarf = dwarf_of(code);
	return dwarf ? takt_dwarf_line(dwarf, entry->section, address) : result;
}

struct takt_source_line takt_code_line(const struct takt_code *code, size_t region_index,
				       uint64_t address)
{
	struct takt_source_line result;

	assert(region_index < code->entry_count);
	pthread_mutex_lock(&code->cache->lock);
	result = find_line(code, &code->entries[region_index], address);
	pthread_mutex_unlock(&code->cache->lock);
	return result;
}

bool takt_line_is_wanted(const struct takt_code_options *options, uint32_t line)
{
	for (size_t i = 0; i < options->line_count; i++)
		if (line >= options->lines[i].first && line <= options->lines[i].last)
			return true;
	return false;
}

/* Return a name such as "lines 4-9, 12". */
static const char *lines_name(struct takt_code *code, const struct takt_code_options *options)
{
	struct takt_text text = {0};
	const char *name;

	for (size_t i = 0; i < options->line_count; i++) {
		const struct takt_line_range *range = &options->lines[i];

		takt_text_printf(&text, "%s%u", i ? ", " : "", range->first);
		if (range->last != range->first)
			takt_text_printf(&text, "-%u", range->last);
	}
	name = takt_arena_printf(&code->arena, "%s %s",
				 strpbrk(takt_text_data(&text), ",-") ? "lines" : "line",
				 takt_text_data(&text));
	takt_text_release(&text);
	return name;
}

/* List the instructions of the wanted lines of assembly text as rows. */
static size_t text_rows(const struct takt_code *code, const struct takt_code_options *options,
			struct takt_line_row **ret_rows)
{
	struct takt_line_row *rows = takt_xcalloc(code->assembled.insn_count, sizeof(*rows));
	size_t count = 0;

	for (size_t i = 0; i < code->assembled.insn_count; i++) {
		const struct takt_assembled_insn *insn = &code->assembled.insns[i];
		uint32_t index = takt_section_find(&code->image, insn->section);
		const struct takt_section *section = &code->image.sections[index];
		struct takt_insn_flow step;

		if (index == code->image.section_count || insn->offset >= section->size_bytes ||
		    !takt_line_is_wanted(options, insn->line) ||
		    !takt_insn_flow_decode(code->image.isa, section->bytes + insn->offset,
					   section->size_bytes - insn->offset, &step))
			continue;
		rows[count++] = (struct takt_line_row){
			.span = {section->address + insn->offset,
				 section->address + insn->offset + step.length_bytes},
			.section = index,
			.line = insn->line,
			.file = code->image.file,
		};
	}
	*ret_rows = rows;
	return count;
}

TAKT_ORDER(compare_rows, struct takt_line_row, TAKT_UP(section), TAKT_UP(span.begin));

/* Cut rows to the selected parts and drop those outside. */
static size_t keep_selected(struct takt_line_row *rows, size_t count, const struct takt_part *parts,
			    size_t part_count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		for (size_t j = takt_parts_find(parts, part_count, rows[i].section);
		     j < part_count && parts[j].section == rows[i].section; j++) {
			struct takt_line_row row = rows[i];

			if (row.span.begin >= parts[j].span.end ||
			    row.span.end <= parts[j].span.begin)
				continue;
			if (row.span.begin < parts[j].span.begin)
				row.span.begin = parts[j].span.begin;
			if (row.span.end > parts[j].span.end)
				row.span.end = parts[j].span.end;
			rows[kept++] = row;
			break;
		}
	}
	return kept;
}

/* Check that all rows are in one section and one source file, as one region must be. */
static enum takt_status check_rows(const struct takt_code *code,
				   const struct takt_code_options *options, const char *name,
				   const struct takt_line_row *rows, size_t count,
				   struct takt_diag *diag)
{
	if (!count) {
		takt_error(diag, "no instruction on %s of '%s'", name, code->image.file);
		takt_note(diag,
			  code->format == TAKT_INPUT_ELF
				  ? "lines are those of the source files that were compiled"
				  : "a line with a label, directive or comment alone has none");
		return TAKT_BAD_INPUT;
	}
	for (size_t i = 1; i < count; i++) {
		if (strcmp(rows[i].file, rows[0].file) != 0) {
			takt_error(diag, "%s are in '%s' and in '%s'", name, rows[0].file,
				   rows[i].file);
			takt_note(diag, "choose one with --function");
			return TAKT_BAD_INPUT;
		}
		if (rows[i].section != rows[0].section) {
			takt_error(diag, "%s are in section '%s' and in '%s'", name,
				   code->image.sections[rows[0].section].name,
				   code->image.sections[rows[i].section].name);
			takt_note(diag, "choose one with --%s",
				  options->section ? "function" : "section");
			return TAKT_BAD_INPUT;
		}
	}
	return TAKT_OK;
}

static enum takt_status refuse_lines(const struct takt_code *code, struct takt_diag *diag)
{
	if (takt_code_note_count(code)) {
		takt_error(diag, "%s", takt_code_note(code, takt_code_note_count(code) - 1));
		takt_note(diag, "choose by --function or --range");
		return TAKT_BAD_INPUT;
	}
	takt_error(diag, "'%s' has no line numbers", code->image.file);
	if (code->format == TAKT_INPUT_ELF)
		takt_note(diag, "compile with -g, or choose by --function or --range");
	else
		takt_note(diag, "choose with --range");
	return TAKT_BAD_INPUT;
}

static enum takt_status add_rows(struct takt_code *code, const char *name,
				 const struct takt_line_row *rows, size_t count,
				 struct takt_diag *diag)
{
	struct takt_span *spans = takt_xcalloc(count, sizeof(*spans));
	struct takt_region_request request = {
		.name = name,
		.origin = TAKT_REGION_LINES,
		.section = rows[0].section,
		.spans = spans,
	};
	enum takt_status status;

	for (size_t i = 0; i < count; i++) {
		struct takt_span span = rows[i].span;

		struct takt_span *last = request.span_count ? &spans[request.span_count - 1] : NULL;

		if (last && last->end > span.begin)
			span.begin = last->end; /* rows of two line tables may overlap */
		if (span.begin >= span.end)
			continue;
		if (last && last->end == span.begin)
			last->end = span.end;
		else
			spans[request.span_count++] = span;
	}
	status = takt_region_add(code, &request, diag);
	free(spans);
	return status;
}

/* Say what the lines of an ELF file stand for. */
static void note_loops(const struct takt_code *code, const char *name)
{
	takt_code_add_note(code,
			   "%s around %s %s taken, without code before and after; with --whole it "
			   "is the instructions of these lines alone",
			   code->entry_count > 1 ? "the loops" : "the loop", name,
			   code->entry_count > 1 ? "are" : "is");
}

enum takt_status takt_lines_add(struct takt_code *code, const struct takt_code_options *options,
				const struct takt_part *parts, size_t part_count,
				struct takt_diag *diag)
{
	const char *name = lines_name(code, options);
	struct takt_line_row *rows = NULL;
	enum takt_status status;
	size_t count;

	if (code->format == TAKT_INPUT_ASSEMBLY)
		count = text_rows(code, options, &rows);
	else if (dwarf_of(code))
		count = takt_dwarf_rows(code->cache->dwarf, options, &rows);
	else
		return refuse_lines(code, diag);
	count = keep_selected(rows, count, parts, part_count);
	if (count)
		qsort(rows, count, sizeof(*rows), compare_rows);
	if (code->format == TAKT_INPUT_ELF &&
	    takt_lines_add_loops(code, options, parts, part_count, rows, count)) {
		note_loops(code, name);
		free(rows);
		return TAKT_OK;
	}
	status = check_rows(code, options, name, rows, count, diag);
	if (!status)
		status = add_rows(code, name, rows, count, diag);
	if (!status && code->format == TAKT_INPUT_ELF && !options->whole)
		takt_code_add_note(code,
				   "no loop is around %s, whose instructions are taken as one "
				   "block",
				   name);
	free(rows);
	return status;
}
