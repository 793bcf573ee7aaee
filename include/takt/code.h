/* SPDX-License-Identifier: MIT */
/*
 * Code to analyze: from ELF files, assembly text, hexadecimal text or bytes, and its regions.
 */
#ifndef TAKT_CODE_API_H
#define TAKT_CODE_API_H

#include <takt/common.h>

#ifdef __cplusplus
extern "C" {
#endif

enum takt_input_format {
	TAKT_INPUT_AUTO, /* ELF if the file starts with its magic number, otherwise assembly text */
	TAKT_INPUT_ELF,
	TAKT_INPUT_ASSEMBLY,
	TAKT_INPUT_RAW, /* machine code bytes */
	TAKT_INPUT_HEX, /* machine code as hexadecimal digits */
};

enum takt_syntax { TAKT_SYNTAX_AUTO, TAKT_SYNTAX_ATT, TAKT_SYNTAX_INTEL };

struct takt_line_range {
	uint32_t first, last; /* 1-based, inclusive */
};

/* The code to load, and the part of it to use. Zero-initialise, then set what is needed. */
struct takt_code_options {
	const char *path; /* file; "-" reads standard input */
	const void *data; /* instead of a file: bytes in memory, which must outlive the
			   * takt_code; `path` is then a label for messages, or NULL */
	size_t data_size_bytes;
	enum takt_input_format format;
	/*
	 * Name of the instruction set, as from takt_model_isa_name(). NULL: an ELF file names its
	 * own, text is guessed to be x86-64 or AArch64, and bytes are x86-64.
	 */
	const char *isa;
	enum takt_syntax syntax;	 /* syntax of x86-64 assembly text */
	const char *function;		 /* load only this function */
	const char *section;		 /* load only this section, e.g. ".text" */
	uint64_t range_begin, range_end; /* load only [begin, end), if end > begin */
	/*
	 * Load only these source lines: of text, the lines as they are; of ELF files, the loops
	 * around them, or the lines as they are if there is no loop or `whole` is set.
	 */
	const struct takt_line_range *lines;
	size_t line_count;
	bool whole;	     /* take the whole selection as one block; do not look for
			      * loops */
	bool ignore_unknown; /* leave out lines of text that do not assemble, even inside the
			      * regions, and name them in a note; else they are an error */
	bool nested;	     /* make regions of loops that contain loops, too */
	TAKT_RESERVED;
};

enum takt_region_origin {
	TAKT_REGION_MARKER, /* a region between IACA's byte markers, or OSACA's or llvm-mca's
			     * comments */
	TAKT_REGION_LINES,
	TAKT_REGION_RANGE,
	TAKT_REGION_LOOP, /* an innermost loop that takt found */
	TAKT_REGION_WHOLE,
	TAKT_REGION_NEST, /* a loop that contains loops, without the code of these */
};

/* A piece of straight-line code to analyze. Owned by the takt_code. */
struct takt_region {
	const char *name;     /* marker name, or "function+0x1c" */
	const char *function; /* enclosing symbol or "" */
	const char *isa;      /* name of the instruction set */
	enum takt_region_origin origin;
	const uint8_t *bytes;
	size_t size_bytes;
	uint64_t address;	    /* address of the first byte: virtual address, section offset or
				     * 0 */
	uint32_t internal_branches; /* conditional branches inside the region, assumed to be not
				     * taken */
	uint32_t calls;		    /* number of calls inside the region */
	uint32_t insns;		    /* number of instructions, up to the first that does not
				     * decode */
	const char *outer;	    /* of a loop: name of the loop around it, if that is no region
				     * itself; else NULL */
	const size_t *inner;	    /* of a nest: indices of the regions inside, by address */
	size_t inner_count;
};

struct takt_code;

/*
 * Load code and find its regions. Assembly text may come from anywhere: LLVM's assembler crashes,
 * hangs or reads files if the text wants it to, so it runs in a process of its own (takt-assembler,
 * beside the modules), which can reach no file and has limits of time and memory. That process is a
 * child of the caller's and waits for more text until the caller ends; each thread that assembles
 * has its own. Errors in the text, including those that LLVM dies of, are TAKT_BAD_INPUT with a
 * message at the line.
 */
TAKT_API TAKT_MUST_CHECK enum takt_status takt_code_open(const struct takt_code_options *options,
							 struct takt_diag *diag,
							 struct takt_code **ret_code);
/*
 * Start the assembler process if `path` or `data` is text of the instruction set `options->isa`.
 * This is optional: the process then starts up while the caller does something else, such as
 * opening a model. Nothing is reported.
 */
TAKT_API void takt_code_prepare(const struct takt_code_options *options);
TAKT_API void takt_code_close(struct takt_code *code);
TAKT_API size_t takt_code_region_count(const struct takt_code *code);
TAKT_API const struct takt_region *takt_code_region(const struct takt_code *code, size_t index);
/*
 * Notes on parts of the code that takt could not find, and why: loops, if a function is too large
 * to be searched completely, and source lines, if the debug information is damaged. They are
 * sentences for the user and belong to the code. Notes about lines appear once takt_analyze() has
 * asked for lines; its record repeats all notes among its own.
 */
TAKT_API size_t takt_code_note_count(const struct takt_code *code);
TAKT_API const char *takt_code_note(const struct takt_code *code, size_t index);

#ifdef __cplusplus
}
#endif

#endif
