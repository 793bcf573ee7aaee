/* SPDX-License-Identifier: MIT */
/* measure: one block, the regions of a file, a function, or lines of blocks. */
#ifndef TAKT_CLI_MEASURE_H
#define TAKT_CLI_MEASURE_H

#include "cli/cli.h"

enum takt_measure_format { TAKT_MEASURE_TEXT, TAKT_MEASURE_JSON, TAKT_MEASURE_CSV };

/* Order of the alternatives of --mode. */
enum takt_measure_mode {
	TAKT_MEASURE_AUTO,
	TAKT_MEASURE_UNROLL,
	TAKT_MEASURE_LOOP,
	TAKT_MEASURE_BOTH,
};

/* ---- measure_options.c: the command line as requests to the library ---- */

struct takt_measure_request {
	enum takt_measure_format format;
	enum takt_measure_mode mode;
	struct takt_measure_options options; /* without mode */
	const char *reject;                  /* word list, to say what was asked for */
	struct takt_code_options code;       /* unless batch or call */
	struct takt_line_range *lines;       /* owns code.lines */
	struct takt_register_value *registers; /* owns options.registers */
	char *names;                         /* owns those of the registers */
	bool is_batch;
	const char *batch_path;              /* NULL: standard input */
	struct takt_call call;               /* call.function is NULL if there is none */
	uint64_t *arguments;                 /* own call.arguments, .buffers */
	struct takt_call_buffer *buffers;
};

/* Both report what is wrong and return false. */
bool takt_measure_request_read(const struct takt_arguments *arguments,
			       struct takt_measure_request *ret_request);
void takt_measure_request_release(struct takt_measure_request *request);
/* A whole number, or a double if there is a point; `*end` is behind it. */
bool takt_lane_read(const char *text, const char **ret_end, uint64_t *ret_value);

/* ---- measure_bench.c: a bench for each mode, opened when first needed ---- */

struct takt_benches {
	struct takt_measure_options options;
	struct takt_diag *diag;
	struct takt_bench *unroll, *loop;
};

/* NULL if it cannot be had, which is in `diag`. */
struct takt_bench *takt_benches_of(struct takt_benches *benches, bool is_loop);
/* Either that is open, or unroll's. */
struct takt_bench *takt_benches_any(struct takt_benches *benches);
void takt_benches_close(struct takt_benches *benches);

/* ---- measure_loop.c: what of a block is the body of a loop ---- */

struct takt_loop_body {
	bool is_loop;              /* ends in a branch to its start */
	size_t unroll_size_bytes;  /* without that branch */
	size_t loop_size_bytes;    /* without what the measuring loop's own counter does */
};

struct takt_loop_finder;

struct takt_loop_finder *takt_loop_finder_new(void);
void takt_loop_finder_free(struct takt_loop_finder *finder);
struct takt_loop_body takt_loop_body_find(struct takt_loop_finder *finder, const uint8_t *bytes,
					  size_t size_bytes);

/* ---- measure_report.c: results ---- */

struct takt_measure_row {
	const char *name;       /* of the region or function, or NULL */
	const uint8_t *bytes;
	size_t size_bytes;
	bool is_loop, is_call;
	size_t replaced_bytes;  /* at the end, by the counter of the measuring loop */
	double iterations;      /* of a call */
	const char *clock, *cpu;
	struct takt_measurement result;
};

void takt_measure_write_text(FILE *file, const struct takt_measure_row *row);
void takt_measure_write_json_begin(FILE *file, const struct takt_bench *bench);
void takt_measure_write_json(FILE *file, const struct takt_measure_row *row, bool is_first);
void takt_measure_write_json_end(FILE *file);

#define TAKT_MEASURE_COLUMNS "hex,mode,cycles,spread,status,reason\n"

/* The columns behind `hex,`, with the newline. `mode` may be "". */
void takt_measure_write_columns(FILE *file, const char *mode,
				const struct takt_measurement *result);

/* ---- measure_batch.c ---- */

/* Reports what is wrong; false if there was anything, or a block was not measured. */
bool takt_measure_batch(const struct takt_arguments *arguments,
			const struct takt_measure_request *request);

/* ---- measure_resume.c: what an interrupted batch has left ---- */

struct takt_resume {
	char *data;              /* the file, cut behind its last whole line */
	size_t size_bytes, read_bytes; /* that is, and as it was read */
	const char *next, *end;  /* rows not yet matched */
	uint64_t line;           /* of `next`, from 1 */
};

/*
 * Reads FILE, opened for both, and cuts off a torn last line. Its header must be
 * `header` but for the date; where nothing of it is there, the file is empty then.
 * Reports what is wrong and returns false.
 */
bool takt_resume_open(int descriptor, const char *path, const char *header,
		      struct takt_resume *ret_resume);
void takt_resume_close(struct takt_resume *resume);

enum takt_resumed {
	TAKT_RESUMED_NONE,     /* no row is left */
	TAKT_RESUMED_OK,       /* the next row is of this block: it is taken */
	TAKT_RESUMED_REJECTED, /* the same, but without a good figure */
	TAKT_RESUMED_OTHER,    /* the next row is of another block */
};

enum takt_resumed takt_resume_take(struct takt_resume *resume, const char *hex, size_t size,
				   const char *mode);

#endif
