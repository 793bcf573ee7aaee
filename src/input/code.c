/* SPDX-License-Identifier: MIT */
/* takt_code: reads the input that the options name and selects its regions. */
#include <assert.h>
#include <elf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "input/code.h"

/* Bytes that are inspected to tell text from other data. */
#define SNIFF_BYTES 4096u
/* Most bytes of hexadecimal text, which is copied; larger blocks cannot be analyzed anyway. */
#define HEX_MAX_BYTES ((size_t)256 << 20)

static enum takt_status load(struct takt_code *code, const struct takt_code_options *options,
			     struct takt_diag *diag)
{
	enum takt_status status;

	code->image.file = "input";
	if (options->path && strcmp(options->path, "-") == 0)
		code->image.file = "standard input";
	else if (options->path)
		code->image.file = takt_arena_string(&code->arena, options->path);
	if (options->data) {
		code->data = options->data;
		code->data_size_bytes = options->data_size_bytes;
	} else {
		assert(options->path);
		status = takt_file_open_scratch(options->path, diag, &code->file);
		if (status)
			return status;
		code->data = code->file.data;
		code->data_size_bytes = code->file.size_bytes;
	}
	if (!code->data_size_bytes) {
		takt_error(diag, "'%s' is empty", code->image.file);
		return TAKT_BAD_INPUT;
	}
	return TAKT_OK;
}

static bool starts_with(const struct takt_code *code, const char *magic, size_t size_bytes)
{
	return code->data_size_bytes >= size_bytes && memcmp(code->data, magic, size_bytes) == 0;
}

/* Languages that a compiler reads, by the end of a file's name. */
static const struct language {
	const char *end, *name, *compiler;
} languages[] = {
	{".c", "C", "gcc -O3"},
	{".cc", "C++", "g++ -O3"},
	{".cpp", "C++", "g++ -O3"},
	{".cxx", "C++", "g++ -O3"},
	{".f", "Fortran", "gfortran -O3"},
	{".f90", "Fortran", "gfortran -O3"},
	{".f95", "Fortran", "gfortran -O3"},
	{".rs", "Rust", "rustc -O"},
};

/* Refuse a source file of a compiled language. */
static enum takt_status refuse_language(const struct takt_code *code, struct takt_diag *diag)
{
	size_t size = strlen(code->image.file);

	for (size_t i = 0; i < TAKT_COUNT_OF(languages); i++) {
		const struct language *language = &languages[i];
		size_t end = strlen(language->end);

		if (size <= end || strcmp(code->image.file + size - end, language->end) != 0)
			continue;
		takt_error(diag, "'%s' is %s, not assembly or machine code", code->image.file,
			   language->name);
		takt_note(diag, "'takt analyze %s -- %s' compiles it first", code->image.file,
			  language->compiler);
		return TAKT_BAD_INPUT;
	}
	return TAKT_OK;
}

static enum takt_status find_format(struct takt_code *code, enum takt_input_format wanted,
				    struct takt_diag *diag)
{
	const char *file = code->image.file;
	bool is_elf = starts_with(code, ELFMAG, SELFMAG);
	size_t text_size = takt_pasted_text_size(code->data, code->data_size_bytes);
	size_t sniffed = text_size < SNIFF_BYTES ? text_size : SNIFF_BYTES;

	code->format = wanted;
	if (wanted == TAKT_INPUT_AUTO)
		code->format = is_elf ? TAKT_INPUT_ELF : TAKT_INPUT_ASSEMBLY;
	if (code->format == TAKT_INPUT_ELF && !is_elf) {
		takt_error(diag, "'%s' is not an ELF file", file);
		return TAKT_BAD_INPUT;
	}
	if (wanted != TAKT_INPUT_AUTO || is_elf)
		return TAKT_OK;
	if (starts_with(code, "!<arch>\n", 8)) {
		takt_error(diag, "'%s' is an archive", file);
		takt_note(diag, "extract the object file of interest with 'ar x'");
		return TAKT_BAD_INPUT;
	}
	if (takt_pasted_is_utf16(code->data, code->data_size_bytes))
		return TAKT_OK;
	if (memchr(code->data, '\0', sniffed) || (!text_size && code->data_size_bytes)) {
		takt_error(diag, "'%s' is neither ELF nor text", file);
		takt_note(diag, "for bytes of machine code say --raw");
		return TAKT_BAD_INPUT;
	}
	return refuse_language(code, diag);
}

/* Make plain bytes an image of one section at address 0. */
static void set_bytes(struct takt_code *code, const char *name, const uint8_t *bytes,
		      size_t size_bytes)
{
	code->image.sections = TAKT_NEW(&code->arena, struct takt_section);
	code->image.section_count = 1;
	*code->image.sections = (struct takt_section){
		.name = name,
		.bytes = bytes,
		.size_bytes = size_bytes,
	};
}

/* Assume x86-64 if the caller names no instruction set, because plain bytes do not tell it. */
static void set_isa_of_bytes(struct takt_code *code)
{
	if (!code->image.isa)
		code->image.isa = &takt_isa_x86;
}

static enum takt_status read_image(struct takt_code *code, const struct takt_code_options *options,
				   struct takt_diag *diag)
{
	enum takt_status status;
	const char *text;
	uint8_t *bytes;
	size_t count;

	switch (code->format) {
	case TAKT_INPUT_RAW:
		set_isa_of_bytes(code);
		set_bytes(code, "raw", code->data, code->data_size_bytes);
		return TAKT_OK;
	case TAKT_INPUT_HEX:
		if (code->data_size_bytes > HEX_MAX_BYTES) {
			takt_error(diag, "'%s' is larger than %zu MiB", code->image.file,
				   HEX_MAX_BYTES >> 20);
			takt_note(diag, "give the bytes themselves, with --raw");
			return TAKT_BAD_INPUT;
		}
		set_isa_of_bytes(code);
		/* Diagnostics quote lines, so the text must end with a NUL. */
		text = takt_arena_copy(&code->arena, (const char *)code->data,
				       code->data_size_bytes);
		status = takt_hex_read((struct takt_word){text, code->data_size_bytes},
				       code->image.file, &code->arena, diag, &bytes, &count);
		if (!status)
			set_bytes(code, "hex", bytes, count);
		return status;
	case TAKT_INPUT_ASSEMBLY:
		status = takt_source_assemble(code, options->syntax, diag);
		return status ? status : takt_settings_find(code, diag);
	case TAKT_INPUT_AUTO:
	case TAKT_INPUT_ELF:
		break;
	}
	return takt_elf_read(code->data, code->data_size_bytes, &code->arena, diag, &code->image);
}

static enum takt_status add_part(struct takt_code *code, const struct takt_part *part,
				 struct takt_diag *diag)
{
	const struct takt_section *section = &code->image.sections[part->section];
	struct takt_region_request request = {
		.origin = TAKT_REGION_WHOLE,
		.section = part->section,
		.spans = &part->span,
		.span_count = 1,
	};

	if (!part->symbol && !takt_symbol_around(&code->image, part->section, part->span.begin))
		request.name = section->name;
	return takt_region_add(code, &request, diag);
}

static enum takt_status add_whole(struct takt_code *code, const struct takt_part *parts,
				  size_t part_count, struct takt_diag *diag)
{
	enum takt_status status = TAKT_OK;

	for (size_t i = 0; i < part_count && !status; i++)
		status = add_part(code, &parts[i], diag);
	return status;
}

/* Add a note if the search for loops was not finished. */
static void note_cut(struct takt_code *code)
{
	const struct takt_loop_search *search = &code->search;
	const struct takt_symbol *symbol;

	if (!search->cut_count)
		return;
	symbol = takt_symbol_around(&code->image, search->section, search->span.begin);
	takt_code_add_note(code,
			   "loops may be missing in %zu %s, where jumps back overlap too "
			   "often to follow them all: first '%s', 0x%" PRIx64 "-0x%" PRIx64
			   "; choose code there with --range",
			   search->cut_count, takt_noun(search->cut_count, "function", "functions"),
			   symbol ? symbol->name : code->image.sections[search->section].name,
			   search->span.begin, search->span.end);
}

static enum takt_status report_nothing(const struct takt_code *code,
				       const struct takt_code_options *options,
				       struct takt_diag *diag)
{
	const char *file = code->image.file;

	if (options->function)
		takt_error(diag, "no loop and no marker in function '%s' of '%s'",
			   options->function, file);
	else
		takt_error(diag, "no loop and no marker in '%s'", file);
	for (size_t i = 0; i < takt_code_note_count(code); i++)
		takt_note(diag, "%s", takt_code_note(code, i));
	takt_note(diag, "choose code with --function, --range or --lines, or take all of it as one "
			"block with --whole");
	return TAKT_BAD_INPUT;
}

/* Find the regions between markers or, if there are none, the loops. */
static enum takt_status find_regions(struct takt_code *code,
				     const struct takt_code_options *options,
				     const struct takt_part *parts, size_t part_count,
				     struct takt_diag *diag)
{
	bool search = code->format == TAKT_INPUT_ELF || code->format == TAKT_INPUT_ASSEMBLY;
	enum takt_status status = TAKT_OK;

	if (code->format == TAKT_INPUT_ASSEMBLY)
		status = takt_comments_add(code, parts, part_count, diag);
	for (size_t i = 0; i < part_count && !status; i++)
		status = takt_markers_add(code, &parts[i], diag);
	if (status || code->entry_count)
		return status;
	for (size_t i = 0; i < part_count && search; i++)
		takt_loops_add(code, &parts[i], options->nested);
	note_cut(code);
	if (code->entry_count)
		return TAKT_OK;
	if (code->format == TAKT_INPUT_ELF)
		return report_nothing(code, options, diag);
	if (search)
		takt_code_add_note(code,
				   "there is no loop: %s is taken as one block, copies of "
				   "which follow each other",
				   options->function ? "the function" : "the text");
	return add_whole(code, parts, part_count, diag);
}

static enum takt_status choose_regions(struct takt_code *code,
				       const struct takt_code_options *options,
				       struct takt_diag *diag)
{
	struct takt_part *parts;
	size_t count;
	enum takt_status status = takt_parts_select(code, options, diag, &parts, &count);

	if (status)
		return status;
	if (options->line_count)
		return takt_lines_add(code, options, parts, count, diag);
	if (options->range_end > options->range_begin)
		return takt_range_add(code, options, parts, count, diag);
	if (!options->whole)
		return find_regions(code, options, parts, count, diag);
	return add_whole(code, parts, count, diag);
}

enum takt_status takt_code_open(const struct takt_code_options *options, struct takt_diag *diag,
				struct takt_code **ret_code)
{
	struct takt_code *code = takt_xcalloc(1, sizeof(*code));
	enum takt_status status;

	code->cache = TAKT_NEW(&code->arena, struct takt_line_cache);
	pthread_mutex_init(&code->cache->lock, NULL);
	status = options->isa ? takt_isa_find(options->isa, diag, &code->image.isa) : TAKT_OK;
	if (!status)
		status = load(code, options, diag);
	if (!status)
		status = find_format(code, options->format, diag);
	if (!status)
		status = read_image(code, options, diag);
	if (!status)
		status = choose_regions(code, options, diag);
	if (!status)
		status = takt_bad_lines_check(code, options, diag);
	if (status)
		takt_code_close(code);
	else
		*ret_code = code;
	return status;
}

void takt_code_close(struct takt_code *code)
{
	if (!code)
		return;
	pthread_mutex_destroy(&code->cache->lock);
	takt_dwarf_close(code->cache->dwarf);
	takt_arena_release(&code->cache->arena);
	free(code->assembled.object);
	free(code->assembled.insns);
	free(code->assembled.labels);
	free(code->entries);
	takt_file_close(&code->file);
	takt_arena_release(&code->arena);
	free(code);
}

size_t takt_code_region_count(const struct takt_code *code)
{
	return code->entry_count;
}

const struct takt_region *takt_code_region(const struct takt_code *code, size_t index)
{
	assert(index < code->entry_count);
	return &code->entries[index].region;
}

void takt_code_add_note(const struct takt_code *code, const char *format, ...)
{
	struct takt_line_cache *cache = code->cache;
	va_list args;

	cache->notes = takt_arena_grow(&cache->arena, cache->notes, cache->note_count,
				       cache->note_count + 1, sizeof(*cache->notes));
	va_start(args, format);
	cache->notes[cache->note_count++] = takt_arena_vprintf(&cache->arena, format, args);
	va_end(args);
}

size_t takt_code_note_count(const struct takt_code *code)
{
	size_t count;

	pthread_mutex_lock(&code->cache->lock);
	count = code->cache->note_count;
	pthread_mutex_unlock(&code->cache->lock);
	return count;
}

const char *takt_code_note(const struct takt_code *code, size_t index)
{
	const char *note;

	pthread_mutex_lock(&code->cache->lock);
	assert(index < code->cache->note_count);
	note = code->cache->notes[index];
	pthread_mutex_unlock(&code->cache->lock);
	return note;
}

const struct takt_isa *takt_code_isa(const struct takt_code *code)
{
	return code->image.isa;
}

const char *takt_code_file(const struct takt_code *code)
{
	return code->image.file;
}

const char *takt_region_section(const struct takt_code *code, size_t region_index)
{
	assert(region_index < code->entry_count);
	return code->image.sections[code->entries[region_index].section].name;
}

bool takt_region_approach(const struct takt_code *code, size_t region_index,
			  const uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	const struct takt_region_entry *entry = &code->entries[region_index];
	const struct takt_section *section = &code->image.sections[entry->section];

	assert(region_index < code->entry_count);
	if (entry->approach.begin == entry->approach.end)
		return false;
	*ret_bytes = section->bytes + (entry->approach.begin - section->address);
	*ret_size_bytes = entry->approach.end - entry->approach.begin;
	return true;
}

bool takt_region_function(const struct takt_code *code, size_t region_index,
			  struct takt_code_span *ret_span)
{
	const struct takt_region_entry *entry = &code->entries[region_index];
	const struct takt_section *section = &code->image.sections[entry->section];
	uint64_t address = takt_code_original(code, region_index, entry->region.address);
	const struct takt_symbol *symbol =
		takt_symbol_around(&code->image, entry->section, address);
	uint64_t left;

	assert(region_index < code->entry_count);
	if (!symbol || symbol->address < section->address || address < symbol->address)
		return false;
	left = section->size_bytes - (symbol->address - section->address);
	*ret_span = (struct takt_code_span){
		.bytes = section->bytes + (symbol->address - section->address),
		.size_bytes = symbol->size_bytes < left ? symbol->size_bytes : left,
		.address = symbol->address,
	};
	return address - symbol->address < ret_span->size_bytes;
}
