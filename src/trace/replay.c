/* SPDX-License-Identifier: MIT */
/* takt_trace_replay: from a log to totals. */
#include <stdlib.h>

#include "trace/trace.h"

/* What a log is read into. */
struct replay {
	const struct takt_trace_options *options;
	struct trace_dictionary dictionary;
	struct trace_counter counter;
	struct trace_profile profile;
	struct takt_trace_totals *totals;
};

static enum takt_status read_log(struct replay *replay, const char *path,
				 const struct takt_file *file, struct takt_diag *diag)
{
	struct trace_log_target target = {
		.dictionary = &replay->dictionary,
		.sink = &replay->counter.sink,
		.names = replay->options->profile,
	};
	enum takt_status status = TAKT_OK;

	if (replay->options->profile) {
		status = takt_trace_profile_init(&replay->profile, &replay->dictionary,
						 replay->options, diag);
		replay->profile.next = target.sink;
		target.sink = &replay->profile.sink;
	}
	if (status == TAKT_OK)
		status = takt_trace_log_read(file->data, file->size_bytes, path, &target, diag,
					     replay->totals);
	if (status == TAKT_OK) {
		takt_trace_counter_finish(&replay->counter, replay->totals);
		if (replay->options->profile)
			replay->totals->profile =
				takt_trace_profile_finish(&replay->profile, NULL);
	}
	return status;
}

enum takt_status takt_trace_replay(const char *path, const struct takt_trace_options *options,
				   struct takt_diag *diag, struct takt_trace_totals **ret_totals)
{
	static const struct takt_trace_options none;
	struct replay replay = {.options = options ? options : &none};
	struct takt_file file;
	enum takt_status status = takt_file_open(path, diag, &file);

	if (status != TAKT_OK)
		return status;
	replay.totals = takt_xcalloc(1, sizeof(*replay.totals));
	takt_trace_counter_init(&replay.counter);
	status = read_log(&replay, path, &file, diag);
	takt_file_close(&file);
	if (status == TAKT_OK)
		*ret_totals = replay.totals;
	else
		takt_trace_totals_free(replay.totals);
	takt_trace_profile_release(&replay.profile);
	takt_trace_counter_release(&replay.counter);
	takt_trace_dictionary_release(&replay.dictionary);
	return status;
}
