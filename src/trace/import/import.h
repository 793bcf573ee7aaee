/* SPDX-License-Identifier: MIT */
/*
 * import: traces that other tools wrote, as a source of blocks and records. Text is read line by
 * line, so memory does not grow with its length.
 *
 *	import_lines.c → import_{hex,lackey,perf}.c ┐
 *	                 import_listing.c           ┴→ import_block.c → sequencer, log
 *	                 import_binary.c: the bytes at an address
 *	                 import_place.c: made-up addresses, for code without any
 */
#ifndef TAKT_TRACE_IMPORT_H
#define TAKT_TRACE_IMPORT_H

#include "trace/blocks/record.h"
#include "trace/trace.h"

#define IMPORT_INSN_BYTES_MAX 15u
#define IMPORT_BLOCK_BYTES_MAX ((size_t)16 * TRACE_INSNS_MAX)
#define IMPORT_LINE_BYTES_MAX ((size_t)1 << 20)

/* ---- import_lines.c: lines of a stream, and words and numbers in them ---- */

struct import_lines {
	const char *name; /* for messages */
	struct takt_diag *diag;
	int descriptor;
	volatile int *signal; /* reading ends once this is not 0; or NULL */
	bool at_end;	      /* the stream's end is in the buffer */
	char *buffer;
	size_t begin, end; /* part of the buffer that was not returned yet */
	/* The line last returned, ended by newline or NUL, which `size` excludes. */
	const char *line;
	size_t size, at; /* `at`: offset of the next character to scan */
	uint32_t number;
};

TAKT_MUST_CHECK enum takt_status takt_import_lines_open(struct import_lines *lines,
							const char *path, struct takt_diag *diag);
void takt_import_lines_close(struct import_lines *lines);
/* Fill the buffer, up to the greatest length of a line, and consume nothing. */
TAKT_MUST_CHECK enum takt_status takt_import_lines_peek(struct import_lines *lines);
/* Read the next line. At the end of the stream, return TAKT_OK and set lines->line to NULL. */
TAKT_MUST_CHECK enum takt_status takt_import_lines_next(struct import_lines *lines);
/* Report an error in the line, from column `at` (0-based) on; return TAKT_BAD_INPUT. */
enum takt_status takt_import_lines_complain(const struct import_lines *lines, size_t at,
					    size_t width, const char *format, ...)
	TAKT_PRINTF(4, 5);

/* These advance lines->at after what they find, or return false and leave it. */
void takt_import_skip_blanks(struct import_lines *lines);
bool takt_import_take(struct import_lines *lines, const char *word);
bool takt_import_hex(struct import_lines *lines, uint64_t *ret_number); /* 0x is optional */
bool takt_import_decimal(struct import_lines *lines, uint64_t *ret_number);
bool takt_import_at_end(const struct import_lines *lines);

/* ---- import_binary.c: programs and libraries whose code ran ---- */

struct import_segment {
	uint64_t address, size_bytes;
	const uint8_t *bytes;
};

struct import_binary {
	struct takt_file file;
	const char *path; /* without @ADDRESS */
	bool placed;	  /* its address is known: from @ADDRESS, a mapping, or the file */
	uint64_t bias, first;
	struct import_segment *segments; /* executable segments */
	uint32_t segment_count;
};

struct import_binaries {
	const struct trace_guest *guest; /* NULL: there are no binaries */
	struct import_binary *items;
	uint32_t count;
	struct takt_arena arena;
};

/*
 * Open the binaries that `names` say, each as FILE or FILE@ADDRESS. They must be released even
 * after an error.
 */
TAKT_MUST_CHECK enum takt_status takt_import_binaries_open(struct import_binaries *binaries,
							   const char *const *names, size_t count,
							   struct takt_diag *diag);
void takt_import_binaries_release(struct import_binaries *binaries);
/* Return the code bytes from `address` on, and their number; NULL if there are none. */
const uint8_t *takt_import_binaries_find(struct import_binaries *binaries, uint64_t address,
					 size_t *ret_size_bytes);
/*
 * Place the binary of that name, if it has no address yet: the bytes from `offset` on were mapped
 * at `address`.
 */
void takt_import_binaries_place(struct import_binaries *binaries, const char *path,
				size_t path_size_bytes, uint64_t address, uint64_t offset);

/* ---- import_block.c: instructions to blocks ---- */

struct import_insn {
	uint64_t address, target; /* target: of a direct branch */
	uint8_t bytes[16];
	uint8_t length;
	uint8_t flow; /* enum trace_flow */
	bool repeats, is_syscall, is_call, is_return;
};

/* Decode the instruction at the start of `bytes`; false if there is none. */
bool takt_import_decode(const struct trace_guest *guest, const uint8_t *bytes, size_t size_bytes,
			uint64_t address, struct import_insn *ret_insn);

struct import_places;

struct import_builder {
	const struct trace_guest *guest;
	struct trace_log_writer *log; /* or NULL */
	struct trace_dictionary *dictionary;
	struct trace_sequencer *sequencer;
	struct import_places *places; /* NULL: addresses are known */
	uint32_t *table;	      /* hash of address and bytes: 1 + block number; 0: free */
	uint32_t table_size;
	/* The block that is being built. */
	uint64_t address;
	uint32_t insn_count, size_bytes;
	uint8_t lengths[TRACE_INSNS_MAX], bytes[IMPORT_BLOCK_BYTES_MAX];
	uint64_t *accesses;
	size_t access_count, access_capacity;
	struct import_insn last;
	/* Records that were not passed to the sequencer yet. */
	uint64_t records[4096];
	size_t record_count;
};

void takt_import_builder_init(struct import_builder *builder, struct trace_sequencer *sequencer,
			      struct trace_log_writer *log, bool without_addresses);
void takt_import_builder_release(struct import_builder *builder);
/*
 * Append an instruction. If the builder is without addresses, its address is ignored. False: there
 * is too much different code.
 */
bool takt_import_add_insn(struct import_builder *builder, const struct import_insn *insn);
/*
 * Add a memory access of the last instruction. False: there is no instruction, there are too many
 * accesses, or the address or size is impossible.
 */
bool takt_import_add_access(struct import_builder *builder, uint64_t address, uint64_t size_bytes,
			    bool is_store);
/* Note a gap in the trace, before which control went to `address`, or 0 if that is unknown. */
bool takt_import_add_break(struct import_builder *builder, uint64_t address);
bool takt_import_finish(struct import_builder *builder);

/* ---- import_place.c ---- */

struct import_places *takt_import_places_new(void);
void takt_import_places_free(struct import_places *places);
/*
 * Make up the address of a block that ends in `last` and ran after the block of the previous call.
 * False if there is too much different code.
 */
bool takt_import_place(struct import_places *places, const struct import_insn *last,
		       const uint8_t *bytes, uint32_t size_bytes, uint64_t *ret_address);

/* ---- import_{hex,lackey,perf,listing}.c: readers that feed a builder ---- */

#define IMPORT_CACHE_INSNS 16384u

struct import {
	struct import_lines lines;
	struct import_binaries binaries;
	struct import_builder builder;
	bool has_accesses;
	bool blocks_only;			      /* ignore accesses */
	enum takt_syntax syntax;		      /* syntax of listings */
	uint64_t left_out;			      /* see struct takt_trace_totals */
	struct import_insn cache[IMPORT_CACHE_INSNS]; /* hashed by address; length 0: unused */
};

/* The kinds of line that a hexadecimal text has. */
struct import_hex_traits {
	bool has_addresses, has_accesses;
};

/*
 * Detect the format: true if some line in the first part of a text is of that kind. For hex, the
 * first line that can tell decides.
 */
bool takt_import_is_hex(const char *text, size_t size_bytes, struct import_hex_traits *ret_traits);
bool takt_import_is_lackey(const char *text, size_t size_bytes);
bool takt_import_is_perf(const char *text, size_t size_bytes);

enum import_found { IMPORT_FOUND, IMPORT_NO_BINARY, IMPORT_NO_INSN };

/* import.c: find the instruction at an address in the binaries. */
enum import_found takt_import_find(struct import *import, uint64_t address,
				   struct import_insn *ret_insn);
/* Report that takt_import_add_insn() has failed. */
enum takt_status takt_import_too_much(const struct import *import);

TAKT_MUST_CHECK enum takt_status takt_import_hex_text(struct import *import);
TAKT_MUST_CHECK enum takt_status takt_import_lackey(struct import *import);
TAKT_MUST_CHECK enum takt_status takt_import_perf(struct import *import);
TAKT_MUST_CHECK enum takt_status takt_import_listing(struct import *import);

#endif
