/* SPDX-License-Identifier: MIT */
/* Reads and finds function symbols and labels of an image. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "input/image.h"

static Elf64_Sym symbol_at(const struct takt_symbol_table *table, size_t index)
{
	return takt_elf_symbol(table->entries + index * takt_elf_symbol_bytes(table->words),
			       table->words);
}

/* Binary search: sections are in the order of the section header table. */
uint32_t takt_section_find(const struct takt_image *image, uint32_t elf_index)
{
	uint32_t at;

	TAKT_BISECT(at, image->section_count, image->sections[at].elf_index < elf_index);
	if (at < image->section_count && image->sections[at].elf_index == elf_index)
		return at;
	return image->section_count;
}

uint32_t takt_symbol_section(const struct takt_symbol_table *table, size_t entry,
			     const Elf64_Sym *symbol)
{
	const uint8_t *bytes;

	if (symbol->st_shndx != SHN_XINDEX)
		return symbol->st_shndx < SHN_LORESERVE ? symbol->st_shndx : SHN_UNDEF;
	if (!table->indices || entry >= table->index_count)
		return SHN_UNDEF;
	bytes = table->indices + entry * sizeof(uint32_t);
	if (table->words.big_endian)
		return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
		       (uint32_t)bytes[2] << 8 | bytes[3];
	return takt_word_at(bytes);
}

/* Return the index of the executable section that holds a symbol, or section_count. */
static uint32_t section_of(const struct takt_image *image, const struct takt_symbol_table *table,
			   size_t entry, const Elf64_Sym *symbol)
{
	uint32_t index = takt_section_find(image, takt_symbol_section(table, entry, symbol));

	if (index < image->section_count &&
	    symbol->st_value - image->sections[index].address < image->sections[index].size_bytes)
		return index;
	return image->section_count;
}

static bool is_named(const Elf64_Sym *symbol, const struct takt_symbol_table *table)
{
	unsigned type = ELF64_ST_TYPE(symbol->st_info);

	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return false;
	if (symbol->st_shndx == SHN_UNDEF ||
	    (symbol->st_shndx >= SHN_LORESERVE && symbol->st_shndx != SHN_XINDEX) ||
	    symbol->st_name >= table->strings_size_bytes || !table->strings[symbol->st_name])
		return false;
	/* $x and $d are mapping symbols of other sets, which tell code from data. */
	if (table->strings[symbol->st_name] == '$' && type == STT_NOTYPE)
		return false;
	return true;
}

/* True for labels that the compiler makes, which are not names that a user knows. */
static bool is_compilers(const Elf64_Sym *symbol, const struct takt_symbol_table *table)
{
	return strncmp(table->strings + symbol->st_name, ".L", 2) == 0;
}

TAKT_ORDER(compare_symbols, struct takt_symbol, TAKT_UP(section), TAKT_UP(address),
	   TAKT_DOWN(is_function), TAKT_DOWN(is_global), TAKT_ALPHABETIC(name));

/*
 * True for a compiler's text without directives, such as Compiler Explorer's, where each label is a
 * function and nothing says so: with names for people, "f(int)", or with the compiler's own labels
 * beside others of which none is a function or global.
 */
static bool lacks_directives(const struct takt_symbol *symbols, size_t count, bool has_compilers)
{
	bool has_marked = false;

	for (size_t i = 0; i < count; i++) {
		if (strchr(symbols[i].name, '('))
			return true;
		has_marked |= symbols[i].is_function || symbols[i].is_global;
	}
	return has_compilers && !has_marked;
}

/*
 * Cut sizes to the section. A symbol without a size extends to the next function or global
 * symbol, because local labels are mostly places within hand-written functions. If `all`, each
 * label is a function.
 */
static void settle_sizes(struct takt_symbol *symbols, size_t count, const struct takt_image *image,
			 bool all)
{
	uint64_t next = 0, after = 0; /* next boundary at a greater address; lowest one so far */
	uint64_t seen = 0;
	uint32_t section = UINT32_MAX;

	for (size_t i = count; i-- > 0;) {
		struct takt_symbol *symbol = &symbols[i];
		const struct takt_section *home = &image->sections[symbol->section];
		uint64_t end = home->address + home->size_bytes;

		if (symbol->section != section)
			next = after = end;
		else if (symbol->address != seen)
			next = after;
		section = symbol->section;
		seen = symbol->address;
		if (symbol->is_function || symbol->is_global || all)
			after = symbol->address;
		if (!symbol->size_bytes)
			symbol->size_bytes = next - symbol->address;
		if (symbol->size_bytes > end - symbol->address)
			symbol->size_bytes = end - symbol->address;
	}
}

void takt_symbols_read(const struct takt_symbol_table *table, struct takt_arena *arena,
		       struct takt_image *image)
{
	size_t wanted = 0, count = 0;
	struct takt_symbol *symbols;
	bool has_compilers = false;

	for (size_t i = 1; i < table->entry_count; i++) {
		Elf64_Sym symbol = symbol_at(table, i);

		wanted += is_named(&symbol, table) && !is_compilers(&symbol, table);
	}
	symbols = TAKT_NEW_ARRAY(arena, wanted, struct takt_symbol);
	for (size_t i = 1; i < table->entry_count; i++) {
		Elf64_Sym symbol = symbol_at(table, i);
		uint32_t section = section_of(image, table, i, &symbol);

		if (section == image->section_count || !is_named(&symbol, table))
			continue;
		if (is_compilers(&symbol, table)) {
			has_compilers = true;
			continue;
		}
		symbols[count++] = (struct takt_symbol){
			.name = table->strings + symbol.st_name,
			.address = symbol.st_value,
			.size_bytes = symbol.st_size,
			.section = section,
			.is_function = ELF64_ST_TYPE(symbol.st_info) != STT_NOTYPE,
			.is_global = ELF64_ST_BIND(symbol.st_info) != STB_LOCAL,
		};
	}
	qsort(symbols, count, sizeof(*symbols), compare_symbols);
	settle_sizes(symbols, count, image, lacks_directives(symbols, count, has_compilers));
	image->symbols = symbols;
	image->symbol_count = count;
}

size_t takt_symbol_after(const struct takt_image *image, uint32_t section, uint64_t address)
{
	size_t at;

	TAKT_BISECT(at, image->symbol_count,
		    image->symbols[at].section < section ||
			    (image->symbols[at].section == section &&
			     image->symbols[at].address < address));
	return at;
}

#define LOOK_BACK_MAX 256u

const struct takt_symbol *takt_symbol_around(const struct takt_image *image, uint32_t section,
					     uint64_t address)
{
	size_t after = takt_symbol_after(image, section, address + 1);
	size_t first = after > LOOK_BACK_MAX ? after - LOOK_BACK_MAX : 0;
	const struct takt_symbol *label = NULL, *function = NULL;

	for (size_t i = after; i-- > first && image->symbols[i].section == section;) {
		const struct takt_symbol *symbol = &image->symbols[i];
		bool covers = address - symbol->address < symbol->size_bytes;

		/* If a place has several names, the first in sorted order is the best. */
		if (function && function->address != symbol->address)
			break;
		if (symbol->is_function && covers)
			function = symbol;
		else if (!symbol->is_function && (!label || label->address == symbol->address ||
						  (symbol->is_global && !label->is_global)))
			label = symbol;
	}
	return function ? function : label;
}
