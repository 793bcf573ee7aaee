/* SPDX-License-Identifier: MIT */
/*
 * checkpoint: the whole state of a replay in a file, from which it can be resumed. The file is
 * one Zstandard frame with a checksum. It holds the key of the replay that it belongs to, the
 * offset in the log of the next frame, and the state (docs/formats/traces.md, "Checkpoint"). It
 * does not hold the dictionary, which is read from the log again.
 */
#ifndef TAKT_TRACE_CHECKPOINT_H
#define TAKT_TRACE_CHECKPOINT_H

#include "trace/sinks.h"

struct trace_checkpoint {
	const char *path;
	struct takt_text key; /* identifies the replay: takt's version, log, options */
	size_t log_bytes;
	struct trace_sinks *sinks;
	struct trace_dictionary *dictionary;
	struct takt_file file; /* the checkpoint that was found, until it is resumed */
};

void takt_trace_checkpoint_init(struct trace_checkpoint *checkpoint, const char *path,
				const struct takt_file *log, struct trace_sinks *sinks,
				struct trace_dictionary *dictionary);
void takt_trace_checkpoint_release(struct trace_checkpoint *checkpoint);
/*
 * Look for the file, and check that it is complete and belongs to this replay. *ret_begin is the
 * offset in the log to begin with, or 0 if there is no such file.
 */
TAKT_MUST_CHECK enum takt_status takt_trace_checkpoint_find(struct trace_checkpoint *checkpoint,
							    struct takt_diag *diag,
							    size_t *ret_begin);
/*
 * Load the state that was found into new sinks and a new sequencer. The dictionary must be as it
 * was when the checkpoint was written.
 */
TAKT_MUST_CHECK enum takt_status takt_trace_checkpoint_resume(struct trace_checkpoint *checkpoint,
							      struct trace_sequencer *sequencer,
							      struct takt_diag *diag);
/* Write a checkpoint; it replaces the previous one only when it is complete. */
TAKT_MUST_CHECK enum takt_status takt_trace_checkpoint_write(struct trace_checkpoint *checkpoint,
							     struct trace_sequencer *sequencer,
							     size_t at, struct takt_diag *diag);

#endif
