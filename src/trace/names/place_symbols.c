/* SPDX-License-Identifier: MIT */
/* Finds the functions of an ELF file from its symbols or, without symbols, its unwind table. */
#include <stdlib.h>
#include <string.h>

#include "trace/names/place_file.h"

static uint32_t short_size(uint64_t size_bytes)
{
	return (uint32_t)(size_bytes < UINT32_MAX ? size_bytes : UINT32_MAX);
}

static void add(struct place_file *file, enum place_rank rank, const char *name, uint64_t address,
		uint64_t size_bytes)
{
	uint64_t offset;

	if (!place_file_offset(file, address, &offset))
		return;
	TAKT_GROW(file->symbols, file->symbol_count + 1, file->symbol_capacity);
	file->symbols[file->symbol_count++] = (struct place_symbol){
		.name = name,
		.address = address,
		.size_bytes = short_size(size_bytes),
		.rank = rank & 7,
	};
}

/* ---- reading symbols and unwind table ---- */

static bool is_name(const char *name)
{
	/* $x and $d mark code and data; names in .L are the compiler's local labels. */
	return name && *name && *name != '$' && strncmp(name, ".L", 2) != 0;
}

static void add_symbols(struct place_file *file)
{
	int count = dwfl_module_getsymtab(file->module);

	for (int i = 1; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		GElf_Word section;
		const char *name = dwfl_module_getsym_info(file->module, i, &symbol, &address,
							   &section, NULL, NULL);
		unsigned type;
		bool is_local;

		if (!is_name(name) || section == SHN_UNDEF || section == SHN_ABS)
			continue;
		type = GELF_ST_TYPE(symbol.st_info);
		is_local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
		address -= file->bias;
		if (type == STT_FUNC || type == STT_GNU_IFUNC)
			add(file, is_local ? PLACE_LOCAL_FUNCTION : PLACE_FUNCTION, name, address,
			    symbol.st_size);
		else if (type == STT_NOTYPE)
			add(file, is_local ? PLACE_LABEL : PLACE_GLOBAL, name, address,
			    symbol.st_size);
	}
}

/*
 * Add the functions of .eh_frame_hdr, if it is of version 1, with pointers relative to the table
 * or to themselves, and with entries of two 4-byte values.
 */
static void add_unwound(struct place_file *file, const uint8_t *data, size_t size_bytes,
			uint64_t address)
{
	uint32_t count;

	if (size_bytes < 12 || data[0] != 1 || (data[1] & 15) != 0x0b || data[2] != 0x03 ||
	    data[3] != 0x3b)
		return;
	memcpy(&count, data + 8, sizeof(count));
	for (size_t i = 0; i < count && 12 + 8 * i + 8 <= size_bytes; i++) {
		int32_t distance;

		memcpy(&distance, data + 12 + 8 * i, sizeof(distance));
		add(file, PLACE_UNWOUND, NULL, address + (uint64_t)(int64_t)distance, 0);
	}
}

static void add_sections(struct place_file *file)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(file->module, &bias);
	Elf_Scn *section = NULL;
	size_t strings;

	if (!elf || elf_getshdrstrndx(elf, &strings) != 0)
		return;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(elf, strings, header.sh_name);
		if (!name || header.sh_type == SHT_NOBITS)
			continue;
		if (strncmp(name, ".plt", 4) == 0 || strcmp(name, ".iplt") == 0)
			add(file, PLACE_PLT, NULL, header.sh_addr, header.sh_size);
		if (strcmp(name, ".eh_frame_hdr") == 0) {
			Elf_Data *data = elf_rawdata(section, NULL);

			if (data && data->d_buf)
				add_unwound(file, data->d_buf, data->d_size, header.sh_addr);
		}
	}
}

/* ---- sorting ---- */

/* Return the underscores at a name's start: the alias meant for users has the fewest. */
static size_t underlines(const char *name)
{
	return name ? strspn(name, "_") : 0;
}

static int compare(const void *left, const void *right)
{
	const struct place_symbol *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if ((a->size_bytes == 0) != (b->size_bytes == 0))
		return a->size_bytes ? -1 : 1;
	if (underlines(a->name) != underlines(b->name))
		return underlines(a->name) < underlines(b->name) ? -1 : 1;
	return a->name && b->name ? strcmp(a->name, b->name) : 0;
}

/*
 * Drop symbols inside of better ones: labels within functions, aliases, unwind entries where there
 * are symbols. A function without a size extends to the next symbol.
 */
static void settle(struct place_file *file)
{
	uint64_t covered = 0; /* end of the code that symbols with a size cover */
	size_t count = 0;

	for (size_t i = 0; i < file->symbol_count; i++) {
		struct place_symbol symbol = file->symbols[i];

		if (count && symbol.address == file->symbols[count - 1].address)
			continue;
		if (symbol.rank > PLACE_LOCAL_FUNCTION && symbol.address < covered)
			continue;
		if (count && (file->symbols[count - 1].size_bytes == 0 ||
			      file->symbols[count - 1].size_bytes >
				      symbol.address - file->symbols[count - 1].address))
			file->symbols[count - 1].size_bytes =
				short_size(symbol.address - file->symbols[count - 1].address);
		if (symbol.size_bytes && symbol.address + symbol.size_bytes > covered)
			covered = symbol.address + symbol.size_bytes;
		file->symbols[count++] = symbol;
	}
	file->symbol_count = count;
	if (count && file->symbols[count - 1].size_bytes == 0)
		file->symbols[count - 1].size_bytes =
			short_size(place_file_left(file, file->symbols[count - 1].address));
	file->symbols = takt_xrealloc(file->symbols, count, sizeof(*file->symbols));
	file->symbol_capacity = count;
}

void place_symbols_read(struct place_file *file)
{
	add_symbols(file);
	add_sections(file);
	if (file->symbol_count)
		qsort(file->symbols, file->symbol_count, sizeof(*file->symbols), compare);
	settle(file);
}

struct place_symbol *place_symbol_find(const struct place_file *file, uint64_t address)
{
	size_t at;

	TAKT_BISECT(at, file->symbol_count, file->symbols[at].address <= address);
	if (at == 0 || address - file->symbols[at - 1].address >= file->symbols[at - 1].size_bytes)
		return NULL;
	return &file->symbols[at - 1];
}
