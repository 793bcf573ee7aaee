/* SPDX-License-Identifier: MIT */
/*
 * checkpoint: the whole state of a replay in a file, to go on from later. The file is one
 * Zstandard frame with a checksum: what it belongs to, the offset in the log of the frame that
 * comes next, and the state (docs/formats.md, "Checkpoints"). The dictionary is not in it: it is
 * read from the log again.
 */
#ifndef TAKT_TRACE_CHECKPOINT_H
#define TAKT_TRACE_CHECKPOINT_H

#include "trace/sinks.h"

struct trace_checkpoint {
	const char *path;
	struct takt_text key; /* what it must belong to: takt, log, options */
	size_t log_bytes;
	struct trace_sinks *sinks;
	struct trace_dictionary *dictionary;
	struct takt_file file; /* that was found, until it is taken up */
};

void takt_trace_checkpoint_init(struct trace_checkpoint *checkpoint, const char *path,
				const struct takt_file *log, struct trace_sinks *sinks,
				struct trace_dictionary *dictionary);
void takt_trace_checkpoint_release(struct trace_checkpoint *checkpoint);
/*
 * Looks for the file and checks that it is whole and belongs here; `ret_begin`: the offset to
 * begin with, 0 if there is no such file.
 */
TAKT_MUST_CHECK enum takt_status takt_trace_checkpoint_find(struct trace_checkpoint *checkpoint,
							    struct takt_diag *diag,
							    size_t *ret_begin);
/* Takes up what was found: sinks and stepper are new, the dictionary is as it was then. */
TAKT_MUST_CHECK enum takt_status takt_trace_checkpoint_resume(struct trace_checkpoint *checkpoint,
							      struct trace_stepper *stepper,
							      struct takt_diag *diag);
/* All or nothing: what was there before stays until all is written. */
TAKT_MUST_CHECK enum takt_status takt_trace_checkpoint_write(struct trace_checkpoint *checkpoint,
							     struct trace_stepper *stepper,
							     size_t at, struct takt_diag *diag);

#endif
