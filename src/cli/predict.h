/* SPDX-License-Identifier: MIT */
/* predict: reads lines of blocks and writes lines of cycles. */
#ifndef TAKT_CLI_PREDICT_H
#define TAKT_CLI_PREDICT_H

#include "cli/cli.h"

/* The reason why a line has no cycles. */
enum takt_block_state {
	TAKT_BLOCK_GOOD,
	TAKT_BLOCK_EMPTY,
	TAKT_BLOCK_NOT_HEX,
	TAKT_BLOCK_ODD,
	TAKT_BLOCK_UNDECODABLE,
};

/* Return a state's description: "block with half a byte". */
const char *takt_block_state_text(enum takt_block_state state);

/* A block: the first column of a line. */
struct takt_hex_block {
	const char *hex; /* not terminated */
	size_t size;
	const char *text; /* the whole line, not terminated */
	size_t text_size;
	uint64_t line; /* line number in the input, from 1 */
	enum takt_block_state state;
};

/* predict_input.c: reads whole lines, as many as one read() brings. */
struct takt_block_reader {
	int descriptor;
	const char *name; /* of the file, for messages */
	char *data;
	size_t size, capacity, used; /* in bytes; those before `used` have been read as lines */
	uint64_t line;
	bool ended, past_header;
	bool refuses_garbage; /* report input that is no list of blocks once, and end */
	uint64_t header_line; /* number of the line taken for a header, or 0 */
	uint64_t block_count; /* blocks read so far */
	uint64_t bad_count;   /* calls of takt_block_say_bad() so far */
	uint32_t notes_given; /* bits: states whose remedy was shown */
	struct takt_hex_block *blocks;
	size_t count, block_capacity;
};

bool takt_block_reader_open(const char *path, struct takt_block_reader *ret_reader);
void takt_block_reader_close(struct takt_block_reader *reader);
/* Fill reader->blocks, which point into the reader. False at the end; *ret_failed: reported. */
bool takt_block_reader_next(struct takt_block_reader *reader, bool *ret_failed);
/* Decode a good block's digits into `*bytes`, a heap array that grows as needed. */
void takt_block_bytes(const struct takt_hex_block *block, uint8_t **bytes, size_t *capacity);

/*
 * predict_input.c: report a line whose block is bad, with its position and a remedy. Only the
 * first lines are shown. `reason` may be NULL, for that of the block's state.
 */
void takt_block_say_bad(struct takt_block_reader *reader, const struct takt_hex_block *block,
			const char *reason);
/* At the end: report, and return false, if there was no block at all. */
bool takt_block_reader_finish(const struct takt_block_reader *reader);

/*
 * predict_run.c: predict the cycles of `count` blocks on several threads, each of which has a
 * predictor for each core: that of core c in thread t is predictors[t * core_count + c]. The cycles
 * of block b on core c go to cycles[b * core_count + c], NaN if that core cannot decode it. A block
 * that no core can decode gets the state TAKT_BLOCK_UNDECODABLE.
 */
void takt_blocks_predict(struct takt_predictor *const *predictors, size_t thread_count,
			 size_t core_count, struct takt_hex_block *blocks, size_t count,
			 double *cycles);

/*
 * predict_isa.c: return the instruction set in which most of the blocks can be decoded, that of
 * this machine if several are alike. A note says if it is another one.
 */
const char *takt_blocks_guess_isa(const struct takt_block_reader *reader);

/*
 * predict.c: read from '--format', or else from the ending of '--output', if the result is JSON,
 * and if it is put into a report for a browser, for which it is JSON, too.
 */
void takt_predict_format(const struct takt_arguments *arguments, bool *ret_is_json,
			 bool *ret_is_page);

/* predict_paths.c: `takt predict --paths`; false if something failed, which is reported. */
bool takt_predict_paths_run(const struct takt_arguments *arguments);

#endif
