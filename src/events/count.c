/* SPDX-License-Identifier: MIT */
/* takt_count: which backend. */
#include "events/backend.h"

/* Options of one backend that the other one would silently leave out. */
static bool options_are_fine(char *const *argv, const struct takt_count_options *options,
			     struct takt_diag *diag)
{
	bool emulates = options->backend == TAKT_COUNT_EMULATE;
	const char *wrong = NULL;

	if (emulates)
		wrong = options->cpus		    ? "pinning to CPUs"
			: options->per_cpu	    ? "counting per CPU"
			: options->attach_pid	    ? "attaching to a process"
			: options->interval_seconds > 0 ? "a timeline"
						    : NULL;
	else
		wrong = options->log_path ? "a log" : options->timed ? "a run for its time" : NULL;
	if (wrong) {
		takt_error(diag, "%s is for the backend '%s'", wrong, emulates ? "pmu" : "emulate");
		return false;
	}
	if (!argv && !options->log_path && !options->attach_pid && !options->per_cpu) {
		takt_error(diag, "no program to count");
		return false;
	}
	return true;
}

enum takt_status takt_count(char *const *argv, const struct takt_count_options *options,
			    struct takt_diag *diag, struct takt_count_result **ret_result)
{
	if (!options_are_fine(argv, options, diag))
		return TAKT_BAD_INPUT;
	return options->backend == TAKT_COUNT_EMULATE
		       ? takt_events_emulate(argv, options, diag, ret_result)
		       : takt_pmu_count(argv, options, diag, ret_result);
}
