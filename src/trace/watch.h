/* SPDX-License-Identifier: MIT */
/* watch: progress reports, checkpoints and signals during a run or a replay. */
#ifndef TAKT_TRACE_WATCH_H
#define TAKT_TRACE_WATCH_H

#include "trace/checkpoint.h"

/* Reports progress, not too often. */
struct trace_pace {
	const struct takt_trace_options *options;
	const struct trace_counter *counter;
	double begin_seconds, told_seconds;
	double first_share;
	uint64_t first_insns;
};

void trace_pace_init(struct trace_pace *pace, const struct takt_trace_options *options,
		     const struct trace_counter *counter);
/* Report that `share` (0 to 1) of the work is done; negative: unknown. */
void trace_pace_tell(struct trace_pace *pace, double share);

/* Watches a replay. */
struct trace_watch {
	struct trace_log_watch watch; /* first, so that it is one */
	const struct takt_trace_options *options;
	struct trace_checkpoint checkpoint; /* used if options->checkpoint_path */
	struct takt_diag *diag;
	struct trace_pace pace;
	size_t log_bytes;    /* 0: unknown */
	double kept_seconds; /* time at which the last checkpoint was written */
	uint64_t kept_insns; /* instructions that were done then */
	bool keeps;	     /* true if checkpoints are to be written */
	int stopped_by;	     /* signal that stopped the replay, or 0 */
};

/*
 * Look for a checkpoint. `log` is NULL for a stream, which has none. The watch must be released
 * whatever this returns.
 */
TAKT_MUST_CHECK enum takt_status
takt_trace_watch_init(struct trace_watch *watch, const struct takt_trace_options *options,
		      const struct takt_file *log, struct trace_sinks *sinks,
		      struct trace_dictionary *dictionary, struct takt_diag *diag);
/* Remove the checkpoint, when the log's end was reached. */
void takt_trace_watch_done(struct trace_watch *watch);
void takt_trace_watch_release(struct trace_watch *watch);

#endif
