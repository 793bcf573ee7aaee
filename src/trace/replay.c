/* SPDX-License-Identifier: MIT */
/* From a log to totals. */
#include "trace/log_source.h"
#include "trace/sinks.h"

struct replay {
	struct trace_log_target target; /* first, so that it is one */
	struct trace_dictionary dictionary;
	struct trace_sinks sinks;
};

static enum takt_status begin(struct trace_log_target *target, struct takt_diag *diag)
{
	struct replay *replay = (struct replay *)target;
	enum takt_status status =
		takt_trace_sinks_begin(&replay->sinks, &replay->dictionary, diag);

	target->sink = replay->sinks.first;
	return status;
}

enum takt_status takt_trace_sinks_read_log(struct trace_log_source *source, const char *name,
					   const struct takt_trace_options *options,
					   struct takt_diag *diag, struct takt_trace_totals *totals)
{
	struct replay replay = {0};
	enum takt_status status;

	takt_trace_sinks_init(&replay.sinks, options);
	replay.target = (struct trace_log_target){
		.dictionary = &replay.dictionary,
		.begin = begin,
		.names = replay.sinks.options->profile,
		.signal = replay.sinks.options->signal,
	};
	status = takt_trace_log_read_stream(source, name, &replay.target, diag, totals);
	if (status == TAKT_OK)
		takt_trace_sinks_finish(&replay.sinks, totals);
	takt_trace_sinks_release(&replay.sinks);
	takt_trace_dictionary_release(&replay.dictionary);
	return status;
}
