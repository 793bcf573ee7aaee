/* SPDX-License-Identifier: MIT */
/*
 * Reads line tables through libdw. All units' ranges are read, but lines only of units with an
 * address that was asked for. Object files go through libdwfl, which places their sections and
 * applies the relocations of the debug sections.
 */
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "input/code.h"

/* The address of a section of the image as libdw has it. */
struct home {
	Dwarf_Addr begin;
	uint32_t section;
};

/* A part of the code of a compilation unit. */
struct range {
	Dwarf_Addr begin, end;
	Dwarf_Addr end_max; /* largest end of this range and those before it */
	Dwarf_Die unit;
};

struct takt_dwarf {
	const struct takt_image *image;
	Dwarf *dwarf;
	Elf *elf;	 /* for linked files */
	Dwfl *dwfl;	 /* for object files */
	char *copy;	 /* a copy of the file that libelf may change, if it needs one; or NULL */
	uint64_t *bases; /* for each section: the offset from the image's addresses to libdw's */
	struct home *homes;   /* all sections, ascending by address */
	struct range *ranges; /* ascending; read at the first query for a line */
	size_t range_count, range_capacity;
	bool has_ranges;
};

/* Find no separate debug information, so that libdwfl searches neither files nor the network. */
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

/*
 * Return bytes of the file that may be changed: libelf decompresses sections in place, and libdwfl
 * relocates them, neither of which may change the image.
 */
static char *writable_bytes(struct takt_dwarf *dwarf, const struct takt_code *code)
{
	if (code->file.scratch)
		return (char *)code->file.scratch;
	dwarf->copy = takt_xcalloc(code->data_size_bytes, 1);
	memcpy(dwarf->copy, code->data, code->data_size_bytes);
	return dwarf->copy;
}

static void find_bases(struct takt_dwarf *dwarf, Elf *elf)
{
	for (uint32_t i = 0; elf && i < dwarf->image->section_count; i++) {
		Elf_Scn *section = elf_getscn(elf, dwarf->image->sections[i].elf_index);
		GElf_Shdr header;

		if (section && gelf_getshdr(section, &header))
			dwarf->bases[i] = header.sh_addr;
	}
}

/* Open an object file through libdwfl; return libelf's handle, or NULL with the reason. */
static Elf *open_object(struct takt_dwarf *dwarf, const struct takt_code *code,
			const char **ret_fault)
{
	Dwfl_Module *module = NULL;
	Dwarf_Addr bias;
	Elf *elf = NULL;

	dwarf->dwfl = dwfl_begin(&callbacks);
	if (dwarf->dwfl)
		module = dwfl_report_offline_memory(dwarf->dwfl, "object", "object",
						    writable_bytes(dwarf, code),
						    code->data_size_bytes);
	if (module) {
		dwfl_report_end(dwarf->dwfl, NULL, NULL);
		dwarf->dwarf = dwfl_module_getdwarf(module, &bias);
	}
	if (!dwarf->dwarf) {
		*ret_fault = dwfl_errmsg(-1);
		return NULL;
	}
	elf = dwfl_module_getelf(module, &bias);
	find_bases(dwarf, elf);
	return elf;
}

/* Open a linked file through libelf and libdw; return libelf's handle, or NULL with the reason. */
static Elf *open_linked(struct takt_dwarf *dwarf, const struct takt_code *code,
			const char **ret_fault)
{
	elf_version(EV_CURRENT);
	dwarf->elf = elf_memory(writable_bytes(dwarf, code), code->data_size_bytes);
	if (dwarf->elf)
		dwarf->dwarf = dwarf_begin_elf(dwarf->elf, DWARF_C_READ, NULL);
	if (!dwarf->dwarf)
		*ret_fault = dwarf->elf ? dwarf_errmsg(-1) : elf_errmsg(-1);
	return dwarf->dwarf ? dwarf->elf : NULL;
}

static int compare_homes(const void *left, const void *right)
{
	const struct home *a = left, *b = right;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return a->section < b->section ? -1 : 1;
}

static void find_homes(struct takt_dwarf *dwarf)
{
	uint32_t count = dwarf->image->section_count;

	dwarf->homes = takt_xcalloc(count, sizeof(*dwarf->homes));
	for (uint32_t i = 0; i < count; i++)
		dwarf->homes[i] =
			(struct home){dwarf->image->sections[i].address + dwarf->bases[i], i};
	if (count)
		qsort(dwarf->homes, count, sizeof(*dwarf->homes), compare_homes);
}

struct takt_dwarf *takt_dwarf_open(const struct takt_code *code, struct takt_arena *arena,
				   const char **ret_fault)
{
	struct takt_dwarf *dwarf;
	const char *fault = NULL, *section;
	Elf *elf;

	if (code->image.debug_fault) {
		*ret_fault = code->image.debug_fault;
		return NULL;
	}
	dwarf = takt_xcalloc(1, sizeof(*dwarf));
	dwarf->image = &code->image;
	dwarf->bases = takt_xcalloc(code->image.section_count, sizeof(*dwarf->bases));
	elf = code->image.relocatable ? open_object(dwarf, code, &fault)
				      : open_linked(dwarf, code, &fault);
	section = elf ? takt_compressed_section(elf) : NULL;
	if (elf && !section) {
		find_homes(dwarf);
		return dwarf;
	}
	if (section)
		*ret_fault = takt_arena_printf(arena, "libelf cannot decompress '%s'", section);
	else
		*ret_fault = takt_arena_printf(arena, "libdw: %s", fault ? fault : "no DWARF");
	takt_dwarf_close(dwarf);
	return NULL;
}

void takt_dwarf_close(struct takt_dwarf *dwarf)
{
	if (!dwarf)
		return;
	if (dwarf->dwfl)
		dwfl_end(dwarf->dwfl); /* closes the handles that it returned, too */
	else if (dwarf->dwarf)
		dwarf_end(dwarf->dwarf);
	elf_end(dwarf->elf);
	free(dwarf->copy);
	free(dwarf->bases);
	free(dwarf->homes);
	free(dwarf->ranges);
	free(dwarf);
}

/* Read the next unit and advance *offset, which starts at 0; false after the last one. */
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

static void add_range(struct takt_dwarf *dwarf, Dwarf_Addr begin, Dwarf_Addr end,
		      const Dwarf_Die *unit)
{
	if (begin >= end)
		return;
	TAKT_GROW(dwarf->ranges, dwarf->range_count + 1, dwarf->range_capacity);
	dwarf->ranges[dwarf->range_count++] = (struct range){begin, end, 0, *unit};
}

TAKT_ORDER(compare_ranges, struct range, TAKT_UP(begin), TAKT_UP(end));

/* Read the ranges from the units, not from .debug_aranges, which some compilers do not write. */
static void read_ranges(struct takt_dwarf *dwarf)
{
	Dwarf_Addr end_max = 0;
	Dwarf_Off offset = 0;
	Dwarf_Die unit;

	while (next_unit(dwarf, &offset, &unit)) {
		Dwarf_Addr base, begin, end;
		ptrdiff_t range = 0;

		while ((range = dwarf_ranges(&unit, range, &base, &begin, &end)) > 0)
			add_range(dwarf, begin, end, &unit);
	}
	if (dwarf->range_count)
		qsort(dwarf->ranges, dwarf->range_count, sizeof(*dwarf->ranges), compare_ranges);
	for (size_t i = 0; i < dwarf->range_count; i++) {
		if (dwarf->ranges[i].end > end_max)
			end_max = dwarf->ranges[i].end;
		dwarf->ranges[i].end_max = end_max;
	}
	dwarf->has_ranges = true;
}

/* Most ranges that are searched for an address; those that compilers write do not overlap. */
#define OVERLAPS_MAX 64u

static Dwarf_Die *find_unit(struct takt_dwarf *dwarf, Dwarf_Addr address)
{
	size_t at, least;

	if (!dwarf->has_ranges)
		read_ranges(dwarf);
	TAKT_BISECT(at, dwarf->range_count, dwarf->ranges[at].begin <= address);
	least = at > OVERLAPS_MAX ? at - OVERLAPS_MAX : 0;
	for (size_t i = at; i-- > least && dwarf->ranges[i].end_max > address;)
		if (dwarf->ranges[i].end > address)
			return &dwarf->ranges[i].unit;
	return NULL;
}

struct takt_source_line takt_dwarf_line(struct takt_dwarf *dwarf, uint32_t section,
					uint64_t address)
{
	struct takt_source_line result = {0};
	Dwarf_Die *unit;
	Dwarf_Line *line;
	int number;

	address += dwarf->bases[section];
	unit = find_unit(dwarf, address);
	line = unit ? dwarf_getsrc_die(unit, address) : NULL;
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

/* Find the image's section that contains an address of libdw's; section_count if none does. */
static uint32_t section_around(const struct takt_dwarf *dwarf, Dwarf_Addr address)
{
	uint32_t at;

	TAKT_BISECT(at, dwarf->image->section_count, dwarf->homes[at].begin <= address);
	if (at && address - dwarf->homes[at - 1].begin <
			  dwarf->image->sections[dwarf->homes[at - 1].section].size_bytes)
		return dwarf->homes[at - 1].section;
	return dwarf->image->section_count;
}

/* Add a row that covers [begin, end) in libdw's addresses. */
static void add_row(const struct takt_dwarf *dwarf, struct row_list *list, Dwarf_Addr begin,
		    Dwarf_Addr end, struct takt_line_row row)
{
	row.section = section_around(dwarf, begin);
	if (row.section == dwarf->image->section_count || begin >= end)
		return;
	row.span = (struct takt_span){begin - dwarf->bases[row.section],
				      end - dwarf->bases[row.section]};
	TAKT_GROW(list->rows, list->count + 1, list->capacity);
	list->rows[list->count++] = row;
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
		if (file && strcmp(takt_path_name(file), takt_path_name(unit_name)) == 0)
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
