/* SPDX-License-Identifier: MIT */
/* log_source: a log that is read as a stream, frame by frame. */
#ifndef TAKT_TRACE_LOG_SOURCE_H
#define TAKT_TRACE_LOG_SOURCE_H

#include <stdio.h>
#include <sys/types.h>

#include "trace/trace.h"

struct trace_log_source {
	/* Like read(2), but returns -1 after an error that it has reported. */
	ssize_t (*read)(struct trace_log_source *source, void *data, size_t size_bytes);
	FILE *copy;	/* gets a copy of all frames that were consumed, or NULL */
	int copy_error; /* errno of writing the copy, or 0 */
	bool at_end;
	uint8_t *buffer;
	size_t begin, end; /* part of the buffer that was not consumed */
};

/* `first`: bytes of the stream that were read already, fewer than 4 MiB. */
void takt_trace_log_source_init(struct trace_log_source *source, const void *first,
				size_t size_bytes);
void takt_trace_log_source_release(struct trace_log_source *source);
/*
 * Consume `taken` bytes and find the next frame. If the stream ends in the middle of a frame, or
 * the data is none, return the data that is there. *ret_size_bytes is 0 at the end.
 */
TAKT_MUST_CHECK enum takt_status takt_trace_log_source_next(struct trace_log_source *source,
							    size_t taken, const uint8_t **ret_frame,
							    size_t *ret_size_bytes);
/* log_read.c: like takt_trace_log_read(). Nothing is read beyond the log's end. */
TAKT_MUST_CHECK enum takt_status takt_trace_log_read_stream(struct trace_log_source *source,
							    const char *name,
							    struct trace_log_target *target,
							    struct takt_diag *diag,
							    struct takt_trace_totals *totals);

#endif
