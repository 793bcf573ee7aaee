/* SPDX-License-Identifier: MIT */
/* Selects parts of the code: functions, sections, an address range. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "input/code.h"

#define NAMES_SUGGESTED 3u
#define PLACES_LISTED 4u
#define NAMES_LISTED 8u

/* Add a note with the nearest of the names, or all if they are few, or else `otherwise`. */
static void suggest(struct takt_diag *diag, const char *wanted, const char *const *names,
		    size_t count, const char *otherwise)
{
	struct takt_text text = {0};

	if (takt_nearest_names(wanted, names, count, NAMES_SUGGESTED, &text)) {
		takt_note(diag, "did you mean %s?", takt_text_data(&text));
	} else if (count && count <= NAMES_LISTED) {
		for (size_t i = 0; i < count; i++)
			takt_text_printf(&text, "%s'%s'", i ? ", " : "", names[i]);
		takt_note(diag, "there %s %s", count == 1 ? "is" : "are", takt_text_data(&text));
	} else {
		takt_note(diag, "%s", otherwise);
	}
	takt_text_release(&text);
}

static enum takt_status refuse_function(const struct takt_code *code, const char *function,
					struct takt_diag *diag)
{
	const struct takt_image *image = &code->image;
	const char **names = takt_xcalloc(image->symbol_count, sizeof(*names));
	struct takt_arena arena = {0};
	size_t count = 0;

	for (size_t i = 0; i < image->symbol_count; i++)
		if (image->symbols[i].is_function || image->symbols[i].is_global ||
		    strchr(image->symbols[i].name, '('))
			names[count++] = takt_demangle(image->symbols[i].name, &arena);
	takt_error(diag, "no function '%s' in '%s'", function, image->file);
	if (image->stripped)
		takt_note(diag, "the file is stripped, so it names exported functions at most");
	suggest(diag, function, names, count, "choose by address with --range");
	free(names);
	takt_arena_release(&arena);
	return TAKT_NOT_FOUND;
}

static enum takt_status refuse_section(const struct takt_code *code, const char *section,
				       struct takt_diag *diag)
{
	const struct takt_image *image = &code->image;
	const char **names = takt_xcalloc(image->section_count, sizeof(*names));

	for (uint32_t i = 0; i < image->section_count; i++)
		names[i] = image->sections[i].name;
	takt_error(diag, "no executable section '%s' in '%s'", section, image->file);
	suggest(diag, section, names, image->section_count,
		"'readelf -S' lists the sections; code is in those marked X");
	free(names);
	return TAKT_NOT_FOUND;
}

static bool in_section(const struct takt_code *code, uint32_t index, const char *section)
{
	return !section || strcmp(code->image.sections[index].name, section) == 0;
}

/* True if a name of C is called so in an object of macOS, which puts '_' in front of it. */
static bool is_macho_name(const struct takt_code *code, const char *symbol, const char *wanted)
{
	return code->source.is_macho && *symbol == '_' && strcmp(symbol + 1, wanted) == 0;
}

/*
 * Select all functions of a name; several may have it (static functions, COMDAT sections). If
 * `demangled`, names of C++ are compared as people read them.
 */
static size_t select_functions(struct takt_code *code, const struct takt_code_options *options,
			       bool demangled, struct takt_part *parts)
{
	const struct takt_image *image = &code->image;
	struct takt_arena arena = {0};
	size_t count = 0;

	for (size_t i = 0; i < image->symbol_count; i++) {
		const struct takt_symbol *symbol = &image->symbols[i];

		bool is_called =
			demangled
				? takt_symbol_is_called(symbol->name, options->function, &arena) ||
					  is_macho_name(code, symbol->name, options->function)
				: strcmp(symbol->name, options->function) == 0;

		if (!is_called || !in_section(code, symbol->section, options->section))
			continue;
		if (parts)
			parts[count] = (struct takt_part){
				.section = symbol->section,
				.span = {symbol->address, symbol->address + symbol->size_bytes},
				.symbol = symbol,
			};
		count++;
	}
	takt_arena_release(&arena);
	return count;
}

static size_t select_sections(struct takt_code *code, const char *section, struct takt_part *parts)
{
	const struct takt_image *image = &code->image;
	size_t count = 0;

	for (uint32_t i = 0; i < image->section_count; i++) {
		const struct takt_section *candidate = &image->sections[i];

		if (!in_section(code, i, section))
			continue;
		parts[count++] = (struct takt_part){
			.section = i,
			.span = {candidate->address, candidate->address + candidate->size_bytes},
		};
	}
	return count;
}

enum takt_status takt_parts_select(struct takt_code *code, const struct takt_code_options *options,
				   struct takt_diag *diag, struct takt_part **ret_parts,
				   size_t *ret_count)
{
	struct takt_part *parts;
	bool demangled;
	size_t count;

	if (!code->image.section_count) {
		takt_error(diag, "no machine code in '%s'", code->image.file);
		return TAKT_BAD_INPUT;
	}
	if (options->function) {
		count = select_functions(code, options, false, NULL);
		demangled = !count;
		if (demangled)
			count = select_functions(code, options, true, NULL);
		if (!count)
			return refuse_function(code, options->function, diag);
		parts = TAKT_NEW_ARRAY(&code->arena, count, struct takt_part);
		select_functions(code, options, demangled, parts);
	} else {
		parts = TAKT_NEW_ARRAY(&code->arena, code->image.section_count, struct takt_part);
		count = select_sections(code, options->section, parts);
		if (!count)
			return refuse_section(code, options->section, diag);
	}
	*ret_parts = parts;
	*ret_count = count;
	return TAKT_OK;
}

size_t takt_parts_find(const struct takt_part *parts, size_t count, uint32_t section)
{
	size_t at;

	TAKT_BISECT(at, count, parts[at].section < section);
	return at;
}

static void list_parts(const struct takt_code *code, const struct takt_part *parts, size_t count,
		       struct takt_diag *diag)
{
	struct takt_text text = {0};

	for (size_t i = 0; i < count && i < PLACES_LISTED; i++)
		takt_text_printf(&text, "%s%s 0x%" PRIx64 "-0x%" PRIx64, i ? ", " : "",
				 parts[i].symbol ? parts[i].symbol->name
						 : code->image.sections[parts[i].section].name,
				 parts[i].span.begin, parts[i].span.end);
	takt_note(diag, "code to choose from: %s%s", takt_text_data(&text),
		  count > PLACES_LISTED ? ", …" : "");
	takt_text_release(&text);
}

enum takt_status takt_range_add(struct takt_code *code, const struct takt_code_options *options,
				const struct takt_part *parts, size_t part_count,
				struct takt_diag *diag)
{
	struct takt_span span = {options->range_begin, options->range_end};
	struct takt_region_request request = {
		.origin = TAKT_REGION_RANGE,
		.spans = &span,
		.span_count = 1,
	};
	const struct takt_part *home = NULL;
	bool several = false;

	for (size_t i = 0; i < part_count; i++) {
		if (span.begin < parts[i].span.begin || span.end > parts[i].span.end)
			continue;
		several = home != NULL;
		if (several)
			break;
		home = &parts[i];
	}
	if (!home) {
		takt_error(diag, "0x%" PRIx64 "-0x%" PRIx64 " is not within the code of '%s'",
			   span.begin, span.end, code->image.file);
		list_parts(code, parts, part_count, diag);
		return TAKT_BAD_INPUT;
	}
	if (several) {
		takt_error(diag, "0x%" PRIx64 "-0x%" PRIx64 " is in several sections of '%s'",
			   span.begin, span.end, code->image.file);
		takt_note(diag, "name one with --section or --function");
		return TAKT_BAD_INPUT;
	}
	request.name =
		takt_arena_printf(&code->arena, "0x%" PRIx64 "-0x%" PRIx64, span.begin, span.end);
	request.section = home->section;
	return takt_region_add(code, &request, diag);
}
