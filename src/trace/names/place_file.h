/* SPDX-License-Identifier: MIT */
/* place_file: functions and source lines of the code in an ELF file. */
#ifndef TAKT_TRACE_PLACE_FILE_H
#define TAKT_TRACE_PLACE_FILE_H

#include <elfutils/libdwfl.h>

#include "trace/trace.h"

struct place_segment {
	uint64_t address, offset, size_bytes; /* as the file's program header says */
};

#define PLACE_FUNCTION_BITS 29 /* bits of a function's number */

/* A symbol. Symbols are sorted by address and do not overlap; there may be gaps. */
struct place_symbol {
	const char *name; /* NULL: code without a name */
	uint64_t address;
	uint32_t size_bytes;
	uint32_t function : PLACE_FUNCTION_BITS; /* number in the dictionary; 0: none yet */
	uint32_t rank : 3;			 /* enum place_rank */
};

/* Kinds of symbol, best first: of several at the same address, the best one is used. */
enum place_rank {
	PLACE_FUNCTION,
	PLACE_LOCAL_FUNCTION,
	PLACE_GLOBAL,
	PLACE_LABEL,
	PLACE_PLT,
	PLACE_UNWOUND,
};

/* An address range of a compilation unit. */
struct place_unit {
	uint64_t begin, end;
	Dwarf_Die die;
};

struct place_file {
	Dwfl *dwfl;
	Dwfl_Module *module;
	uint64_t bias; /* difference of the module's addresses and the file's */
	struct place_segment *segments;
	uint32_t segment_count;
	struct place_symbol *symbols;
	size_t symbol_count, symbol_capacity;
	bool has_units;
	struct place_unit *units; /* sorted by address */
	size_t unit_count, unit_capacity;
	uint64_t dwarf_bias;
};

/* Open a file; false if it cannot be read, or its build-id differs. */
bool place_file_open(struct place_file *file, const char *path, const uint8_t *build_id,
		     uint32_t build_id_bytes);
void place_file_close(struct place_file *file);
/* Convert between file offset and address; false if nothing there is loaded as code. */
bool place_file_address(const struct place_file *file, uint64_t offset, uint64_t *ret_address);
bool place_file_offset(const struct place_file *file, uint64_t address, uint64_t *ret_offset);
/* Return the number of bytes from `address` to the end of its segment. */
uint64_t place_file_left(const struct place_file *file, uint64_t address);

/* ---- place_symbols.c ---- */

/* Read the symbols of an open file. */
void place_symbols_read(struct place_file *file);
struct place_symbol *place_symbol_find(const struct place_file *file, uint64_t address);

/* ---- place_lines.c ---- */

/* Return the line, and set the source file, of an address of the file; 0 if unknown. */
uint32_t place_line_find(struct place_file *file, uint64_t address, const char **ret_source);

#endif
