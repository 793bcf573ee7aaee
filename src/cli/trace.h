/* SPDX-License-Identifier: MIT */
/* trace: declarations that the files of `takt trace` share. */
#ifndef TAKT_CLI_TRACE_H
#define TAKT_CLI_TRACE_H

#include "cli/cli.h"

/* trace.c: write the report; false if that fails. `ran`: standard output is the program's. */
bool takt_trace_report(const struct takt_arguments *arguments,
		       const struct takt_trace_totals *totals, bool ran);
/* False if an independent count, or a check of the memo, contradicts the figures. */
bool takt_trace_checks(const struct takt_trace_totals *totals);
/* Report an error if a signal killed the program. */
void takt_trace_say_killed(const struct takt_trace_totals *totals);
/* The last signal sent to takt; 0: none. */
extern volatile int takt_trace_signal;
/* Let takt survive signals that are meant for the traced program, so that it still reports. */
void takt_trace_outlive(void);
/* Prepare a replay for signals: the first ends it with its report, a second one at once. */
void takt_trace_end_early(void);

/* ---- trace_options.c ---- */

/* True if the options go with `--backend`; an error is reported. */
bool takt_trace_backend_is_fine(const struct takt_arguments *arguments);

/* The options as a request. It must not be moved once it is read. */
struct takt_trace_wanted {
	struct takt_trace_options options;
	struct takt_trace_core core;
	struct takt_trace_window window;
	struct takt_core_request request; /* the owner of the request closes its model */
	const char *regions[TAKT_GIVEN_MAX];
	struct takt_trace_parts parts;
	const char *functions[TAKT_GIVEN_MAX];
};

/* Report errors and return false. */
bool takt_trace_wanted_read(const struct takt_arguments *arguments, struct takt_diag *diag,
			    struct takt_trace_wanted *wanted);

/* Report an error and return false if layouts are wanted together with options that exclude them.
 */
bool takt_layouts_are_possible(const struct takt_arguments *arguments, unsigned id,
			       const char *excluded);

/*
 * trace_loops.c: return the analyses of the hottest loops as a JSON array, to be freed; NULL if
 * there is no core or no profile. `model_dir` is as for takt_model_open().
 */
char *takt_trace_loops(const struct takt_trace_totals *totals, const char *model_dir);
/* trace_page.c: append the result as a report for a browser. */
void takt_trace_page(const struct takt_trace_totals *totals, const char *model_dir,
		     const struct takt_trace_write_options *options, struct takt_text *text);
void takt_diff_page(const struct takt_diff *diff, const struct takt_diff_write_options *options,
		    struct takt_text *text);

/* trace_import.c: replay a log, or another tool's record of what ran. */
int takt_trace_replay_main(const struct takt_arguments *arguments, struct takt_diag *diag);

#endif
