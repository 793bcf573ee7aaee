/* SPDX-License-Identifier: MIT */
/*
 * Turns addresses in static storage into names, by the symbols of ELF files and the types of DWARF.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "diagnose/diagnose.h"

#define DEPTH_MAX 8u /* nesting of members in members */

/* A location in a file's memory, at its link-time address. */
struct place {
	uint64_t address;
	const char *name; /* name of the symbol, or NULL */
	uint64_t offset;  /* offset in the symbol */
};

/* ---- ELF ---- */

/*
 * Find the distance between the addresses at which the file is loaded and those at which it was
 * linked.
 */
static bool find_bias(Elf *elf, const struct diagnose_image *image, uint64_t *ret_bias)
{
	size_t count;

	if (elf_getphdrnum(elf, &count) != 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    image->block_offset < header.p_offset ||
		    image->block_offset - header.p_offset >= header.p_filesz)
			continue;
		*ret_bias = image->block_address - (image->block_offset - header.p_offset) -
			    header.p_vaddr;
		return true;
	}
	return false;
}

static bool has_address(Elf *elf, uint64_t address)
{
	size_t count;

	if (elf_getphdrnum(elf, &count) != 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;

		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD &&
		    address >= header.p_vaddr && address - header.p_vaddr < header.p_memsz)
			return true;
	}
	return false;
}

static void find_in_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct place *place)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

	for (size_t i = 0; data && i < count && i < INT32_MAX; i++) {
		GElf_Sym symbol;

		if (!gelf_getsym(data, (int)i, &symbol) ||
		    GELF_ST_TYPE(symbol.st_info) != STT_OBJECT ||
		    place->address < symbol.st_value ||
		    place->address - symbol.st_value >= symbol.st_size)
			continue;
		place->name = elf_strptr(elf, header->sh_link, symbol.st_name);
		place->offset = place->address - symbol.st_value;
		return;
	}
}

static void find_symbol(Elf *elf, struct place *place)
{
	for (Elf_Scn *section = NULL; !place->name && (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
			find_in_table(elf, section, &header, place);
	}
}

/* ---- DWARF ---- */

/* Find the type of a DIE, without typedefs and qualifiers. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *ret_type)
{
	Dwarf_Attribute attribute;
	Dwarf_Die type;

	return dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
	       dwarf_formref_die(&attribute, &type) && dwarf_peel_type(&type, ret_type) == 0;
}

/* Find the member that contains the byte at `offset`. */
static bool find_member(Dwarf_Die *type, uint64_t offset, Dwarf_Die *ret_member,
			uint64_t *ret_start)
{
	Dwarf_Die member;

	if (dwarf_child(type, &member) != 0)
		return false;
	do {
		Dwarf_Attribute attribute;
		Dwarf_Word start = 0, size;
		Dwarf_Die of;

		if (dwarf_tag(&member) != DW_TAG_member || !type_of(&member, &of) ||
		    dwarf_aggregate_size(&of, &size) != 0)
			continue;
		if (dwarf_attr(&member, DW_AT_data_member_location, &attribute) &&
		    dwarf_formudata(&attribute, &start) != 0)
			continue;
		if (offset < start || offset - start >= size)
			continue;
		*ret_member = member;
		*ret_start = start;
		return true;
	} while (dwarf_siblingof(&member, &member) == 0);
	return false;
}

/* Write the part of a variable that is at `offset`: "[1].right". */
static void write_path(Dwarf_Die type, uint64_t offset, struct takt_text *text)
{
	for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
		int tag = dwarf_tag(&type);
		Dwarf_Die inner;

		if (tag == DW_TAG_array_type) {
			Dwarf_Word size;

			if (!type_of(&type, &inner) || dwarf_aggregate_size(&inner, &size) != 0 ||
			    !size)
				return;
			takt_text_printf(text, "[%llu]", (unsigned long long)(offset / size));
			offset %= size;
			type = inner;
		} else if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type) {
			const char *name;
			uint64_t start;

			if (!find_member(&type, offset, &inner, &start))
				return;
			name = dwarf_diename(&inner);
			if (name)
				takt_text_printf(text, ".%s", name);
			offset -= start;
			if (!type_of(&inner, &type))
				return;
		} else {
			return;
		}
	}
}

static bool is_at(Dwarf_Die *variable, uint64_t address)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *operations;
	size_t count;

	return dwarf_tag(variable) == DW_TAG_variable &&
	       dwarf_attr_integrate(variable, DW_AT_location, &attribute) &&
	       dwarf_getlocation(&attribute, &operations, &count) == 0 && count == 1 &&
	       operations->atom == DW_OP_addr && operations->number == address;
}

/*
 * Find the variable at an address among a DIE's children and, for static variables in functions,
 * the children of those.
 */
static bool find_variable(Dwarf_Die *parent, uint64_t address, unsigned depth,
			  Dwarf_Die *ret_variable)
{
	Dwarf_Die die;

	if (dwarf_child(parent, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);

		if (is_at(&die, address)) {
			*ret_variable = die;
			return true;
		}
		if (depth < DEPTH_MAX &&
		    (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
		     tag == DW_TAG_namespace) &&
		    find_variable(&die, address, depth + 1, ret_variable))
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

/* Append members and elements of the symbol, as far as there is debug information. */
static void add_path(int descriptor, const struct place *place, struct takt_text *text)
{
	Dwarf *dwarf = dwarf_begin(descriptor, DWARF_C_READ);
	Dwarf_Off offset = 0, next;
	size_t header;

	while (dwarf && dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
		Dwarf_Die unit, variable, type;

		if (dwarf_offdie(dwarf, offset + header, &unit) &&
		    find_variable(&unit, place->address - place->offset, 0, &variable)) {
			if (type_of(&variable, &type))
				write_path(type, place->offset, text);
			break;
		}
		offset = next;
	}
	if (dwarf)
		dwarf_end(dwarf);
}

/* ---- both ---- */

static const char *name_in(const struct diagnose_image *image, int descriptor, uint64_t address,
			   struct takt_arena *arena)
{
	Elf *elf = elf_begin(descriptor, ELF_C_READ, NULL);
	const char *name = NULL;
	struct takt_text text = {0};
	struct place place;
	uint64_t bias;

	if (elf && find_bias(elf, image, &bias) && has_address(elf, address - bias)) {
		place = (struct place){.address = address - bias};
		find_symbol(elf, &place);
		if (place.name) {
			takt_text_add_string(&text, place.name);
			add_path(descriptor, &place, &text);
			if (!strpbrk(text.data, "[.") && place.offset)
				takt_text_printf(&text, "+%llu", (unsigned long long)place.offset);
		} else {
			takt_text_printf(&text, "static data at %#llx",
					 (unsigned long long)place.address);
		}
		name = takt_arena_copy(arena, text.data, text.size_bytes);
	}
	takt_text_release(&text);
	if (elf)
		elf_end(elf);
	return name;
}

const char *takt_diagnose_variable(const struct diagnose_seen *seen, uint64_t address,
				   struct takt_arena *arena)
{
	elf_version(EV_CURRENT);
	for (uint32_t i = 0; i < seen->image_count; i++) {
		const char *name;
		int descriptor;

		if (!seen->images[i].path)
			continue;
		descriptor = open(seen->images[i].path, O_RDONLY | O_CLOEXEC);
		if (descriptor < 0)
			continue;
		name = name_in(&seen->images[i], descriptor, address, arena);
		close(descriptor);
		if (name)
			return name;
	}
	return NULL;
}
