/* SPDX-License-Identifier: MIT */
/* Finds source lines, from an ELF file or from the separate file with its debug information. */
#include <stdlib.h>

#include "trace/names/place_file.h"

static void add_unit(struct place_file *file, uint64_t begin, uint64_t end, const Dwarf_Die *die)
{
	if (begin >= end)
		return;
	TAKT_GROW(file->units, file->unit_count + 1, file->unit_capacity);
	file->units[file->unit_count++] = (struct place_unit){begin, end, *die};
}

TAKT_ORDER(compare, struct place_unit, TAKT_UP(begin));

/*
 * Read the address ranges of all compilation units from the units themselves, not from
 * .debug_aranges, which some compilers do not write.
 */
static void read_units(struct place_file *file)
{
	Dwarf *dwarf = dwfl_module_getdwarf(file->module, &file->dwarf_bias);
	Dwarf_Off offset = 0, next;
	size_t header_size;

	file->has_units = true;
	while (dwarf && dwarf_nextcu(dwarf, offset, &next, &header_size, NULL, NULL, NULL) == 0 &&
	       next > offset) {
		Dwarf_Addr base, begin, end;
		Dwarf_Die die;
		ptrdiff_t range = 0;

		if (dwarf_offdie(dwarf, offset + header_size, &die))
			while ((range = dwarf_ranges(&die, range, &base, &begin, &end)) > 0)
				add_unit(file, begin, end, &die);
		offset = next;
	}
	if (file->unit_count)
		qsort(file->units, file->unit_count, sizeof(*file->units), compare);
}

uint32_t place_line_find(struct place_file *file, uint64_t address, const char **ret_source)
{
	size_t at;
	Dwarf_Line *line;
	int number;

	if (!file->has_units)
		read_units(file);
	address += file->bias - file->dwarf_bias;
	TAKT_BISECT(at, file->unit_count, file->units[at].begin <= address);
	if (at == 0 || address >= file->units[at - 1].end)
		return 0;
	line = dwarf_getsrc_die(&file->units[at - 1].die, address);
	if (!line || dwarf_lineno(line, &number) != 0 || number <= 0)
		return 0;
	*ret_source = dwarf_linesrc(line, NULL, NULL);
	return *ret_source ? (uint32_t)number : 0;
}
