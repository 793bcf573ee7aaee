/* SPDX-License-Identifier: MIT */
/* place_file: what an ELF file says of the code in it: its functions and its source lines. */
#ifndef TAKT_TRACE_PLACE_FILE_H
#define TAKT_TRACE_PLACE_FILE_H

#include <elfutils/libdwfl.h>

#include "trace/trace.h"

struct place_segment {
	uint64_t address, offset, size_bytes; /* in the file */
};

#define PLACE_FUNCTION_BITS 29 /* of a number */

/* By address; they do not overlap, and there may be gaps. */
struct place_symbol {
	const char *name; /* NULL: it has none */
	uint64_t address;
	uint32_t size_bytes;
	uint32_t function : PLACE_FUNCTION_BITS; /* its number, once it has one */
	uint32_t rank : 3;	/* enum place_rank */
};

/* Of several for the same place the first is the best. */
enum place_rank {
	PLACE_FUNCTION,
	PLACE_LOCAL_FUNCTION,
	PLACE_GLOBAL,
	PLACE_LABEL,
	PLACE_PLT,
	PLACE_UNWOUND,
};

/* Code of a compilation unit. */
struct place_unit {
	uint64_t begin, end;
	Dwarf_Die die;
};

struct place_file {
	Dwfl *dwfl;
	Dwfl_Module *module;
	uint64_t bias; /* of the module's addresses against the file's */
	struct place_segment *segments;
	uint32_t segment_count;
	struct place_symbol *symbols;
	size_t symbol_count, symbol_capacity;
	bool has_units;
	struct place_unit *units; /* by address */
	size_t unit_count, unit_capacity;
	uint64_t dwarf_bias;
};

/* False if it cannot be read, or is another one than the build-id says. */
bool place_file_open(struct place_file *file, const char *path, const uint8_t *build_id,
		     uint32_t build_id_bytes);
void place_file_close(struct place_file *file);
/* False if the place in the file is not loaded as code. */
bool place_file_address(const struct place_file *file, uint64_t offset, uint64_t *ret_address);
bool place_file_offset(const struct place_file *file, uint64_t address, uint64_t *ret_offset);
/* How many bytes of code there are from here to the end of its segment. */
uint64_t place_file_left(const struct place_file *file, uint64_t address);

/* ---- place_symbols.c ---- */

/* Of an open file. */
void place_symbols_read(struct place_file *file);
struct place_symbol *place_symbol_find(const struct place_file *file, uint64_t address);

/* ---- place_lines.c ---- */

/* Line and source file at an address of the file; 0 if it is not known. */
uint32_t place_line_find(struct place_file *file, uint64_t address, const char **ret_source);

#endif
