/* SPDX-License-Identifier: MIT */
/* timed: the native run time of a program, for what was counted under emulation. */
#ifndef TAKT_EVENTS_TIMED_H
#define TAKT_EVENTS_TIMED_H

#include <sys/types.h>

#include "events/events.h"

struct events_timed {
	double seconds;
	int exit_status, signal;
	bool input_was_empty; /* the second run could not read again what the first one had read */
};

/* Return the offset of standard input before the first run, or -1 if it cannot be read again. */
off_t takt_events_input_offset(void);
/* Run and time the program; its standard output and error are discarded. */
TAKT_MUST_CHECK enum takt_status takt_events_time(char *const *argv, char *const *variables,
						  off_t input, struct takt_diag *diag,
						  struct events_timed *ret_timed);

#endif
