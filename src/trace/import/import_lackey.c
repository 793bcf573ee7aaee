/* SPDX-License-Identifier: MIT */
/*
 * Reads the output of valgrind --tool=lackey --trace-mem=yes, with the binaries that ran:
 *
 *	I  0401ab70,3       an instruction and its length
 *	 L 1fff000708,8     an access: L, S or M, for a load, a store or both
 */
#include <string.h>

#include "trace/import/import.h"

/* Read a line such as "I  0401ab70,3" or " L 1fff000708,8". Return its letter; 0: another line. */
static char read_line(struct import_lines *lines, uint64_t *ret_address, uint64_t *ret_size)
{
	const char *line = lines->line;
	char kind;

	if (lines->size < 5)
		return 0;
	if (line[0] == 'I' && line[1] == ' ' && line[2] == ' ')
		kind = 'I';
	else if (line[0] == ' ' && line[1] && strchr("LSM", line[1]) && line[2] == ' ')
		kind = line[1];
	else
		return 0;
	lines->at = 3;
	return takt_import_hex(lines, ret_address) && takt_import_take(lines, ",") &&
			       takt_import_decimal(lines, ret_size) && takt_import_at_end(lines)
		       ? kind
		       : 0;
}

bool takt_import_is_lackey(const char *text, size_t size_bytes)
{
	struct takt_lines lines;
	uint64_t address, length;
	const char *line;
	size_t size;

	takt_lines_init(&lines, text, size_bytes);
	while (takt_lines_next(&lines, &line, &size)) {
		struct import_lines one = {.line = line, .size = size};

		if (read_line(&one, &address, &length))
			return true;
	}
	return false;
}

/* Add an instruction. *known: whether the previous instruction and, then, this one has a binary. */
static enum takt_status read_insn(struct import *import, uint64_t address, uint64_t length,
				  bool *known)
{
	struct import_lines *lines = &import->lines;
	struct import_insn insn;
	enum import_found found = takt_import_find(import, address, &insn);
	bool was_known = *known;

	*known = found != IMPORT_NO_BINARY;
	if (found == IMPORT_NO_BINARY) {
		import->left_out++;
		return !was_known || takt_import_add_break(&import->builder, address)
			       ? TAKT_OK
			       : TAKT_BAD_INPUT;
	}
	if (found == IMPORT_NO_INSN || insn.length != length) {
		takt_import_lines_complain(lines, 3, lines->size - 3,
					   "the binary has no instruction of that length there");
		takt_note(lines->diag, "is --binary the program that ran, at the right address?");
		return TAKT_BAD_INPUT;
	}
	takt_import_add_insn(&import->builder, &insn);
	return TAKT_OK;
}

static bool add_access(struct import *import, char kind, uint64_t address, uint64_t size)
{
	if (kind != 'S' && !takt_import_add_access(&import->builder, address, size, false))
		return false;
	return kind == 'L' || takt_import_add_access(&import->builder, address, size, true);
}

enum takt_status takt_import_lackey(struct import *import)
{
	struct import_lines *lines = &import->lines;
	bool known = false;

	for (;;) {
		enum takt_status status = takt_import_lines_next(lines);
		uint64_t address, size;
		char kind;

		if (status != TAKT_OK || !lines->line)
			return status;
		if (lines->size == 0 || memcmp(lines->line, "==", 2) == 0 ||
		    memcmp(lines->line, "--", 2) == 0)
			continue;
		kind = read_line(lines, &address, &size);
		if (kind == 0) {
			takt_import_lines_complain(lines, 0, lines->size,
						   "neither an instruction nor an access");
			takt_note(lines->diag, "valgrind's --log-file=FILE keeps what the program "
					       "writes apart");
			return TAKT_BAD_INPUT;
		}
		if (kind == 'I')
			status = read_insn(import, address, size, &known);
		else if (known && !import->blocks_only && !add_access(import, kind, address, size))
			status = takt_import_lines_complain(
				lines, 3, lines->size - 3, "no access can have that place or size");
		if (status != TAKT_OK)
			return status;
	}
}
