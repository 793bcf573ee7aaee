/* SPDX-License-Identifier: MIT */
/* Reads a log from a stream, frame by frame. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "trace/log/log.h"
#include "trace/log/log_source.h"

#define FRAME_BYTES_MAX (ZSTD_COMPRESSBOUND(LOG_MESSAGE_BYTES_MAX) + 64)

void takt_trace_log_source_init(struct trace_log_source *source, const void *first,
				size_t size_bytes)
{
	source->buffer = takt_xcalloc(FRAME_BYTES_MAX, 1);
	if (size_bytes)
		memcpy(source->buffer, first, size_bytes);
	source->end = size_bytes;
}

void takt_trace_log_source_release(struct trace_log_source *source)
{
	free(source->buffer);
}

enum takt_status takt_trace_log_source_next(struct trace_log_source *source, size_t taken,
					    const uint8_t **ret_frame, size_t *ret_size_bytes)
{
	if (source->copy && taken && !source->copy_error &&
	    fwrite(source->buffer + source->begin, 1, taken, source->copy) != taken)
		source->copy_error = errno;
	source->begin += taken;
	for (;;) {
		const uint8_t *frame = source->buffer + source->begin;
		size_t there = source->end - source->begin;
		size_t size = ZSTD_findFrameCompressedSize(frame, there);
		bool is_short =
			ZSTD_isError(size) && ZSTD_getErrorCode(size) == ZSTD_error_srcSize_wrong;
		ssize_t got;

		if (!is_short || source->at_end || there == FRAME_BYTES_MAX) {
			*ret_frame = frame;
			*ret_size_bytes = ZSTD_isError(size) ? there : size;
			return TAKT_OK;
		}
		memmove(source->buffer, frame, there);
		source->begin = 0;
		source->end = there;
		got = source->read(source, source->buffer + there, FRAME_BYTES_MAX - there);
		if (got < 0)
			return TAKT_UNAVAILABLE;
		source->end += (size_t)got;
		source->at_end = got == 0;
	}
}
