/* SPDX-License-Identifier: MIT */
/*
 * what_if: timings of the same run on cores that are better in one respect each. They stand before
 * the timing of the core itself in the chain of sinks, so that the program runs, or its log is
 * read, only once.
 */
#ifndef TAKT_TRACE_WHAT_IF_H
#define TAKT_TRACE_WHAT_IF_H

#include "trace/timing/timing.h"

struct trace_what_if {
	char *what;		  /* the respect, in words */
	struct takt_model *model; /* NULL: the core itself, with other parts of the model */
	struct trace_timing timing;
};

struct trace_what_ifs {
	struct trace_what_if **list;
	uint32_t count, capacity;
};

/*
 * Begin all timings that apply to a core, with its timing's options; they pass everything on to
 * `next`. The first sink of the chain is stored in *ret_first. The model must outlive them.
 */
TAKT_MUST_CHECK enum takt_status
takt_trace_what_ifs_init(struct trace_what_ifs *what_ifs,
			 const struct trace_timing_options *options, struct trace_sink *next,
			 struct takt_diag *diag, struct trace_sink **ret_first);
/* Make the result, when all threads have ended; takt_trace_sensitivity_free() frees it. */
const struct takt_trace_sensitivity *takt_trace_what_ifs_finish(struct trace_what_ifs *what_ifs,
								uint32_t thread_count);
void takt_trace_what_ifs_release(struct trace_what_ifs *what_ifs);
void takt_trace_sensitivity_free(const struct takt_trace_sensitivity *sensitivity);

#endif
