/* SPDX-License-Identifier: MIT */
/* Finds functions and source lines; a function enters the dictionary when its code is first met. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/names/place_file.h"

struct source {
	uint64_t hash; /* of the name */
	const char *name;
};

struct opened {
	struct place_file file;
	bool tried, fine; /* tried: opening was attempted; fine: it is open */
	uint32_t whole;	  /* function that stands for code in no function; 0: not made yet */
};

struct trace_places {
	struct trace_dictionary *dictionary;
	const char *only_name;
	struct opened *files; /* by file number */
	uint32_t file_count;
	/* Hash table of the names of source files, each of which is kept once. */
	struct takt_map sources; /* struct source */
};

struct trace_places *takt_trace_places_new(struct trace_dictionary *dictionary,
					   const char *only_name)
{
	struct trace_places *places = takt_xcalloc(1, sizeof(*places));

	takt_map_init(&places->sources, sizeof(struct source), SIZE_MAX);
	places->dictionary = dictionary;
	places->only_name = only_name;
	return places;
}

static bool open_place_file(const struct trace_places *places, uint32_t number,
			    struct place_file *ret_file)
{
	struct trace_dictionary *dictionary = places->dictionary;
	const struct trace_file *file = &dictionary->files[number];

	if (places->only_name && strcmp(takt_path_name(file->path), places->only_name) != 0)
		return false;
	if (place_file_open(ret_file, file->path, file->build_id, file->build_id_bytes))
		return true;
	/* Files that are gone are no fault: logs come from other machines, too. */
	if (errno && errno != ENOENT && errno != ENOTDIR && !dictionary->unread_path) {
		dictionary->unread_cause = takt_arena_string(&dictionary->arena, strerror(errno));
		dictionary->unread_path = file->path;
	}
	return false;
}

static struct opened *open_file(struct trace_places *places, uint32_t number)
{
	struct opened *opened;

	TAKT_GROW_ZEROED(places->files, number + 1, places->file_count);
	opened = &places->files[number];
	if (!opened->tried) {
		opened->tried = true;
		opened->fine = open_place_file(places, number, &opened->file);
		if (opened->fine)
			place_symbols_read(&opened->file);
	}
	return opened;
}

static void close_files(struct trace_places *places)
{
	for (uint32_t i = 0; i < places->file_count; i++)
		if (places->files[i].fine)
			place_file_close(&places->files[i].file);
	free(places->files);
	places->files = NULL;
	places->file_count = 0;
}

void takt_trace_places_free(struct trace_places *places)
{
	if (!places)
		return;
	close_files(places);
	takt_map_release(&places->sources);
	free(places);
}

/* ---- functions ---- */

static uint32_t whole_file(struct trace_places *places, struct opened *opened, uint32_t number)
{
	struct trace_dictionary *dictionary = places->dictionary;

	if (!opened->whole)
		opened->whole = takt_trace_dictionary_add_function(
			dictionary, &(struct trace_function){
					    .name = takt_arena_printf(
						    &dictionary->arena, "[%s]",
						    takt_path_name(dictionary->files[number].path)),
					    .file = number,
					    .made_up = true,
				    });
	return opened->whole;
}

static uint32_t add_function(struct trace_places *places, uint32_t number,
			     const struct place_symbol *symbol, uint64_t file_offset)
{
	struct trace_dictionary *dictionary = places->dictionary;
	const char *file = takt_path_name(dictionary->files[number].path), *name = symbol->name;

	if (name && strchr(name, '@')) /* the symbol's version follows */
		name = takt_arena_copy(&dictionary->arena, name, strcspn(name, "@"));
	else if (!name && symbol->rank == PLACE_PLT)
		name = takt_arena_printf(&dictionary->arena, "%s@plt", file);
	else if (!name)
		name = takt_arena_printf(&dictionary->arena, "%s+0x%llx", file,
					 (unsigned long long)symbol->address);
	return takt_trace_dictionary_add_function(dictionary,
						  &(struct trace_function){
							  .name = name,
							  .file_offset = file_offset,
							  .size_bytes = symbol->size_bytes,
							  .file = number,
							  .made_up = !symbol->name,
						  });
}

uint32_t takt_trace_places_function(struct trace_places *places, uint32_t file,
				    uint64_t file_offset)
{
	struct opened *opened = open_file(places, file);
	struct place_symbol *symbol = NULL;
	uint64_t address;

	if (opened->fine && place_file_address(&opened->file, file_offset, &address))
		symbol = place_symbol_find(&opened->file, address);
	if (!symbol)
		return whole_file(places, opened, file);
	if (!symbol->function)
		symbol->function = add_function(places, file, symbol,
						file_offset - (address - symbol->address)) &
				   ((1u << PLACE_FUNCTION_BITS) - 1);
	return symbol->function;
}

/* ---- lines ---- */

static const char *keep_source(struct trace_places *places, const char *name)
{
	struct source *kept =
		takt_map_get(&places->sources, takt_hash_bytes(name, strlen(name)) | 1);

	if (!kept->name || strcmp(kept->name, name) != 0)
		kept->name = takt_arena_string(&places->dictionary->arena, name);
	return kept->name;
}

static void find_lines(struct trace_places *places, struct place_file *file,
		       struct trace_block *block)
{
	struct trace_line rows[TRACE_INSNS_MAX];
	uint64_t address;
	uint32_t count = 0;

	if (!place_file_address(file, block->file_offset, &address))
		return;
	for (uint32_t i = 0; i < block->insn_count; i++) {
		const char *source = NULL;
		uint32_t line = place_line_find(file, address, &source);
		const char *name = line ? keep_source(places, source) : NULL;

		if (!count || rows[count - 1].line != line || rows[count - 1].file != name)
			rows[count++] = (struct trace_line){i, line, name};
		address += block->lengths[i];
	}
	if (count == 1 && !rows[0].line)
		return;
	block->lines =
		takt_arena_grow(&places->dictionary->arena, rows, count, count, sizeof(*rows));
	block->line_count = (uint16_t)count;
}

static void find_lines_of(struct trace_places *places, uint32_t number)
{
	const struct trace_dictionary *dictionary = places->dictionary;
	struct place_file file;

	if (!open_place_file(places, number, &file))
		return;
	for (uint32_t i = 0; i < dictionary->count; i++) {
		struct trace_block *block = dictionary->blocks[i];

		if (block->ran && block->file == number && !block->lines)
			find_lines(places, &file, block);
	}
	place_file_close(&file);
}

/*
 * Functions have their names by now, so their files are closed. Line tables are large, so that one
 * file is open at a time.
 */
void takt_trace_places_find_lines(struct trace_places *places)
{
	close_files(places);
	for (uint32_t number = 1; number < places->dictionary->file_count; number++)
		find_lines_of(places, number);
}
