/* SPDX-License-Identifier: MIT */
/*
 * code: the contents of takt_code, and the functions that fill it. However code is chosen
 * (markers, lines, ranges, loops), takt_region_add() turns the spans of one section into a region
 * of consecutive bytes.
 */
#ifndef TAKT_INPUT_CODE_H
#define TAKT_INPUT_CODE_H

#include <pthread.h>

#include "input/image.h"
#include "input/input.h"

/* Addresses [begin, end) of one section. */
struct takt_span {
	uint64_t begin, end;
};

/* The origin of a part of a region whose bytes were copied together from several spans. */
struct takt_piece {
	size_t offset;	  /* in the region */
	uint64_t address; /* in the section */
};

struct takt_region_entry {
	struct takt_region region;
	uint32_t section;
	uint32_t piece_count; /* 0: the region lies in the section as it is */
	const struct takt_piece *pieces;
	size_t outer;		   /* index of the region around a loop; TAKT_NO_REGION: none */
	struct takt_span approach; /* straight code from the function's start to a nest; or empty */
};

#define TAKT_NO_REGION SIZE_MAX

/* Addresses of part `index` of a region, of which there are takt_entry_span_count(). */
struct takt_span takt_entry_span(const struct takt_region_entry *entry, size_t index);
size_t takt_entry_span_count(const struct takt_region_entry *entry);

/* A comment with a meaning, such as OSACA-BEGIN, LLVM-MCA-END or LLVM-MCA-RISCV-LMUL. */
struct takt_comment {
	const char *keyword; /* as the text has it */
	const char *name;    /* the text after the keyword, or "" */
	uint32_t line, column;
	bool mca, begins;
};

/* Kinds of line in a disassembly. */
enum takt_listed_kind { TAKT_LISTED_INSN, TAKT_LISTED_BYTES };

/* A line of a disassembly: an instruction, or more bytes of the one before. */
struct takt_listed {
	uint32_t line; /* index in takt_source.lines */
	uint64_t address;
	const char *section, *function; /* those that begin at the line, or NULL */
	uint32_t run;			/* from 1; addresses ascend within a run */
	uint8_t kind;			/* enum takt_listed_kind */
	uint8_t size_bytes;		/* 0 if the disassembly shows no bytes */
	uint8_t bytes[16];
	uint32_t label; /* N + 1 for llvm-objdump's "<LN>:" in front of the line; 0: none */
};

/* A relocation that objdump -r prints between the instructions. */
struct takt_listed_relocation {
	uint64_t address, addend;
	unsigned type;	  /* R_X86_64_PC32 ... */
	const char *name; /* of the symbol, name_bytes long */
	size_t name_bytes;
	size_t listed; /* index in takt_source.listed of the line before it */
};

/* Assembly text, NUL-terminated; empty for other input. */
struct takt_source {
	const char *text;
	const char **lines; /* the beginning of each line, which a newline or a NUL ends */
	uint32_t line_count;
	struct takt_listed *listed; /* a disassembly's lines with addresses, ascending; else NULL */
	size_t listed_count;
	struct takt_listed_relocation *relocations; /* in the order of lines */
	size_t relocation_count;
	struct takt_comment *comments; /* those that begin or end regions */
	size_t comment_count;
	struct takt_comment *settings;
	size_t setting_count;
	bool is_macho;	/* text of macOS, whose names begin with '_' */
	bool is_linked; /* jumps lead to functions and offsets, as viewers.c wrote them */
};

/* A setting that a comment makes, with its place. */
struct takt_set_at {
	uint32_t section;
	struct takt_vector_setting setting;
};

struct takt_dwarf;

/*
 * Data that takt_code_line() makes on demand. It is kept apart so that takt_code stays const. The
 * lock makes that possible for several threads at once.
 */
struct takt_line_cache {
	pthread_mutex_t lock;
	struct takt_arena arena;
	const char **copies; /* trimmed lines of the source */
	struct takt_dwarf *dwarf;
	bool dwarf_tried;
	const char **notes; /* for takt_code_note() */
	size_t note_count;
};

/* Result of the search for loops: the functions it did not finish, and its cost. */
struct takt_loop_search {
	size_t cut_count;      /* functions that were not searched to the end */
	uint32_t section;      /* section of the first of them */
	struct takt_span span; /* addresses of the first of them */
	uint64_t steps;	       /* steps of the search in all functions */
};

/* A line of assembly text that LLVM refused, and its reason. */
struct takt_bad_line {
	uint32_t line, column, width;
	const char *message;
};

struct takt_code {
	struct takt_arena arena;
	struct takt_file file;
	const uint8_t *data; /* the input's bytes: the file's or the caller's */
	size_t data_size_bytes;
	enum takt_input_format format; /* as detected, never AUTO */
	struct takt_image image;
	struct takt_loop_search search;
	struct takt_region_entry *entries;
	size_t entry_count, entry_capacity;
	struct takt_source source;
	struct takt_shim_result assembled; /* the assembled source; labels are sorted by line */
	struct takt_bad_line *bad;	   /* lines that were left out, ascending */
	size_t bad_count;
	const char *syntax_note; /* the syntax that the text was read in, or NULL if it was given */
	struct takt_set_at *settings;
	size_t setting_count;
	struct takt_line_cache *cache;
};

/* The code of which takt_region_add() makes a region. */
struct takt_region_request {
	const char *name; /* NULL: the region is named by symbol and offset */
	enum takt_region_origin origin;
	uint32_t section;
	const struct takt_span *spans; /* ascending, not empty */
	size_t span_count;
	/* Markers are left out: a branch to an address from `head` up to a span leads there. */
	bool skips_markers;
	uint64_t head;
};

/*
 * regions.c: add a region. If `origin` is LOOP, nothing is added unless the bytes are a sequence
 * of instructions that ends in a branch. Other origins accept any bytes, because the analysis
 * reports those that do not decode. Too many regions are an error.
 */
enum takt_status takt_region_add(struct takt_code *code, const struct takt_region_request *request,
				 struct takt_diag *diag);

/* regions.c: return the name of a place, such as "kernel+0x1c" or ".text+0x40". */
const char *takt_place_name(struct takt_code *code, uint32_t section, uint64_t address);

/*
 * code.c: add a note to those that takt_code_note() returns. The caller holds the cache's lock, or
 * nobody else has the code yet.
 */
void takt_code_add_note(const struct takt_code *code, const char *format, ...) TAKT_PRINTF(2, 3);

/* reference.c: the target of a branch, or an address, that is relative to the instruction. */
struct takt_reference {
	uint64_t target;
	bool is_branch; /* false: an address or data */
};

/*
 * Read or write the reference of an instruction at `address`. Reading returns false if there is
 * none, or none that takt can change because only LLVM decodes the instruction set. Writing
 * returns false, and changes nothing, if there is none or the target is out of reach. AArch64
 * needs no `step`.
 */
bool takt_reference_read(const struct takt_isa *isa, const uint8_t *bytes, uint64_t address,
			 const struct takt_insn_flow *step, struct takt_reference *ret_reference);
bool takt_reference_write(const struct takt_isa *isa, uint8_t *bytes, uint64_t address,
			  const struct takt_insn_flow *step, uint64_t target);

/* A selected part of a section. */
struct takt_part {
	uint32_t section;
	struct takt_span span;
	const struct takt_symbol *symbol; /* the function, or NULL for a section */
};

/*
 * select.c: select the parts that options->function and ->section name, or else all sections.
 * The result, of at least one part, is in the code's arena.
 */
enum takt_status takt_parts_select(struct takt_code *code, const struct takt_code_options *options,
				   struct takt_diag *diag, struct takt_part **ret_parts,
				   size_t *ret_count);
/* Return the index of a section's first part, or of the part after it; parts are by section. */
size_t takt_parts_find(const struct takt_part *parts, size_t count, uint32_t section);
/* select.c: add the address range of the options as a region. */
enum takt_status takt_range_add(struct takt_code *code, const struct takt_code_options *options,
				const struct takt_part *parts, size_t part_count,
				struct takt_diag *diag);

/* loops.c: add the innermost loops of a part, and with `nested` those around them. */
void takt_loops_add(struct takt_code *code, const struct takt_part *part, bool nested);

/* A loop that was found. */
struct takt_found_loop {
	struct takt_span extent;       /* from its head to the branch that closes it */
	size_t region;		       /* TAKT_NO_REGION: none has been made */
	const struct takt_span *spans; /* code of a loop without a region, if it shall have one */
	size_t span_count;
	struct takt_span approach; /* as in struct takt_region_entry */
	size_t outer;		   /* index of the loop around it */
	uint32_t levels;	   /* levels of loops inside; 0: innermost */
};

/*
 * nests.c: find which loops are inside of which, and make regions of those with spans, without the
 * code of the loops inside. The loops are sorted.
 */
void takt_nests_add(struct takt_code *code, uint32_t section, struct takt_found_loop *loops,
		    size_t count);

/* markers.c: add the regions between byte markers (IACA's, or OSACA's for AArch64) of a part. */
enum takt_status takt_markers_add(struct takt_code *code, const struct takt_part *part,
				  struct takt_diag *diag);

/* lines.c: add the instructions of source lines as one region. */
enum takt_status takt_lines_add(struct takt_code *code, const struct takt_code_options *options,
				const struct takt_part *parts, size_t part_count,
				struct takt_diag *diag);

/* hex.c: read bytes that are written as hexadecimal digits. */
enum takt_status takt_hex_read(struct takt_word text, const char *file, struct takt_arena *arena,
			       struct takt_diag *diag, uint8_t **ret_bytes, size_t *ret_count);

struct takt_line_row;
/*
 * lines_loops.c: find the loops around the rows, which are sorted, in the parts, and make regions
 * of them and of all loops inside. False if there is none.
 */
bool takt_lines_add_loops(struct takt_code *code, const struct takt_code_options *options,
			  const struct takt_part *parts, size_t part_count,
			  const struct takt_line_row *rows, size_t row_count);

/*
 * dwarf_lines.c: open the line tables of an ELF file. NULL if they cannot be read; *ret_fault
 * then is the reason, in `arena`.
 */
struct takt_dwarf *takt_dwarf_open(const struct takt_code *code, struct takt_arena *arena,
				   const char **ret_fault);
void takt_dwarf_close(struct takt_dwarf *dwarf);
struct takt_source_line takt_dwarf_line(struct takt_dwarf *dwarf, uint32_t section,
					uint64_t address);

/* Code that a line table assigns to one line. */
struct takt_line_row {
	struct takt_span span;
	uint32_t section, line;
	const char *file;
};

/*
 * List the rows for the lines in the options. Lines are those of each compilation unit's own
 * source file, not of headers. The array is malloc'ed.
 */
size_t takt_dwarf_rows(struct takt_dwarf *dwarf, const struct takt_code_options *options,
		       struct takt_line_row **ret_rows);
bool takt_line_is_wanted(const struct takt_code_options *options, uint32_t line);

/* assembly.c: assemble the input for the image's instruction set into code->assembled. */
enum takt_status takt_source_assemble(struct takt_code *code, enum takt_syntax syntax,
				      struct takt_diag *diag);

/* Prefix of the labels that replace comments; the rest of their names does not matter. */
#define TAKT_COMMENT_LABEL ".Ltakt_comment"
/* Prefix of the comments that make a setting. */
#define TAKT_SETTING_KEYWORD "LLVM-MCA-"

/*
 * prepare.c: write the text as LLVM is to read it, with the same lines. Comments that mark regions
 * or make settings become labels, debug information is removed, and spellings that only GNU as
 * knows are replaced. Fills the source's comments and settings.
 */
void takt_source_prepare(struct takt_source *source, const struct takt_isa *isa,
			 struct takt_arena *arena, struct takt_text *text);

/*
 * bad_lines.c: leave the reported lines out of the prepared text, with a label at their place, and
 * add them to code->bad. False, with the text unchanged, if one of them cannot be left out.
 */
bool takt_bad_lines_leave_out(struct takt_code *code, const struct takt_bad_line *reports,
			      size_t count, struct takt_text *text);
/*
 * Refuse text, with one error, if most of its statements were reported, or all of them in text that
 * is not like assembly.
 */
bool takt_bad_lines_refuse_garbage(const struct takt_code *code,
				   const struct takt_bad_line *reports, size_t count,
				   struct takt_diag *diag);
/* Check that no region has lines that were left out, unless the options ignore them. */
enum takt_status takt_bad_lines_check(const struct takt_code *code,
				      const struct takt_code_options *options,
				      struct takt_diag *diag);

/* pasted.c: true for text in UTF-16, which begins with a byte order mark. */
bool takt_pasted_is_utf16(const uint8_t *data, size_t size_bytes);
/* Return the size of text without the NULs at its end. */
size_t takt_pasted_text_size(const uint8_t *data, size_t size_bytes);
/*
 * Copy text as UTF-8, without a byte order mark, colours and NULs at its end, with ordinary spaces
 * instead of those that do not break, and with line feeds where lines end in carriage returns
 * alone. It has a NUL after its end.
 */
const char *takt_pasted_copy(struct takt_arena *arena, const uint8_t *data, size_t size_bytes,
			     size_t *ret_size);
/*
 * Make lines with a shell's prompt empty, and move the beginnings of lines after line numbers and
 * marks of quotations, if all have them.
 */
void takt_pasted_strip(struct takt_source *source);

/* guess.c: guess the syntax of x86-64 text; guess the instruction set of text, or NULL. */
enum takt_syntax takt_source_guess_syntax(const struct takt_source *source);
/* True if a directive of the text says its syntax. */
bool takt_source_says_syntax(const struct takt_source *source);
const struct takt_isa *takt_source_guess_isa(const struct takt_source *source);
/* True if most instructions of text write registers whose names only RISC-V has. */
bool takt_source_is_riscv(const struct takt_source *source);
/* True if a line names a register, or most lines are a mnemonic with operands. */
bool takt_source_is_like_assembly(const struct takt_source *source);

/* comments.c: add the regions between OSACA and LLVM-MCA comments. */
enum takt_status takt_comments_add(struct takt_code *code, const struct takt_part *parts,
				   size_t part_count, struct takt_diag *diag);
struct takt_place takt_comment_place(const struct takt_code *code,
				     const struct takt_comment *comment);
/* Sort the labels by line, for takt_label_at(). */
void takt_labels_sort(struct takt_code *code);
/* Find the place of the label that replaces the comment at a line; NULL: not in the object. */
const struct takt_assembled_insn *takt_label_at(const struct takt_code *code, uint32_t line);

/* settings.c: find the places of the settings in the image. Unknown settings are an error. */
enum takt_status takt_settings_find(struct takt_code *code, struct takt_diag *diag);

#endif
