/* SPDX-License-Identifier: MIT */
/* sinks: the chain of sinks that get the executed blocks of a run or a log, as the options choose
 * them. */
#ifndef TAKT_TRACE_SINKS_H
#define TAKT_TRACE_SINKS_H

#include "trace/depend/dependences.h"
#include "trace/timing/timing.h"
#include "trace/timing/what_if.h"

struct trace_sinks {
	const struct takt_trace_options *options;
	struct trace_sink *first; /* the sink that the sequencer calls */
	struct trace_counter counter;
	struct trace_profile profile;	      /* used if options->profile */
	struct trace_timing timing;	      /* used if options->core */
	struct trace_what_ifs what_ifs;	      /* used if options->sensitivity */
	struct trace_dependences dependences; /* used if options->dependences */
	/* With layouts: `timing` is of the first one, and these are of all of them. */
	struct trace_timing **timings;
	struct trace_layouts *layouts;
	const char *core, *core_doubt;	 /* the core's name, and takt_model_doubt() of it */
	struct trace_observer *observer; /* or NULL */
	struct trace_dictionary *dictionary;
};

/* `options` must outlive the sinks. */
void takt_trace_sinks_init(struct trace_sinks *sinks, const struct takt_trace_options *options);
/* Open the core's model and set `first`; call it when the dictionary knows the guest. */
TAKT_MUST_CHECK enum takt_status takt_trace_sinks_begin(struct trace_sinks *sinks,
							struct trace_dictionary *dictionary,
							struct takt_diag *diag);
void takt_trace_sinks_release(struct trace_sinks *sinks);
/* Move the results into `totals`, when all threads have ended. */
void takt_trace_sinks_finish(struct trace_sinks *sinks, struct takt_trace_totals *totals);

/* ---- replay.c: reads a whole log into the sinks ---- */

struct trace_log_source;

TAKT_MUST_CHECK enum takt_status takt_trace_replay_stream(struct trace_log_source *source,
							  const char *name,
							  const struct takt_trace_options *options,
							  struct takt_diag *diag,
							  struct takt_trace_totals *totals);
/* The replay of a file can be resumed from a checkpoint, and reports progress. */
TAKT_MUST_CHECK enum takt_status takt_trace_replay_file(const char *path,
							const struct takt_trace_options *options,
							struct takt_diag *diag,
							struct takt_trace_totals *totals);

#endif
