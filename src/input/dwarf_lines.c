/* SPDX-License-Identifier: MIT */
/*
 * Line tables through libdw. Only the unit that an address belongs to is read.
 * Object files go through libdwfl, which places their sections and applies the
 * relocations of the debug sections.
 */
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "input/code.h"

struct takt_dwarf {
	const struct takt_image *image;
	Dwarf *dwarf;
	Elf *elf;	 /* of linked files */
	Dwfl *dwfl;	 /* of object files */
	char *copy;	 /* the file, for libdwfl to change */
	uint64_t *bases; /* of each section: what to add to addresses of the image */
	Dwarf_Die unit;	 /* the last one asked for */
	bool has_unit;
};

/* Never looks for separate files, let alone on the network. */
static int find_no_debuginfo(Dwfl_Module *module, void **user_data, const char *name,
			     Dwarf_Addr base, const char *file, const char *link,
			     GElf_Word checksum, char **debuginfo_file)
{
	(void)module, (void)user_data, (void)name, (void)base, (void)file, (void)link;
	(void)checksum, (void)debuginfo_file;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_no_debuginfo,
	.section_address = dwfl_offline_section_address,
};

static bool open_object(struct takt_dwarf *dwarf, const struct takt_code *code)
{
	Dwfl_Module *module;
	Dwarf_Addr bias;
	Elf *elf;

	dwarf->copy = takt_xcalloc(code->data_size_bytes, 1);
	memcpy(dwarf->copy, code->data, code->data_size_bytes);
	dwarf->dwfl = dwfl_begin(&callbacks);
	if (!dwarf->dwfl)
		return false;
	module = dwfl_report_offline_memory(dwarf->dwfl, "object", "object", dwarf->copy,
					    code->data_size_bytes);
	dwfl_report_end(dwarf->dwfl, NULL, NULL);
	if (!module)
		return false;
	dwarf->dwarf = dwfl_module_getdwarf(module, &bias);
	elf = dwfl_module_getelf(module, &bias);
	for (uint32_t i = 0; elf && i < code->image.section_count; i++) {
		Elf_Scn *section = elf_getscn(elf, code->image.sections[i].elf_index);
		GElf_Shdr header;

		if (section && gelf_getshdr(section, &header))
			dwarf->bases[i] = header.sh_addr;
	}
	return dwarf->dwarf != NULL;
}

static bool open_linked(struct takt_dwarf *dwarf, const struct takt_code *code)
{
	union {
		const uint8_t *constant;
		char *image;
	} data = {.constant = code->data};

	elf_version(EV_CURRENT);
	dwarf->elf = elf_memory(data.image, code->data_size_bytes);
	if (dwarf->elf)
		dwarf->dwarf = dwarf_begin_elf(dwarf->elf, DWARF_C_READ, NULL);
	return dwarf->dwarf != NULL;
}

struct takt_dwarf *takt_dwarf_open(const struct takt_code *code)
{
	struct takt_dwarf *dwarf = takt_xcalloc(1, sizeof(*dwarf));

	dwarf->image = &code->image;
	dwarf->bases = takt_xcalloc(code->image.section_count, sizeof(*dwarf->bases));
	if (code->image.relocatable ? open_object(dwarf, code) : open_linked(dwarf, code))
		return dwarf;
	takt_dwarf_close(dwarf);
	return NULL;
}

void takt_dwarf_close(struct takt_dwarf *dwarf)
{
	if (!dwarf)
		return;
	if (dwarf->dwfl)
		dwfl_end(dwarf->dwfl); /* closes what it gave out */
	else if (dwarf->dwarf)
		dwarf_end(dwarf->dwarf);
	elf_end(dwarf->elf);
	free(dwarf->copy);
	free(dwarf->bases);
	free(dwarf);
}

/* Calls for units in turn: *offset starts at 0; false after the last. */
static bool next_unit(struct takt_dwarf *dwarf, Dwarf_Off *offset, Dwarf_Die *ret_unit)
{
	Dwarf_Off next;
	size_t header_size;

	while (dwarf_nextcu(dwarf->dwarf, *offset, &next, &header_size, NULL, NULL, NULL) == 0) {
		Dwarf_Off die = *offset + header_size;

		if (next <= *offset)
			return false;
		*offset = next;
		if (dwarf_offdie(dwarf->dwarf, die, ret_unit))
			return true;
	}
	return false;
}

static bool find_unit(struct takt_dwarf *dwarf, Dwarf_Addr address)
{
	Dwarf_Off offset = 0;

	if (dwarf->has_unit && dwarf_haspc(&dwarf->unit, address) > 0)
		return true;
	dwarf->has_unit = false;
	while (!dwarf->has_unit && next_unit(dwarf, &offset, &dwarf->unit))
		dwarf->has_unit = dwarf_haspc(&dwarf->unit, address) > 0;
	return dwarf->has_unit;
}

struct takt_source_line takt_dwarf_line(struct takt_dwarf *dwarf, uint32_t section,
					uint64_t address)
{
	struct takt_source_line result = {0};
	Dwarf_Line *line;
	int number;

	address += dwarf->bases[section];
	if (!find_unit(dwarf, address))
		return result;
	line = dwarf_getsrc_die(&dwarf->unit, address);
	if (!line || dwarf_lineno(line, &number) != 0 || number <= 0)
		return result;
	result.line = (uint32_t)number;
	result.file = dwarf_linesrc(line, NULL, NULL);
	return result;
}

struct row_list {
	struct takt_line_row *rows;
	size_t count, capacity;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Adds a row that covers [begin, end) in libdw's addresses. */
static void add_row(const struct takt_dwarf *dwarf, struct row_list *list, Dwarf_Addr begin,
		    Dwarf_Addr end, struct takt_line_row row)
{
	const struct takt_image *image = dwarf->image;

	for (uint32_t i = 0; i < image->section_count; i++) {
		Dwarf_Addr home = image->sections[i].address + dwarf->bases[i];

		if (begin < home || begin - home >= image->sections[i].size_bytes || begin >= end)
			continue;
		row.section = i;
		row.span = (struct takt_span){begin - dwarf->bases[i], end - dwarf->bases[i]};
		if (list->count == list->capacity) {
			list->capacity = list->capacity ? 2 * list->capacity : 64;
			list->rows = takt_xrealloc(list->rows, list->capacity, sizeof(*list->rows));
		}
		list->rows[list->count++] = row;
		return;
	}
}

static void add_unit_rows(struct takt_dwarf *dwarf, Dwarf_Die *unit,
			  const struct takt_code_options *options, struct row_list *list)
{
	const char *unit_name = dwarf_diename(unit);
	Dwarf_Lines *lines;
	size_t count;

	if (!unit_name || dwarf_getsrclines(unit, &lines, &count) != 0)
		return;
	for (size_t i = 0; i + 1 < count; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		Dwarf_Addr begin, end;
		const char *file;
		bool ends;
		int number;

		if (!line || dwarf_lineno(line, &number) != 0 || number <= 0 ||
		    !takt_line_is_wanted(options, (uint32_t)number) ||
		    dwarf_lineendsequence(line, &ends) != 0 || ends ||
		    dwarf_lineaddr(line, &begin) != 0 ||
		    dwarf_lineaddr(dwarf_onesrcline(lines, i + 1), &end) != 0)
			continue;
		file = dwarf_linesrc(line, NULL, NULL);
		if (file && strcmp(base_name(file), base_name(unit_name)) == 0)
			add_row(dwarf, list, begin, end,
				(struct takt_line_row){.line = (uint32_t)number, .file = file});
	}
}

size_t takt_dwarf_rows(struct takt_dwarf *dwarf, const struct takt_code_options *options,
		       struct takt_line_row **ret_rows)
{
	struct row_list list = {0};
	Dwarf_Off offset = 0;
	Dwarf_Die unit;

	while (next_unit(dwarf, &offset, &unit))
		add_unit_rows(dwarf, &unit, options, &list);
	*ret_rows = list.rows;
	return list.count;
}
