/* SPDX-License-Identifier: MIT */
/* takt trace: what its files share. */
#ifndef TAKT_CLI_TRACE_H
#define TAKT_CLI_TRACE_H

#include "cli/cli.h"

/* trace.c. `ran`: the program's output goes to standard output. False if it cannot be written. */
bool takt_trace_report(const struct takt_arguments *arguments,
		       const struct takt_trace_totals *totals, bool ran);
/* Whether an independent count, if there is one, agrees. */
bool takt_trace_checks(const struct takt_trace_totals *totals);
/* An error if a signal killed the program. */
void takt_trace_say_killed(const struct takt_trace_totals *totals);
/* Set by signals that takt was sent. */
extern volatile int takt_trace_signal;
void takt_trace_outlive(void);
/* Of a replay: the first signal ends it as it should, a second one at once. */
void takt_trace_end_early(void);

/* trace_options.c: what the command line asks for; not to be moved once it is read. */
struct takt_trace_wanted {
	struct takt_trace_options options;
	struct takt_trace_core core;
	struct takt_trace_window window;
	struct takt_core_request request; /* its model is the holder's to close */
	const char *regions[TAKT_GIVEN_MAX];
};

/* Reports and returns false if something is wrong with it. */
bool takt_trace_wanted_read(const struct takt_arguments *arguments, struct takt_diag *diag,
			    struct takt_trace_wanted *wanted);

/* trace_import.c: from a log or what else says what ran. */
int takt_trace_replay_main(const struct takt_arguments *arguments, struct takt_diag *diag);

#endif
