/* SPDX-License-Identifier: MIT */
/* takt_trace_replay: from a log to totals. */
#include "trace/sinks.h"

enum takt_status takt_trace_replay(const char *path, const struct takt_trace_options *options,
				   struct takt_diag *diag, struct takt_trace_totals **ret_totals)
{
	static const struct takt_trace_options none;
	struct trace_dictionary dictionary = {0};
	struct trace_log_target target = {.dictionary = &dictionary};
	struct takt_trace_totals *totals;
	struct trace_sinks sinks;
	struct takt_file file;
	enum takt_status status = takt_file_open(path, diag, &file);

	if (status != TAKT_OK)
		return status;
	totals = takt_xcalloc(1, sizeof(*totals));
	status = takt_trace_sinks_init(&sinks, &dictionary, options ? options : &none, diag);
	target.sink = sinks.first;
	target.names = sinks.options->profile;
	target.signal = sinks.options->signal;
	if (status == TAKT_OK)
		status = takt_trace_log_read(file.data, file.size_bytes, path, &target, diag,
					     totals);
	takt_file_close(&file);
	if (status == TAKT_OK) {
		takt_trace_sinks_finish(&sinks, totals);
		*ret_totals = totals;
	} else {
		takt_trace_totals_free(totals);
	}
	takt_trace_sinks_release(&sinks);
	takt_trace_dictionary_release(&dictionary);
	return status;
}
