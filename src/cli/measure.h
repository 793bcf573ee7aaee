/* SPDX-License-Identifier: MIT */
/* measure: of one block, the regions of a file, a function, or lines of blocks. */
#ifndef TAKT_CLI_MEASURE_H
#define TAKT_CLI_MEASURE_H

#include "cli/cli.h"

enum takt_measure_format { TAKT_MEASURE_TEXT, TAKT_MEASURE_JSON, TAKT_MEASURE_CSV };

/* The values of --mode, in the order of its alternatives. */
enum takt_measure_mode {
	TAKT_MEASURE_AUTO,
	TAKT_MEASURE_UNROLL,
	TAKT_MEASURE_LOOP,
	TAKT_MEASURE_BOTH,
};

/* ---- measure_options.c: options as requests to the library ---- */

struct takt_measure_request {
	enum takt_measure_format format;
	enum takt_measure_mode mode;
	struct takt_measure_options options;   /* complete except for the mode */
	struct takt_code_options code;	       /* unused with batch or call */
	struct takt_line_range *lines;	       /* owns code.lines */
	struct takt_register_value *registers; /* owns options.registers */
	char *names;			       /* owns the names of the registers */
	bool is_batch;
	const char *batch_path; /* NULL: standard input */
	struct takt_call call;	/* call.function is NULL if no call is measured */
	uint64_t *arguments;	/* own call.arguments and call.buffers */
	struct takt_call_buffer *buffers;
};

/* Read the request; report errors and return false. */
bool takt_measure_request_read(const struct takt_arguments *arguments,
			       struct takt_measure_request *ret_request);
void takt_measure_request_release(struct takt_measure_request *request);

/* ---- measure_measurer.c: a measurer for each mode, opened when first needed ---- */

struct takt_measurers {
	struct takt_measure_options options;
	struct takt_diag *diag;
	struct takt_measurer *unroll, *loop;
};

/* Return the measurer of a mode; NULL, with the reason in `diag`, if it cannot be opened. */
struct takt_measurer *takt_measurers_of(struct takt_measurers *measurers, bool is_loop);
/* Return a measurer that is open, or else open the one for unrolled code. */
struct takt_measurer *takt_measurers_any(struct takt_measurers *measurers);
void takt_measurers_close(struct takt_measurers *measurers);

/* ---- measure_loop.c: finding the body of a loop ---- */

struct takt_loop_body {
	bool is_loop;		  /* the block ends in a branch to its start */
	size_t unroll_size_bytes; /* size without that branch */
	/* Size without the instructions that the measuring loop's counter replaces. */
	size_t loop_size_bytes;
};

struct takt_loop_finder;

struct takt_loop_finder *takt_loop_finder_new(void);
void takt_loop_finder_free(struct takt_loop_finder *finder);
struct takt_loop_body takt_loop_body_find(struct takt_loop_finder *finder, const uint8_t *bytes,
					  size_t size_bytes);

/* ---- measure_batch.c ---- */

/* Measure all blocks. Report errors; false if there were any, or a block was not measured. */
bool takt_measure_batch(const struct takt_arguments *arguments,
			const struct takt_measure_request *request);

/* ---- measure_resume.c: resuming an interrupted batch ---- */

struct takt_resume {
	char *data;		       /* contents of the file, up to its last whole line */
	size_t size_bytes, read_bytes; /* bytes of `data`, and bytes that were read */
	const char *next, *end;	       /* rows not yet matched with a block */
	uint64_t line;		       /* line number of `next`, from 1 */
};

/*
 * Read a file that is open for reading and writing, and cut off an incomplete last line. Its
 * header must equal `header` except for the date; if the header is incomplete, the file is
 * emptied. Report errors and return false.
 */
bool takt_resume_open(int descriptor, const char *path, const char *header,
		      struct takt_resume *ret_resume);
void takt_resume_close(struct takt_resume *resume);

enum takt_resumed {
	TAKT_RESUMED_NONE,     /* no row is left */
	TAKT_RESUMED_OK,       /* the next row is this block's and has a good figure: it is kept */
	TAKT_RESUMED_REJECTED, /* the next row is this block's, without a good figure: it is kept */
	TAKT_RESUMED_OTHER,    /* the next row is another block's */
};

enum takt_resumed takt_resume_take(struct takt_resume *resume, const char *hex, size_t size,
				   const char *mode);

#endif
