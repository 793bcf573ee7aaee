/* SPDX-License-Identifier: MIT */
/* takt trace FILE: replays logs and other tools' records. */

#include "cli/command_docs.h"
#include "cli/trace.h"

static int finish(const struct takt_arguments *arguments, struct takt_diag *diag,
		  struct takt_trace_totals *totals)
{
	bool fine = takt_trace_report(arguments, totals, false) && takt_trace_checks(totals) &&
		    takt_diag_error_count(diag) == 0;
	int stopped_by = totals->stopped_by, signal = totals->signal;

	if (totals->left_out)
		takt_say_note(
			"left out: %llu %s in no --binary", (unsigned long long)totals->left_out,
			takt_say_noun(totals->left_out, "address that is", "addresses that are"));
	takt_trace_say_killed(totals);
	takt_trace_totals_free(totals);
	if (stopped_by)
		return TAKT_EXIT_SIGNALLED + stopped_by;
	if (signal)
		return TAKT_EXIT_SIGNALLED + signal;
	return fine ? TAKT_EXIT_FINE : TAKT_EXIT_BAD;
}

int takt_trace_replay_main(const struct takt_arguments *arguments, struct takt_diag *diag)
{
	const char *binaries[TAKT_GIVEN_MAX];
	struct takt_trace_import_options options = {
		.kind = (enum takt_trace_kind)takt_arguments_choice(arguments, OPTION_TRACE_FROM),
		.isa = arguments->values[OPTION_TRACE_ISA],
		.syntax = (enum takt_syntax)takt_arguments_choice(arguments, OPTION_TRACE_SYNTAX),
		.binaries = binaries,
	};
	struct takt_trace_wanted wanted;
	struct takt_trace_totals *totals;
	int status = TAKT_EXIT_BAD;
	bool fine;

	if (!takt_trace_wanted_read(arguments, diag, &wanted))
		return TAKT_EXIT_USAGE;
	if (!takt_arguments_file_is_trace(arguments)) {
		takt_model_close(wanted.request.model);
		return TAKT_EXIT_BAD;
	}
	options.binary_count =
		(uint32_t)takt_arguments_all(arguments, OPTION_TRACE_BINARY, binaries);
	takt_trace_end_early();
	takt_trace_progress_begin(&wanted.options);
	fine = takt_trace_import(arguments->operands[0], &wanted.options, &options, diag,
				 &totals) == TAKT_OK;
	takt_trace_progress_end(&wanted.options);
	if (fine)
		status = finish(arguments, diag, totals);
	takt_model_close(wanted.request.model);
	return status;
}
