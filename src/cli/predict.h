/* SPDX-License-Identifier: MIT */
/* predict: lines of blocks in, lines of cycles out. */
#ifndef TAKT_CLI_PREDICT_H
#define TAKT_CLI_PREDICT_H

#include "cli/cli.h"

/* Why a line has no cycles. X(enumerator, text after a count of blocks) */
#define TAKT_BLOCK_STATE_LIST(X)                                              \
	X(TAKT_BLOCK_GOOD, "")                                                \
	X(TAKT_BLOCK_EMPTY, "without bytes")                                  \
	X(TAKT_BLOCK_NOT_HEX, "not of hexadecimal digits")                    \
	X(TAKT_BLOCK_ODD, "with half a byte")                                 \
	X(TAKT_BLOCK_UNDECODABLE, "that cannot be decoded")

enum takt_block_state {
#define X(name, text) name,
	TAKT_BLOCK_STATE_LIST(X)
#undef X
	TAKT_BLOCK_STATE_COUNT
};

/* The first column of a line, not terminated. */
struct takt_hex_block {
	const char *hex;
	size_t size;
	uint64_t line; /* of the input, from 1 */
	double cycles;
	enum takt_block_state state;
};

/* predict_input.c: whole lines, as many as one read brings. */
struct takt_block_reader {
	int descriptor;
	char *data;
	size_t size, capacity, used; /* bytes; those before `used` are done with */
	uint64_t line;
	bool ended, past_header;
	struct takt_hex_block *blocks;
	size_t count, block_capacity;
};

bool takt_block_reader_open(const char *path, struct takt_block_reader *ret_reader);
void takt_block_reader_close(struct takt_block_reader *reader);
/* Fills reader->blocks; they point into the reader. False at the end, or reported. */
bool takt_block_reader_next(struct takt_block_reader *reader, bool *ret_failed);

/* predict_run.c: cycles of blocks, on several threads. */
void takt_blocks_predict(struct takt_predictor *const *predictors, size_t predictor_count,
			 struct takt_hex_block *blocks, size_t count);

#endif
