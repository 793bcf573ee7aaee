/* SPDX-License-Identifier: MIT */
/* Finds source lines, from an ELF file or from the separate file with its debug information. */
#include <stdlib.h>

#include "trace/names/place_file.h"

static void add_unit(struct place_file *file, uint64_t begin, uint64_t end, const Dwarf_Die *die)
{
	if (begin >= end)
		return;
	if (file->unit_count == file->unit_capacity) {
		file->unit_capacity = file->unit_capacity ? 2 * file->unit_capacity : 64;
		file->units = takt_xrealloc(file->units, file->unit_capacity, sizeof(*file->units));
	}
	file->units[file->unit_count++] = (struct place_unit){begin, end, *die};
}

static int compare(const void *left, const void *right)
{
	const struct place_unit *a = left, *b = right;

	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

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
	size_t low = 0, high;
	Dwarf_Line *line;
	int number;

	if (!file->has_units)
		read_units(file);
	address += file->bias - file->dwarf_bias;
	high = file->unit_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->units[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || address >= file->units[low - 1].end)
		return 0;
	line = dwarf_getsrc_die(&file->units[low - 1].die, address);
	if (!line || dwarf_lineno(line, &number) != 0 || number <= 0)
		return 0;
	*ret_source = dwarf_linesrc(line, NULL, NULL);
	return *ret_source ? (uint32_t)number : 0;
}
