/* SPDX-License-Identifier: MIT */
/* Reads assembly text, as if its instructions ran once, in the order in which they are written. */
#include <elf.h>
#include <string.h>

#include "input/input.h"
#include "trace/import/import.h"

/* Size of the text that is assembled at once; labels are known only within such a part. */
#define PART_BYTES ((size_t)4 << 20)
/* A core that has all extensions with mnemonics of their own; it is used only to assemble. */
#define RISCV_SET "llvm:riscv64-linux-gnu:sifive-x280"

static enum takt_status add_region(struct import *import, const struct takt_region *region)
{
	const uint8_t *bytes = region->bytes;
	size_t left = region->size_bytes;

	while (left) {
		struct import_insn insn;

		if (!takt_import_decode(import->builder.guest, bytes, left, 0, &insn)) {
			const struct takt_bytes_place place = {
				.file = import->lines.name,
				.offset = (uint64_t)(bytes - region->bytes),
				.row = bytes,
				.row_size_bytes = left < 16 ? left : 16,
			};

			takt_error_in_bytes(import->lines.diag, &place,
					    "these bytes are no instruction");
			return TAKT_BAD_INPUT;
		}
		if (!takt_import_add_insn(&import->builder, &insn))
			return takt_import_too_much(import);
		bytes += insn.length;
		left -= insn.length;
	}
	return TAKT_OK;
}

static enum takt_status add_part(struct import *import, const struct takt_text *text)
{
	const struct trace_guest *guest = import->builder.guest;
	const struct takt_code_options options = {
		.path = import->lines.name,
		.data = text->data,
		.data_size_bytes = text->size_bytes,
		.format = TAKT_INPUT_ASSEMBLY,
		.isa = guest->machine == EM_RISCV ? RISCV_SET : guest->name,
		.syntax = import->syntax,
		.whole = true,
	};
	struct takt_code *code;
	enum takt_status status = takt_code_open(&options, import->lines.diag, &code);

	if (status != TAKT_OK)
		return status;
	for (size_t i = 0; i < takt_code_region_count(code) && status == TAKT_OK; i++)
		status = add_region(import, takt_code_region(code, i));
	takt_code_close(code);
	return status;
}

/* True if the line is neither blank nor a comment. */
static bool says_something(struct import_lines *lines)
{
	takt_import_skip_blanks(lines);
	return !takt_import_at_end(lines) && !strchr("#/;@", lines->line[lines->at]);
}

enum takt_status takt_import_listing(struct import *import)
{
	struct import_lines *lines = &import->lines;
	struct takt_text text = {0};
	uint32_t before = 0; /* lines in the previous parts */
	bool any = false;    /* this part has a line that is neither blank nor a comment */
	enum takt_status status;

	do {
		status = takt_import_lines_next(lines);
		if (status == TAKT_OK && lines->line) {
			takt_text_add(&text, lines->line, lines->size);
			takt_text_add(&text, "\n", 1);
			any = any || says_something(lines);
		}
		if (status != TAKT_OK || (lines->line && text.size_bytes < PART_BYTES))
			continue;
		if (any || before == 0)
			status = add_part(import, &text);
		if (status != TAKT_OK && before)
			takt_note(lines->diag, "lines are counted from %u on", before);
		before = lines->number;
		any = false;
		takt_text_release(&text);
		takt_text_init(&text);
	} while (status == TAKT_OK && lines->line);
	takt_text_release(&text);
	return status;
}
