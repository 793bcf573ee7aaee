/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a log, and any bytes as the messages inside one: those are packed into frames
 * whose checksums are right, so that what is behind these is reached.
 */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "trace/log/log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_any(const uint8_t *data, size_t size)
{
	struct takt_trace_totals *totals = calloc(1, sizeof(*totals));
	static const char *const regions[] = {"main", "0x400000-0x401000", "markers"};
	const struct takt_trace_options options = {.regions = regions, .region_count = 3};
	struct takt_diag *diag = takt_diag_new();
	struct trace_dictionary dictionary = {0};
	struct trace_counter counter;
	struct trace_profile profile;
	enum takt_status status;

	takt_trace_counter_init(&counter);
	if (!totals || takt_trace_profile_init(&profile, &dictionary, &options, diag) != TAKT_OK)
		abort();
	profile.next = &counter.sink;
	status = takt_trace_log_read(
		data, size, "fuzz",
		&(struct trace_log_target){.dictionary = &dictionary, .sink = &profile.sink}, diag,
		totals);
	if (status != TAKT_OK && takt_diag_error_count(diag) == 0)
		abort();
	if (status == TAKT_OK)
		takt_trace_result_free(takt_trace_profile_finish(&profile, NULL, NULL));
	takt_trace_profile_release(&profile);
	takt_trace_counter_release(&counter);
	takt_trace_dictionary_release(&dictionary);
	takt_trace_totals_free(totals);
	takt_diag_free(diag);
}

/* The messages of `data`, each in a frame of its own; returns the size. */
static size_t pack(const uint8_t *data, size_t size, uint8_t *frames, size_t capacity)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	size_t packed = 0;

	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	while (size >= sizeof(struct log_message)) {
		struct log_message header;
		size_t message = sizeof(header), frame;

		memcpy(&header, data, sizeof(header));
		message += header.size_bytes < size - message ? (size_t)header.size_bytes
							      : size - message;
		frame = ZSTD_compress2(context, frames + packed, capacity - packed, data, message);
		if (ZSTD_isError(frame))
			break;
		packed += frame;
		data += message;
		size -= message;
	}
	ZSTD_freeCCtx(context);
	return packed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t capacity = 8 * size + 4096;
	uint8_t *frames = malloc(capacity);

	read_any(data, size);
	read_any(frames, pack(data, size, frames, capacity));
	free(frames);
	return 0;
}
