/* SPDX-License-Identifier: MIT */
/* sinks: all that take the steps of a run or a log, one behind the other, as its options say. */
#ifndef TAKT_TRACE_SINKS_H
#define TAKT_TRACE_SINKS_H

#include "trace/timing.h"

struct trace_sinks {
	const struct takt_trace_options *options;
	struct trace_sink *first; /* for the stepper */
	struct trace_counter counter;
	struct trace_profile profile; /* if options->profile */
	struct trace_timing timing;   /* if options->core */
	const char *core, *core_doubt; /* its name, takt_model_doubt() */
	struct trace_observer *observer; /* or NULL */
	struct trace_dictionary *dictionary;
};

/* `options` must stay. */
void takt_trace_sinks_init(struct trace_sinks *sinks, const struct takt_trace_options *options);
/* The dictionary knows the guest: asks for the core, and sets `first`. */
TAKT_MUST_CHECK enum takt_status takt_trace_sinks_begin(struct trace_sinks *sinks,
							struct trace_dictionary *dictionary,
							struct takt_diag *diag);
void takt_trace_sinks_release(struct trace_sinks *sinks);
/* All threads have ended: moves what was found into `totals`. */
void takt_trace_sinks_finish(struct trace_sinks *sinks, struct takt_trace_totals *totals);

/* ---- replay.c: a whole log into them ---- */

struct trace_log_source;

TAKT_MUST_CHECK enum takt_status takt_trace_replay_stream(struct trace_log_source *source,
							  const char *name,
							  const struct takt_trace_options *options,
							  struct takt_diag *diag,
							  struct takt_trace_totals *totals);
/* A file can be gone on with, as the options say, and shows how far it is. */
TAKT_MUST_CHECK enum takt_status takt_trace_replay_file(const char *path,
							const struct takt_trace_options *options,
							struct takt_diag *diag,
							struct takt_trace_totals *totals);

#endif
