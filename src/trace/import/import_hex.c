/* SPDX-License-Identifier: MIT */
/*
 * Reads instructions as hexadecimal digits, one on each line, in the order in which they ran:
 *
 *	48 89 c8                          bytes
 *	401000: 4889c8                    address and bytes
 *	  401000:	48 89 c8	mov rax, rcx      as objdump -d writes them
 *	=> 0x401000 <main>:	mov rax, rcx      as gdb does; the bytes come from a binary
 *	R 0x7ffe0010 8                    an access (R, W or M) of the instruction before
 */
#include <elf.h>
#include <string.h>

#include "trace/import/import.h"

/* Kinds of line. */
enum hex_line { HEX_NOTHING, HEX_ACCESS, HEX_CODE };

struct hex_code {
	bool has_address, has_bytes, is_word;
	uint64_t address;
	size_t start; /* column of the bytes */
};

/* Bytes that objdump writes on a line; the rest of a longer instruction is on the next one. */
#define WRAPPED_BYTES 7u

/* Bytes that were read and are not a complete instruction yet. */
struct hex_pending {
	uint64_t address;
	size_t size;
	uint8_t bytes[64];
	size_t column, width; /* place of the bytes in their last line */
	bool may_wrap;	      /* the instruction may continue in the next line */
};

/* ---- one line ---- */

static bool is_access(const struct import_lines *lines)
{
	const char *line = lines->line + lines->at;

	return lines->size - lines->at > 2 && strchr("RWM", line[0]) && takt_is_blank(line[1]);
}

static bool is_skipped(const struct import_lines *lines)
{
	const char *end = lines->line + lines->size;

	if (takt_import_at_end(lines) || lines->line[lines->at] == '#')
		return true;
	/* Skip objdump's headers. */
	return (lines->size > 2 && memcmp(end - 2, ">:", 2) == 0) ||
	       memmem(lines->line, lines->size, "file format ", 12) ||
	       memmem(lines->line, lines->size, "Disassembly of section ", 23) ||
	       (lines->size - lines->at == 3 && memcmp(end - 3, "...", 3) == 0);
}

/* Read "401000:", perhaps with a symbol's name before the colon. */
static bool take_address(struct import_lines *lines, uint64_t *ret_address)
{
	size_t start = lines->at;

	if (!takt_import_hex(lines, ret_address))
		return false;
	takt_import_skip_blanks(lines);
	if (takt_import_take(lines, "<")) {
		const char *end = memchr(lines->line + lines->at, '>', lines->size - lines->at);

		if (end)
			lines->at = (size_t)(end - lines->line) + 1;
	}
	if (takt_import_take(lines, ":"))
		return true;
	lines->at = start;
	return false;
}

/* Find the kind and the parts of a line, without reading the bytes themselves. */
static enum hex_line read_line(struct import_lines *lines, struct hex_code *code)
{
	bool is_gdb;

	*code = (struct hex_code){0};
	takt_import_skip_blanks(lines);
	is_gdb = takt_import_take(lines, "=> ");
	if (!is_gdb && is_skipped(lines))
		return HEX_NOTHING;
	if (is_access(lines))
		return HEX_ACCESS;
	code->has_address = take_address(lines, &code->address);
	code->is_word =
		code->has_address && lines->at < lines->size && lines->line[lines->at] == '\t';
	takt_import_skip_blanks(lines);
	code->start = lines->at;
	code->has_bytes = !is_gdb && !takt_import_at_end(lines);
	return HEX_CODE;
}

/* Return how many bytes a run of digits stands for; 0: it is not such a run. */
static size_t run_of_digits(const char *text, size_t size)
{
	size_t digits = 0;

	while (digits < size && takt_hex_digit(text[digits]) >= 0)
		digits++;
	if (digits % 2 || (digits < size && !strchr(" \t,;#", text[digits])))
		return 0;
	return digits / 2;
}

static bool ends_bytes(const char *text, size_t size)
{
	return size == 0 || text[0] == '\t' || text[0] == ';' || text[0] == '#' ||
	       (size > 1 && text[0] == ' ' && takt_is_blank(text[1]));
}

bool takt_import_is_hex(const char *text, size_t size_bytes, struct import_hex_traits *ret_traits)
{
	bool is_hex = false, known = false;
	struct takt_lines lines;
	const char *line;
	size_t size;

	*ret_traits = (struct import_hex_traits){0};
	takt_lines_init(&lines, text, size_bytes);
	while (takt_lines_next(&lines, &line, &size)) {
		struct import_lines one = {.line = line, .size = size};
		struct hex_code code;
		enum hex_line what = read_line(&one, &code);

		ret_traits->has_accesses = ret_traits->has_accesses || what == HEX_ACCESS;
		if (what != HEX_CODE || known)
			continue;
		known = true;
		is_hex = ret_traits->has_addresses = code.has_address;
		if (code.has_bytes) {
			size_t bytes = run_of_digits(line + code.start, size - code.start);
			size_t at = code.start + 2 * bytes;

			is_hex = bytes > 0 && (ends_bytes(line + at, size - at) ||
					       run_of_digits(line + at + 1, size - at - 1));
		}
	}
	return is_hex;
}

/* ---- code ---- */

static enum takt_status need_whole(const struct import *import, const struct hex_pending *pending)
{
	const struct import_lines *lines = &import->lines;

	takt_import_lines_complain(lines, pending->column, pending->width,
				   "no instruction of %s begins with these bytes",
				   import->builder.guest->name);
	takt_note(lines->diag, "a line holds whole instructions; --isa names another set");
	return TAKT_BAD_INPUT;
}

/* Add the complete instructions at the start of the pending bytes. */
static enum takt_status add_pending(struct import *import, struct hex_pending *pending)
{
	struct import_insn insn;

	while (pending->size && takt_import_decode(import->builder.guest, pending->bytes,
						   pending->size, pending->address, &insn)) {
		if (!takt_import_add_insn(&import->builder, &insn))
			return takt_import_too_much(import);
		pending->size -= insn.length;
		pending->address += insn.length;
		memmove(pending->bytes, pending->bytes + insn.length, pending->size);
	}
	return pending->size > IMPORT_INSN_BYTES_MAX || (pending->size && !pending->may_wrap)
		       ? need_whole(import, pending)
		       : TAKT_OK;
}

static enum takt_status read_bytes(struct import *import, const struct hex_code *code,
				   struct hex_pending *pending)
{
	struct import_lines *lines = &import->lines;
	bool is_x86 = import->builder.guest->machine == EM_X86_64;
	size_t on_line = 0;

	lines->at = code->start;
	for (;;) {
		const char *text = lines->line + lines->at;
		size_t left = lines->size - lines->at;
		size_t prefix = left > 2 && text[0] == '0' && (text[1] | 0x20) == 'x' ? 2 : 0;
		size_t count = run_of_digits(text + prefix, left - prefix);

		if (count == 0 || count > sizeof(pending->bytes) - pending->size)
			break;
		for (size_t i = 0; i < count; i++) {
			/* objdump writes words of other instruction sets as numbers. */
			size_t k = !is_x86 && code->is_word ? count - 1 - i : i;
			const char *digits = text + prefix + 2 * k;

			pending->bytes[pending->size++] = (uint8_t)(takt_hex_digit(digits[0]) << 4 |
								    takt_hex_digit(digits[1]));
		}
		lines->at += prefix + 2 * count;
		on_line += count;
		pending->may_wrap = code->has_address && on_line >= WRAPPED_BYTES;
		pending->width = lines->at - pending->column;
		if (ends_bytes(lines->line + lines->at, lines->size - lines->at))
			return add_pending(import, pending);
		lines->at++;
		takt_import_skip_blanks(lines);
		if (ends_bytes(lines->line + lines->at, lines->size - lines->at))
			return add_pending(import, pending);
	}
	takt_import_lines_complain(lines, lines->at, 1, "here should be bytes of an instruction");
	takt_note(lines->diag, "write bytes as \"48 01 d8\" or \"4801d8\", text after a tab");
	return TAKT_BAD_INPUT;
}

/* Add the instruction of a line that has only an address, from a binary. */
static enum takt_status read_at(struct import *import, const struct hex_code *code)
{
	struct import_lines *lines = &import->lines;
	struct import_insn insn;

	if (import->binaries.count == 0) {
		takt_import_lines_complain(lines, 0, lines->size,
					   "an instruction without its bytes");
		takt_note(lines->diag, "--binary=FILE gives the program that it is in");
		return TAKT_BAD_INPUT;
	}
	switch (takt_import_find(import, code->address, &insn)) {
	case IMPORT_FOUND:
		takt_import_add_insn(&import->builder, &insn);
		break;
	case IMPORT_NO_BINARY:
		import->left_out++;
		takt_import_add_break(&import->builder, code->address);
		break;
	case IMPORT_NO_INSN:
		return takt_import_lines_complain(lines, 0, lines->size,
						  "no instruction of %s is there",
						  import->builder.guest->name);
	}
	return TAKT_OK;
}

static enum takt_status read_code(struct import *import, const struct hex_code *code,
				  struct hex_pending *pending)
{
	struct import_lines *lines = &import->lines;

	if (code->has_address == (import->builder.places != NULL)) {
		takt_import_lines_complain(lines, 0, 1,
					   code->has_address
						   ? "an address, and the lines before have none"
						   : "no address, and the lines before have one");
		return TAKT_BAD_INPUT;
	}
	if (pending->size && code->has_address && code->address != pending->address + pending->size)
		return takt_import_lines_complain(lines, 0, 1,
						  "the instruction before is not complete");
	if (!code->has_bytes)
		return read_at(import, code);
	if (pending->size == 0)
		pending->address = code->address;
	pending->column = code->start;
	return read_bytes(import, code, pending);
}

/* ---- accesses ---- */

static enum takt_status read_access(struct import *import)
{
	struct import_lines *lines = &import->lines;
	char kind = lines->line[lines->at++];
	uint64_t address, size;
	size_t start;
	bool fine;

	takt_import_skip_blanks(lines);
	start = lines->at;
	fine = takt_import_hex(lines, &address);
	takt_import_take(lines, ",");
	takt_import_skip_blanks(lines);
	if (!fine || !takt_import_decimal(lines, &size)) {
		takt_import_lines_complain(lines, lines->at, 1, "%s",
					   fine ? "here should be the access's size in bytes"
						: "here should be an address");
		takt_note(lines->diag, "an access is \"R 0x7ffe0010 8\" or \"W 0x7ffe0010 8\"");
		return TAKT_BAD_INPUT;
	}
	if (import->blocks_only)
		return TAKT_OK;
	if (!import->has_accesses) {
		takt_import_lines_complain(lines, 0, lines->size, "the first access is this late");
		takt_note(lines->diag, "whether there are any must show in the first %zu KiB",
			  IMPORT_LINE_BYTES_MAX >> 10);
		return TAKT_BAD_INPUT;
	}
	fine = (kind == 'W' || takt_import_add_access(&import->builder, address, size, false)) &&
	       (kind == 'R' || takt_import_add_access(&import->builder, address, size, true));
	return fine ? TAKT_OK
		    : takt_import_lines_complain(lines, start, lines->at - start,
						 "this access is impossible: no instruction, or no "
						 "such address or size");
}

enum takt_status takt_import_hex_text(struct import *import)
{
	struct hex_pending pending = {0};
	struct import_lines *lines = &import->lines;

	for (;;) {
		enum takt_status status = takt_import_lines_next(lines);
		struct hex_code code;

		if (status != TAKT_OK)
			return status;
		if (!lines->line)
			break;
		switch (read_line(lines, &code)) {
		case HEX_NOTHING:
			break;
		case HEX_ACCESS:
			status = read_access(import);
			break;
		case HEX_CODE:
			status = read_code(import, &code, &pending);
			break;
		}
		if (status != TAKT_OK)
			return status;
	}
	if (pending.size) {
		takt_error(lines->diag, "'%s' ends within an instruction", lines->name);
		return TAKT_BAD_INPUT;
	}
	return TAKT_OK;
}
