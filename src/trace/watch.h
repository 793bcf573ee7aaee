/* SPDX-License-Identifier: MIT */
/* watch: what happens beside a run or a replay: progress, checkpoints, signals. */
#ifndef TAKT_TRACE_WATCH_H
#define TAKT_TRACE_WATCH_H

#include "trace/checkpoint.h"

/* Tells how far it is, not too often. */
struct trace_pace {
	const struct takt_trace_options *options;
	const struct trace_counter *counter;
	double begin_seconds, told_seconds;
	double first_share;
	uint64_t first_insns;
};

void trace_pace_init(struct trace_pace *pace, const struct takt_trace_options *options,
		     const struct trace_counter *counter);
/* `share`: negative if it is not known. */
void trace_pace_tell(struct trace_pace *pace, double share);

/* Of a replay. */
struct trace_watch {
	struct trace_log_watch watch; /* first, so that it is one */
	const struct takt_trace_options *options;
	struct trace_checkpoint checkpoint; /* if options->checkpoint_path */
	struct takt_diag *diag;
	struct trace_pace pace;
	size_t log_bytes;     /* 0: not known */
	double kept_seconds;  /* when the last checkpoint was written, */
	uint64_t kept_insns;  /* and after how many instructions */
	bool keeps;           /* checkpoints are to be written */
	int stopped_by;       /* signal */
};

/* Looks for a checkpoint. `log` NULL: a stream, which has none. To be released whatever it returns. */
TAKT_MUST_CHECK enum takt_status takt_trace_watch_init(struct trace_watch *watch,
						       const struct takt_trace_options *options,
						       const struct takt_file *log,
						       struct trace_sinks *sinks,
						       struct trace_dictionary *dictionary,
						       struct takt_diag *diag);
/* The log's end was reached: no checkpoint is needed any more. */
void takt_trace_watch_done(struct trace_watch *watch);
void takt_trace_watch_release(struct trace_watch *watch);

#endif
