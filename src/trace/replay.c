/* SPDX-License-Identifier: MIT */
/* takt_trace_replay: from a log to totals. */
#include "trace/watch.h"

struct replay {
	struct trace_dictionary dictionary;
	struct trace_sinks sinks;
	struct trace_watch watch;
	struct takt_file file;
};

static enum takt_status read_log(struct replay *replay, const char *path, struct takt_diag *diag,
				 struct takt_trace_totals *totals)
{
	const struct trace_log_target target = {
		.dictionary = &replay->dictionary,
		.sink = replay->sinks.first,
		.names = replay->sinks.options->profile,
		.watch = &replay->watch.watch,
	};
	enum takt_status status = takt_trace_watch_init(&replay->watch, replay->sinks.options,
							&replay->file, &replay->sinks,
							&replay->dictionary, diag);

	if (status == TAKT_OK)
		status = takt_trace_log_read(replay->file.data, replay->file.size_bytes, path,
					     &target, diag, totals);
	totals->stopped_by = replay->watch.stopped_by;
	if (status == TAKT_OK && !totals->stopped_by)
		takt_trace_watch_done(&replay->watch);
	takt_trace_watch_release(&replay->watch);
	return status;
}

enum takt_status takt_trace_replay(const char *path, const struct takt_trace_options *options,
				   struct takt_diag *diag, struct takt_trace_totals **ret_totals)
{
	static const struct takt_trace_options none;
	struct replay replay = {0};
	struct takt_trace_totals *totals;
	enum takt_status status = takt_file_open(path, diag, &replay.file);

	if (status != TAKT_OK)
		return status;
	totals = takt_xcalloc(1, sizeof(*totals));
	status = takt_trace_sinks_init(&replay.sinks, &replay.dictionary,
				       options ? options : &none, diag);
	if (status == TAKT_OK)
		status = read_log(&replay, path, diag, totals);
	takt_file_close(&replay.file);
	if (status == TAKT_OK) {
		takt_trace_sinks_finish(&replay.sinks, totals);
		*ret_totals = totals;
	} else {
		takt_trace_totals_free(totals);
	}
	takt_trace_sinks_release(&replay.sinks);
	takt_trace_dictionary_release(&replay.dictionary);
	return status;
}
