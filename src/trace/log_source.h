/* SPDX-License-Identifier: MIT */
/* A log that comes as a stream, frame by frame. */
#ifndef TAKT_TRACE_LOG_SOURCE_H
#define TAKT_TRACE_LOG_SOURCE_H

#include <stdio.h>
#include <sys/types.h>

#include "trace/trace.h"

struct trace_log_source {
	/* As read(2); -1 after an error that it has reported. */
	ssize_t (*read)(struct trace_log_source *source, void *data, size_t size_bytes);
	FILE *copy;	/* gets all that was taken, or NULL */
	int copy_error; /* errno of what went wrong with that, or 0 */
	bool at_end;
	uint8_t *buffer;
	size_t begin, end; /* of what is in it and was not taken */
};

/* `first`: bytes that were read already, fewer than 4 MiB. */
void takt_trace_log_source_init(struct trace_log_source *source, const void *first,
				size_t size_bytes);
void takt_trace_log_source_release(struct trace_log_source *source);
/*
 * Takes `taken` bytes and finds the next frame, or what is there if that is no whole frame
 * and will be none; *ret_size_bytes is 0 at the end.
 */
TAKT_MUST_CHECK enum takt_status takt_trace_log_source_next(struct trace_log_source *source,
							    size_t taken, const uint8_t **ret_frame,
							    size_t *ret_size_bytes);
/* log_read.c: as takt_trace_log_read(). Nothing is read beyond the log's end. */
TAKT_MUST_CHECK enum takt_status takt_trace_log_read_stream(struct trace_log_source *source,
							    const char *name,
							    struct trace_log_target *target,
							    struct takt_diag *diag,
							    struct takt_trace_totals *totals);

#endif
