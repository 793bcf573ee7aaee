/* SPDX-License-Identifier: MIT */
/* listed_line: one line of what a disassembler printed. Private to the readers of listings. */
#ifndef TAKT_INPUT_LISTED_LINE_H
#define TAKT_INPUT_LISTED_LINE_H

#include "input/listing.h"
#include "input/listing_cursor.h"

/* Return a line of the text, without its newline and without what objdump -F adds at its end. */
struct cursor takt_listed_line(const struct takt_source *source, uint32_t index);
/*
 * Read a line with an address, up to the instruction in it. *ret_name is the function that begins
 * here, if the line says so, or empty. False if the line has no address, or no instruction but
 * perhaps a message such as "Cannot access memory".
 */
bool takt_listed_insn_line(struct cursor *c, struct takt_listed *ret_listed,
			   struct cursor *ret_name);
/* Read a line of bytes and an instruction without an address; false if it is something else. */
bool takt_listed_bare_insn_line(struct cursor *c, struct takt_listed *ret_listed);
/* Read a line of objdump -r; false for other lines and for types that are not applied. */
bool takt_listed_relocation_line(struct cursor c, struct takt_listed_relocation *ret);
/* Read a line of objdump --no-addresses -r; its address is not known. */
bool takt_listed_bare_relocation_line(struct cursor c, struct takt_listed_relocation *ret);
/* Read "00000000000011b0 <dot>:" or gdb's "Dump of assembler code for function dot:". */
bool takt_listed_function_line(struct cursor c, struct cursor *ret_name);
/* Read "<dot>:", the heading of objdump --no-addresses. */
bool takt_listed_bare_function_line(struct cursor c, struct cursor *ret_name);
/*
 * Read "<L2>:", with which llvm-objdump --symbolize-operands marks what jumps inside a function
 * lead to.
 */
bool takt_listed_label_line(struct cursor c, uint32_t *ret_number);
/* Read the name of such a label: "L2". */
bool takt_listed_label_name(struct cursor name, uint32_t *ret_number);
/* Read a heading of objdump that names a section. */
bool takt_listed_section_line(struct cursor c, struct cursor *ret_name);
/* True for a heading that only disassemblers print. */
bool takt_listed_heading_line(struct cursor c);
/* True if an instruction with this beginning jumps to a number or a name. */
bool takt_listed_is_jump(struct cursor c);

#endif
