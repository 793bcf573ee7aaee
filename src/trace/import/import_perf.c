/* SPDX-License-Identifier: MIT */
/*
 * Reads the output of perf script -F …,brstack: each sample's line has its last branches, the
 * newest first, as FROM/TO/EVENT/INTX/ABORT/CYCLES and perhaps more. All instructions between the
 * target of one branch and the address of the next one ran in sequence; the binaries have them.
 * With -F …,brstackinsn, these instructions follow below each sample's line, as
 *
 *	main+4:
 *		0000000000401136	insn: 74 ea 	# PRED 3 cycles
 */
#include <string.h>

#include "trace/import/import.h"

#define BRANCHES_MAX 1024u /* branches of a sample */
#define RUN_BYTES_MAX ((uint64_t)1 << 16)

struct branch {
	uint64_t from, to;
};

/* ---- one line ---- */

/* Skip "(/usr/bin/x)" after an address, which -F +dso writes. */
static void skip_binary(struct import_lines *lines)
{
	const char *end;

	if (lines->at == lines->size || lines->line[lines->at] != '(')
		return;
	end = memchr(lines->line + lines->at, ')', lines->size - lines->at);
	if (end)
		lines->at = (size_t)(end - lines->line) + 1;
}

static bool is_at_blank(const struct import_lines *lines)
{
	return takt_import_at_end(lines) || takt_is_blank(lines->line[lines->at]);
}

/* Skip an EVENT, INTX or ABORT: a few capital letters or a dash. */
static bool take_flag(struct import_lines *lines)
{
	size_t start = lines->at;

	while (lines->at < lines->size && lines->at - start < 4 &&
	       (lines->line[lines->at] == '-' ||
		(lines->line[lines->at] >= 'A' && lines->line[lines->at] <= 'Z')))
		lines->at++;
	return lines->at > start;
}

/* Read the branch at lines->at, up to a blank. If false, lines->at is where the error is. */
static bool read_branch(struct import_lines *lines, struct branch *ret_branch)
{
	if (!takt_import_hex(lines, &ret_branch->from))
		return false;
	skip_binary(lines);
	if (!takt_import_take(lines, "/") || !takt_import_hex(lines, &ret_branch->to))
		return false;
	skip_binary(lines);
	for (unsigned i = 0; i < 3; i++)
		if (!takt_import_take(lines, "/") || !take_flag(lines))
			return false;
	if (is_at_blank(lines))
		return true;
	if (lines->line[lines->at] != '/')
		return false;
	while (!is_at_blank(lines))
		lines->at++;
	return true;
}

/* True if the word at lines->at begins as a branch does: "0x…/". */
static bool is_branch(const struct import_lines *lines)
{
	struct import_lines word = *lines;
	uint64_t number;

	if (!takt_import_take(&word, "0x"))
		return false;
	if (!takt_import_hex(&word, &number))
		return false;
	skip_binary(&word);
	return takt_import_take(&word, "/0x");
}

static void skip_word(struct import_lines *lines)
{
	while (!is_at_blank(lines))
		lines->at++;
}

/* Skip "  0000000000401136	insn: " of brstackinsn, and return the address. */
static bool take_insn(struct import_lines *lines, uint64_t *ret_address)
{
	lines->at = 0;
	takt_import_skip_blanks(lines);
	if (!takt_import_hex(lines, ret_address) || !is_at_blank(lines))
		return false;
	takt_import_skip_blanks(lines);
	return takt_import_take(lines, "insn:");
}

bool takt_import_is_perf(const char *text, size_t size_bytes)
{
	struct takt_lines lines;
	const char *line;
	size_t size;

	takt_lines_init(&lines, text, size_bytes);
	while (takt_lines_next(&lines, &line, &size)) {
		struct import_lines one = {.line = line, .size = size};
		uint64_t address;

		if (take_insn(&one, &address))
			return true;
		one.at = 0;
		for (takt_import_skip_blanks(&one); !takt_import_at_end(&one);
		     takt_import_skip_blanks(&one)) {
			if (is_branch(&one))
				return true;
			skip_word(&one);
		}
	}
	return false;
}

/*
 * Place the binary that a line of this form says was mapped:
 * "… PERF_RECORD_MMAP2 1/1: [0x400000(0x1000) @ 0x1000 08:01 5 0]: r-xp /path"
 */
static void read_mapping(struct import *import)
{
	struct import_lines *lines = &import->lines;
	const char *start = memmem(lines->line, lines->size, ": [0x", 5), *path;
	uint64_t address, size, offset;

	if (!start)
		return;
	lines->at = (size_t)(start - lines->line) + 3;
	if (!takt_import_hex(lines, &address) || !takt_import_take(lines, "(") ||
	    !takt_import_hex(lines, &size) || !takt_import_take(lines, ") @ "))
		return;
	if (!takt_import_hex(lines, &offset))
		return;
	path = memrchr(lines->line, ' ', lines->size);
	if (path)
		takt_import_binaries_place(&import->binaries, path + 1,
					   (size_t)(lines->line + lines->size - path - 1), address,
					   offset);
}

/* ---- adding the instructions that ran ---- */

/*
 * Add the instructions from `address` to the branch at `from`. *ret_whole is false, and nothing
 * was added, if that is impossible: the bytes are unknown, or lead elsewhere before the branch.
 */
static bool add_run(struct import *import, uint64_t address, uint64_t from, bool *ret_whole)
{
	struct import_builder *builder = &import->builder;
	struct import_insn insn = {.length = 0};

	*ret_whole = false;
	if (from < address || from - address > RUN_BYTES_MAX)
		return true;
	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint64_t at = address; at - address <= from - address; at += insn.length) {
			if (takt_import_find(import, at, &insn) != IMPORT_FOUND ||
			    (at < from &&
			     (at + insn.length > from ||
			      (insn.flow != TRACE_FLOW_NEXT && insn.flow != TRACE_FLOW_BRANCH))))
				return true;
			if (pass == 1 && !takt_import_add_insn(builder, &insn))
				return false;
		}
	}
	*ret_whole = true;
	return true;
}

/* Add the runs between the branches of a sample; `branches` has the newest first. */
static bool add_sample(struct import *import, const struct branch *branches, size_t count)
{
	bool follows = false; /* the run that was added last leads to the next one */

	for (size_t i = count; i-- > 1;) {
		bool whole;

		if (!add_run(import, branches[i].to, branches[i - 1].from, &whole))
			return false;
		if (!whole) {
			import->left_out++;
			if (follows && !takt_import_add_break(&import->builder, branches[i].to))
				return false;
		}
		follows = whole;
	}
	return !follows || takt_import_add_break(&import->builder, branches[0].to);
}

/* Read an instruction of brstackinsn; lines->at is after its address. */
static enum takt_status read_insn(struct import *import, uint64_t address)
{
	struct import_lines *lines = &import->lines;
	uint8_t bytes[IMPORT_INSN_BYTES_MAX];
	struct import_insn insn;
	size_t count = 0, start = lines->at;

	for (takt_import_skip_blanks(lines); lines->size - lines->at >= 2;
	     takt_import_skip_blanks(lines)) {
		int high = takt_hex_digit(lines->line[lines->at]);
		int low = takt_hex_digit(lines->line[lines->at + 1]);

		if (high < 0 || low < 0 || count == sizeof(bytes))
			break;
		bytes[count++] = (uint8_t)(high << 4 | low);
		lines->at += 2;
	}
	if (!takt_import_decode(import->builder.guest, bytes, count, address, &insn) ||
	    insn.length != count) {
		takt_import_lines_complain(lines, start, lines->at - start,
					   "these bytes are no instruction of %s",
					   import->builder.guest->name);
		takt_note(lines->diag, "--isa names another set");
		return TAKT_BAD_INPUT;
	}
	return takt_import_add_insn(&import->builder, &insn) ? TAKT_OK : TAKT_BAD_INPUT;
}

static enum takt_status need_binary(const struct import *import, size_t at)
{
	takt_import_lines_complain(&import->lines, at, 1,
				   "this says where branches are, not which instructions ran");
	takt_note(import->lines.diag, "--binary=FILE gives the program that ran; "
				      "FILE@ADDRESS, where it was loaded");
	return TAKT_BAD_INPUT;
}

static enum takt_status read_sample(struct import *import)
{
	struct branch branches[BRANCHES_MAX];
	struct import_lines *lines = &import->lines;
	size_t count = 0;

	for (takt_import_skip_blanks(lines); !takt_import_at_end(lines);
	     takt_import_skip_blanks(lines)) {
		size_t start = lines->at;

		if (!is_branch(lines)) {
			skip_word(lines);
			continue;
		}
		if (import->binaries.count == 0)
			return need_binary(import, start);
		if (count == BRANCHES_MAX)
			return takt_import_lines_complain(
				lines, start, 1, "more than %u branches in a sample", BRANCHES_MAX);
		if (!read_branch(lines, &branches[count++])) {
			takt_import_lines_complain(lines, lines->at, 1, "this is no branch");
			takt_note(lines->diag, "perf script writes FROM/TO/EVENT/INTX/ABORT/CYCLES "
					       "for -F brstack");
			return TAKT_BAD_INPUT;
		}
	}
	return add_sample(import, branches, count) ? TAKT_OK : TAKT_BAD_INPUT;
}

/* True for "	main+4:" of brstackinsn, which only names the place of the next instruction. */
static bool is_label(const struct import_lines *lines)
{
	return lines->size > 1 && takt_is_blank(lines->line[0]) &&
	       lines->line[lines->size - 1] == ':';
}

/* Read a line; *within says whether it is below a sample's line of brstackinsn. */
static enum takt_status read_line(struct import *import, bool *within)
{
	struct import_lines *lines = &import->lines;
	uint64_t address;

	if (take_insn(lines, &address)) {
		*within = true;
		return read_insn(import, address);
	}
	lines->at = 0;
	if (*within && is_label(lines))
		return TAKT_OK;
	if (*within && !takt_import_add_break(&import->builder, 0))
		return TAKT_BAD_INPUT;
	*within = false;
	if (!memmem(lines->line, lines->size, "PERF_RECORD_MMAP", 16))
		return read_sample(import);
	read_mapping(import);
	return TAKT_OK;
}

enum takt_status takt_import_perf(struct import *import)
{
	bool within = false;

	for (;;) {
		enum takt_status status = takt_import_lines_next(&import->lines);

		if (status != TAKT_OK || !import->lines.line)
			return status;
		status = read_line(import, &within);
		if (status != TAKT_OK)
			return status;
	}
}
