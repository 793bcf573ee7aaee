/* SPDX-License-Identifier: MIT */
/*
 * code: the inside of takt_code. Every way of choosing code (markers, lines,
 * ranges, loops) ends in takt_region_add(), which turns spans of one section into
 * a region of consecutive bytes.
 */
#ifndef TAKT_INPUT_CODE_H
#define TAKT_INPUT_CODE_H

#include "input/image.h"
#include "input/input.h"

/* Addresses [begin, end) of one section. */
struct takt_span {
	uint64_t begin, end;
};

/* Where bytes of a region that were copied together come from. */
struct takt_piece {
	size_t offset; /* in the region */
	uint64_t address;
};

struct takt_region_entry {
	struct takt_region region;
	uint32_t section;
	uint32_t piece_count; /* 0: the region lies in the section as it is */
	const struct takt_piece *pieces;
};

/* OSACA-BEGIN, LLVM-MCA-END, LLVM-MCA-RISCV-LMUL and the like. */
struct takt_comment {
	const char *keyword; /* as it stands there */
	const char *name;    /* what follows it, or "" */
	uint32_t line, column;
	bool mca, begins;
};

/* Assembly text, NUL-terminated; empty for other input. */
struct takt_source {
	const char *text;
	const char **lines; /* where each begins; ended by newline or NUL */
	uint32_t line_count;
	struct takt_comment *comments; /* that begin and end regions */
	size_t comment_count;
	struct takt_comment *settings;
	size_t setting_count;
};

/* Where a comment sets something. */
struct takt_set_at {
	uint32_t section;
	struct takt_vector_setting setting;
};

struct takt_dwarf;

/* What takt_code_line() makes on demand, so that asking does not change the code. */
struct takt_line_cache {
	struct takt_arena arena;
	const char **copies; /* trimmed lines of the source */
	struct takt_dwarf *dwarf;
	bool dwarf_tried;
	const char **notes; /* of takt_code_note() */
	size_t note_count;
};

/* What the search for loops left out, and what it cost. */
struct takt_loop_search {
	size_t cut_count;      /* functions that were not searched to the end */
	uint32_t section;      /* of the first */
	struct takt_span span; /* of the first */
	uint64_t steps;	       /* spent in all functions */
};

struct takt_code {
	struct takt_arena arena;
	struct takt_file file;
	const uint8_t *data; /* the input's bytes: the file's or the caller's */
	size_t data_size_bytes;
	enum takt_input_format format; /* as found, never AUTO */
	struct takt_image image;
	struct takt_loop_search search;
	struct takt_region_entry *entries;
	size_t entry_count, entry_capacity;
	struct takt_source source;
	struct takt_shim_result assembled; /* of the source; labels by line */
	struct takt_set_at *settings;
	size_t setting_count;
	struct takt_line_cache *cache;
};

/* What takt_region_add() makes a region of. */
struct takt_region_request {
	const char *name; /* NULL: by symbol and offset */
	enum takt_region_origin origin;
	uint32_t section;
	const struct takt_span *spans; /* ascending, not empty */
	size_t span_count;
	/* Branches to bytes from `head` up to a span lead to that span: markers are not there. */
	bool skips_markers;
	uint64_t head;
};

/*
 * regions.c. Adds nothing if `origin` is LOOP and the bytes are no sequence of
 * instructions that ends in a branch. Other origins take any bytes, because the
 * analysis reports what does not decode. An error if there are too many.
 */
enum takt_status takt_region_add(struct takt_code *code, const struct takt_region_request *request,
				 struct takt_diag *diag);

/* code.c: adds one to takt_code_note(). */
void takt_code_add_note(const struct takt_code *code, const char *format, ...) TAKT_PRINTF(2, 3);

/* reference.c: what an instruction names relative to its own place. */
struct takt_reference {
	uint64_t target;
	bool is_branch; /* else an address or data */
};

/*
 * `address` is where the bytes are taken to be. Read is false if there is no such reference,
 * or none that takt can change, in sets that LLVM alone decodes; write is false, and changes
 * nothing, if there is none or the target is out of reach. AArch64 needs no `step`.
 */
bool takt_reference_read(const struct takt_isa *isa, const uint8_t *bytes, uint64_t address,
			 const struct takt_step *step, struct takt_reference *ret_reference);
bool takt_reference_write(const struct takt_isa *isa, uint8_t *bytes, uint64_t address,
			  const struct takt_step *step, uint64_t target);

/* A selected part of a section. */
struct takt_part {
	uint32_t section;
	struct takt_span span;
	const struct takt_symbol *symbol; /* the function, or NULL for a section */
};

/*
 * select.c: the parts that options->function and ->section name, or all there is.
 * In the code's arena; at least one.
 */
enum takt_status takt_parts_select(struct takt_code *code, const struct takt_code_options *options,
				   struct takt_diag *diag, struct takt_part **ret_parts,
				   size_t *ret_count);
/* Index of the first part of a section, or of what follows; parts are ascending by section. */
size_t takt_parts_find(const struct takt_part *parts, size_t count, uint32_t section);
enum takt_status takt_range_add(struct takt_code *code, const struct takt_code_options *options,
				const struct takt_part *parts, size_t part_count,
				struct takt_diag *diag);

/* loops.c: adds the innermost loops of a part. */
void takt_loops_add(struct takt_code *code, const struct takt_part *part);

/* markers.c: adds the regions between IACA byte markers of a part. */
enum takt_status takt_markers_add(struct takt_code *code, const struct takt_part *part,
				  struct takt_diag *diag);

/* lines.c: adds the instructions of source lines as one region. */
enum takt_status takt_lines_add(struct takt_code *code, const struct takt_code_options *options,
				const struct takt_part *parts, size_t part_count,
				struct takt_diag *diag);

/* hex.c */
enum takt_status takt_hex_read(const char *text, size_t size_bytes, const char *file,
			       struct takt_arena *arena, struct takt_diag *diag,
			       uint8_t **ret_bytes, size_t *ret_count);

/*
 * dwarf_lines.c: line tables of an ELF file. NULL if they cannot be read; `arena` then holds the
 * reason.
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
 * Rows that the options ask for, of each compilation unit's own source file, not of
 * headers. The array is malloc'ed.
 */
size_t takt_dwarf_rows(struct takt_dwarf *dwarf, const struct takt_code_options *options,
		       struct takt_line_row **ret_rows);
bool takt_line_is_wanted(const struct takt_code_options *options, uint32_t line);

/* assembly.c: assembles the input, of the image's instruction set, into code->assembled. */
enum takt_status takt_source_assemble(struct takt_code *code, enum takt_syntax syntax,
				      struct takt_diag *diag);
/* Takes a process that assembles for an instruction set (assembler.h); NULL after an error. */
struct takt_assembler *takt_source_assembler(const struct takt_isa *isa, const char *file,
					     struct takt_diag *diag);

/* Labels that stand in for comments begin so; the rest does not matter. */
#define TAKT_COMMENT_LABEL ".Ltakt_comment"
/* What comments begin with that set something. */
#define TAKT_SETTING_KEYWORD "LLVM-MCA-"

/*
 * prepare.c: the text as LLVM is to see it, line by line the same: comments that
 * mark regions or set something become labels, debug information goes, and spellings
 * that only GNU as knows are replaced. Fills the source's comments and settings.
 */
void takt_source_prepare(struct takt_source *source, const struct takt_isa *isa,
			 struct takt_arena *arena, struct takt_text *text);

/* guess.c: the syntax that x86-64 text seems to have; the set that text seems to be of, or NULL. */
enum takt_syntax takt_source_guess_syntax(const struct takt_source *source);
const struct takt_isa *takt_source_guess_isa(const struct takt_source *source);

/* comments.c: adds the regions between OSACA and LLVM-MCA comments. */
enum takt_status takt_comments_add(struct takt_code *code, const struct takt_part *parts,
				   size_t part_count, struct takt_diag *diag);
struct takt_place takt_comment_place(const struct takt_code *code,
				     const struct takt_comment *comment);
/* By line, for takt_label_at(). */
void takt_labels_sort(struct takt_code *code);
/* Where the label of a comment at that line went; NULL if it is not in the object. */
const struct takt_assembled_insn *takt_label_at(const struct takt_code *code, uint32_t line);

/* settings.c: places the settings of comments; the image is there. Refuses unknown ones. */
enum takt_status takt_settings_find(struct takt_code *code, struct takt_diag *diag);

#endif
