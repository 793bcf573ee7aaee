/* SPDX-License-Identifier: MIT */
/*
 * import: what others say of a program that ran, as a source of blocks and records. Text is
 * read line by line, so memory does not grow with its length.
 *
 *	import_lines.c → import_{hex,lackey,perf}.c ┐
 *	                 import_listing.c           ┴→ import_block.c → stepper, log
 *	                 import_binary.c: the bytes at an address
 *	                 import_place.c: addresses of code that comes without
 */
#ifndef TAKT_TRACE_IMPORT_H
#define TAKT_TRACE_IMPORT_H

#include "trace/record.h"
#include "trace/trace.h"

#define IMPORT_INSN_BYTES_MAX 15u
#define IMPORT_BLOCK_BYTES_MAX (16u * TRACE_INSNS_MAX)
#define IMPORT_LINE_BYTES_MAX ((size_t)1 << 20)

/* ---- import_lines.c: lines of a stream, and what stands in them ---- */

struct import_lines {
	const char *name; /* for messages */
	struct takt_diag *diag;
	int descriptor;
	volatile int *signal; /* no line comes after one; or NULL */
	bool at_end; /* all is in the buffer */
	char *buffer;
	size_t begin, end; /* of what is in it and was not returned yet */
	/* The line last returned, ended by newline or NUL, which `size` excludes. */
	const char *line;
	size_t size, at; /* `at`: how far it was scanned */
	uint32_t number;
};

TAKT_MUST_CHECK enum takt_status takt_import_lines_open(struct import_lines *lines,
							const char *path, struct takt_diag *diag);
void takt_import_lines_close(struct import_lines *lines);
/* The first bytes, up to a line's greatest length; nothing is consumed. */
TAKT_MUST_CHECK enum takt_status takt_import_lines_peek(struct import_lines *lines);
/* TAKT_OK with lines->line NULL at the end. */
TAKT_MUST_CHECK enum takt_status takt_import_lines_next(struct import_lines *lines);
/* Reports an error in the line, from column `at` (0-based) on; returns TAKT_BAD_INPUT. */
enum takt_status takt_import_lines_complain(const struct import_lines *lines, size_t at,
					    size_t width, const char *format, ...)
	TAKT_PRINTF(4, 5);

/* These move lines->at behind what they find, or return false and leave it. */
void takt_import_skip_blanks(struct import_lines *lines);
bool takt_import_take(struct import_lines *lines, const char *word);
bool takt_import_hex(struct import_lines *lines, uint64_t *ret_number); /* 0x or not */
bool takt_import_decimal(struct import_lines *lines, uint64_t *ret_number);
bool takt_import_at_end(const struct import_lines *lines);
int takt_import_digit(char c); /* of a hexadecimal number, or -1 */

/* ---- import_binary.c: programs and libraries whose code ran ---- */

struct import_segment {
	uint64_t address, size_bytes;
	const uint8_t *bytes;
};

struct import_binary {
	struct takt_file file;
	const char *path; /* without @ADDRESS */
	bool placed;	  /* by @ADDRESS, or not to be moved */
	uint64_t bias, first;
	struct import_segment *segments; /* that can be executed */
	uint32_t segment_count;
};

struct import_binaries {
	const struct trace_guest *guest; /* NULL: there are none */
	struct import_binary *items;
	uint32_t count;
	struct takt_arena arena;
};

/* `names`: FILE or FILE@ADDRESS. To be released in any case. */
TAKT_MUST_CHECK enum takt_status takt_import_binaries_open(struct import_binaries *binaries,
							   const char *const *names, size_t count,
							   struct takt_diag *diag);
void takt_import_binaries_release(struct import_binaries *binaries);
/* The bytes from `address` on, up to `*ret_size_bytes` of them; NULL if there are none. */
const uint8_t *takt_import_binaries_find(struct import_binaries *binaries, uint64_t address,
					 size_t *ret_size_bytes);
/* A file of that name was mapped there, from that offset on: if it has no address yet. */
void takt_import_binaries_place(struct import_binaries *binaries, const char *path,
				size_t path_size_bytes, uint64_t address, uint64_t offset);

/* ---- import_block.c: instructions to blocks ---- */

struct import_insn {
	uint64_t address, target; /* of a direct branch */
	uint8_t bytes[16];
	uint8_t length;
	uint8_t flow; /* enum trace_flow */
	bool repeats, is_syscall, is_call, is_return;
};

/* What is at the start of `bytes`; false if that is no instruction. */
bool takt_import_decode(const struct trace_guest *guest, const uint8_t *bytes, size_t size_bytes,
			uint64_t address, struct import_insn *ret_insn);

struct import_places;

struct import_builder {
	const struct trace_guest *guest;
	struct trace_log_writer *log; /* or NULL */
	struct trace_dictionary *dictionary;
	struct trace_stepper *stepper;
	struct import_places *places; /* NULL: addresses are known */
	uint32_t *table;	      /* 1 + a block's number, by address and bytes; 0: none */
	uint32_t table_size;
	/* The block that grows. */
	uint64_t address;
	uint32_t insn_count, size_bytes;
	uint8_t lengths[TRACE_INSNS_MAX], bytes[IMPORT_BLOCK_BYTES_MAX];
	uint64_t *accesses;
	size_t access_count, access_capacity;
	struct import_insn last;
	/* What was not handed on yet. */
	uint64_t records[4096];
	size_t record_count;
};

void takt_import_builder_init(struct import_builder *builder, struct trace_stepper *stepper,
			      struct trace_log_writer *log, bool without_addresses);
void takt_import_builder_release(struct import_builder *builder);
/* Without addresses, an instruction's address is ignored. False: too much different code. */
bool takt_import_add_insn(struct import_builder *builder, const struct import_insn *insn);
/* Of the instruction added last. False: none, or too many, or no such address or size. */
bool takt_import_add_access(struct import_builder *builder, uint64_t address, uint64_t size_bytes,
			    bool is_store);
/* What comes next did not follow at once; control went to `address`, or 0: not known. */
bool takt_import_add_break(struct import_builder *builder, uint64_t address);
bool takt_import_finish(struct import_builder *builder);

/* ---- import_place.c ---- */

struct import_places *takt_import_places_new(void);
void takt_import_places_free(struct import_places *places);
/*
 * Where a block is that ends in `last` and ran after the one placed before it. False if there
 * is too much different code.
 */
bool takt_import_place(struct import_places *places, const struct import_insn *last,
		       const uint8_t *bytes, uint32_t size_bytes, uint64_t *ret_address);

/* ---- import_{hex,lackey,perf,listing}.c: to a builder ---- */

#define IMPORT_CACHE_INSNS 16384u

struct import {
	struct import_lines lines;
	struct import_binaries binaries;
	struct import_builder builder;
	bool has_accesses;
	bool blocks_only;			      /* leave accesses out */
	enum takt_syntax syntax;		      /* of listings */
	uint64_t left_out;			      /* see struct takt_trace_totals */
	struct import_insn cache[IMPORT_CACHE_INSNS]; /* by address; length 0: nothing */
};

/* What the lines of hexadecimal text have. */
struct import_hex_traits {
	bool has_addresses, has_accesses;
};

/* Whether some line in a text's first part is of that kind; for hex, the first one that says. */
bool takt_import_is_hex(const char *text, size_t size_bytes, struct import_hex_traits *ret_traits);
bool takt_import_is_lackey(const char *text, size_t size_bytes);
bool takt_import_is_perf(const char *text, size_t size_bytes);

enum import_found { IMPORT_FOUND, IMPORT_NO_BINARY, IMPORT_NO_INSN };

/* import.c: the instruction at an address, in the binaries. */
enum import_found takt_import_find(struct import *import, uint64_t address,
				   struct import_insn *ret_insn);
/* Reports that takt_import_add_insn() has failed. */
enum takt_status takt_import_too_much(const struct import *import);

TAKT_MUST_CHECK enum takt_status takt_import_hex_text(struct import *import);
TAKT_MUST_CHECK enum takt_status takt_import_lackey(struct import *import);
TAKT_MUST_CHECK enum takt_status takt_import_perf(struct import *import);
TAKT_MUST_CHECK enum takt_status takt_import_listing(struct import *import);

#endif
