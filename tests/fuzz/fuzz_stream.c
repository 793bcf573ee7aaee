/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a log that comes in pieces: the answer is that of the same bytes at once.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/log/log_source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct pieces {
	struct trace_log_source source; /* first, so that it is one */
	const uint8_t *data;
	size_t left, piece;
};

static ssize_t read_piece(struct trace_log_source *source, void *data, size_t size)
{
	struct pieces *pieces = (struct pieces *)source;

	size = size < pieces->piece ? size : pieces->piece;
	size = size < pieces->left ? size : pieces->left;
	memcpy(data, pieces->data, size);
	pieces->data += size;
	pieces->left -= size;
	return (ssize_t)size;
}

static enum takt_status read_stream(const uint8_t *data, size_t size, uint64_t *ret_insns)
{
	struct pieces pieces = {.source.read = read_piece,
				.data = data,
				.left = size,
				.piece = 1 + (size ? data[size - 1] : 0)};
	struct takt_trace_totals totals = {0};
	struct trace_dictionary dictionary = {0};
	struct trace_counter counter;
	struct trace_log_target target = {.dictionary = &dictionary, .sink = &counter.sink};
	enum takt_status status;

	takt_trace_counter_init(&counter);
	takt_trace_log_source_init(&pieces.source, NULL, 0);
	status = takt_trace_log_read_stream(&pieces.source, "fuzz", &target, NULL, &totals);
	if (status == TAKT_OK && pieces.source.end - pieces.source.begin + pieces.left > 0)
		status = TAKT_BAD_INPUT; /* more behind it, which is refused in files */
	takt_trace_log_source_release(&pieces.source);
	takt_trace_dictionary_release(&dictionary);
	takt_trace_counter_finish(&counter, &totals);
	*ret_insns = totals.all.insns;
	free((void *)(uintptr_t)totals.threads);
	return status;
}

static enum takt_status read_whole(const uint8_t *data, size_t size, uint64_t *ret_insns)
{
	struct takt_trace_totals totals = {0};
	struct trace_dictionary dictionary = {0};
	struct trace_counter counter;
	struct trace_log_target target = {.dictionary = &dictionary, .sink = &counter.sink};
	enum takt_status status;

	takt_trace_counter_init(&counter);
	status = takt_trace_log_read(data, size, "fuzz", &target, NULL, &totals);
	takt_trace_dictionary_release(&dictionary);
	takt_trace_counter_finish(&counter, &totals);
	*ret_insns = totals.all.insns;
	free((void *)(uintptr_t)totals.threads);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t whole = 0, stream = 0;
	enum takt_status status = read_whole(data, size, &whole);

	if (read_stream(data, size, &stream) != status || whole != stream)
		abort();
	return 0;
}
