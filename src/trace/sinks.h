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
};

/* To be released whatever it returns. `options` must stay. */
TAKT_MUST_CHECK enum takt_status takt_trace_sinks_init(struct trace_sinks *sinks,
						       struct trace_dictionary *dictionary,
						       const struct takt_trace_options *options,
						       struct takt_diag *diag);
void takt_trace_sinks_release(struct trace_sinks *sinks);
/* All threads have ended: moves what was found into `totals`. */
void takt_trace_sinks_finish(struct trace_sinks *sinks, struct takt_trace_totals *totals);

#endif
