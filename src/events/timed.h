/* SPDX-License-Identifier: MIT */
/* timed: a program's own time, by a clock, for what was counted under emulation. */
#ifndef TAKT_EVENTS_TIMED_H
#define TAKT_EVENTS_TIMED_H

#include <sys/types.h>

#include "events/events.h"

struct events_timed {
	double seconds;
	int exit_status, signal;
	bool input_was_empty; /* what the first run has read could not be read again */
};

/* The instruction set of this machine, as guests are named; "" if that is not known. */
const char *takt_events_host_isa(void);
/* Whether this machine executes the guest's programs itself. */
bool takt_events_is_native(const struct trace_guest *guest);
/* Where standard input stands, or -1: before the first run. */
off_t takt_events_input_offset(void);
/* Runs it; what it writes to standard output and error is thrown away. */
TAKT_MUST_CHECK enum takt_status takt_events_time(char *const *argv, char *const *variables,
						  off_t input,
						  struct takt_diag *diag,
						  struct events_timed *ret_timed);

#endif
