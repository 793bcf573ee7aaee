/* SPDX-License-Identifier: MIT */
/* Replays a log: feeds it to the sinks, and fills the totals. */
#include "trace/log/log_source.h"
#include "trace/watch.h"

struct replay {
	struct trace_log_target target; /* first, so that it is one */
	struct trace_dictionary dictionary;
	struct trace_sinks sinks;
	struct trace_watch watch;
	const struct takt_file *file; /* NULL: a stream, whose replay cannot be resumed */
};

static enum takt_status begin(struct trace_log_target *target, struct takt_diag *diag)
{
	struct replay *replay = (struct replay *)target;
	enum takt_status status = takt_trace_sinks_begin(&replay->sinks, &replay->dictionary, diag);

	target->sink = replay->sinks.first;
	if (status != TAKT_OK)
		return status;
	target->watch = &replay->watch.watch;
	return takt_trace_watch_init(&replay->watch, replay->sinks.options, replay->file,
				     &replay->sinks, &replay->dictionary, diag);
}

static void replay_init(struct replay *replay, const struct takt_trace_options *options)
{
	*replay = (struct replay){0};
	takt_trace_sinks_init(&replay->sinks, options);
	replay->target = (struct trace_log_target){
		.dictionary = &replay->dictionary,
		.begin = begin,
		.names = replay->sinks.options->profile || replay->sinks.options->dependences ||
			 (replay->sinks.options->core && replay->sinks.options->core->layouts),
	};
}

/* Report a core that was resumed and came to nothing. */
static enum takt_status report_stuck(const struct replay *replay, struct takt_diag *diag)
{
	const char *path = replay->sinks.options->checkpoint_path;

	takt_error(diag,
		   "the checkpoint '%s' was not written by takt: the core that it describes "
		   "makes no progress",
		   path ? path : "");
	takt_note(diag, "remove it to begin anew");
	return TAKT_BAD_INPUT;
}

static enum takt_status finish(struct replay *replay, enum takt_status status,
			       struct takt_diag *diag, struct takt_trace_totals *totals)
{
	totals->stopped_by = replay->watch.stopped_by;
	if (status == TAKT_OK)
		takt_trace_sinks_finish(&replay->sinks, totals);
	if (status == TAKT_OK)
		takt_trace_totals_sum_processes(totals);
	if (status == TAKT_OK && replay->sinks.timing.stuck)
		status = report_stuck(replay, diag);
	if (status == TAKT_OK && replay->file && !totals->stopped_by)
		takt_trace_watch_done(&replay->watch);
	takt_trace_watch_release(&replay->watch);
	takt_trace_sinks_release(&replay->sinks);
	takt_trace_dictionary_release(&replay->dictionary);
	return status;
}

enum takt_status takt_trace_replay_stream(struct trace_log_source *source, const char *name,
					  const struct takt_trace_options *options,
					  struct takt_diag *diag, struct takt_trace_totals *totals)
{
	struct replay replay;

	replay_init(&replay, options);
	return finish(&replay,
		      takt_trace_log_read_stream(source, name, &replay.target, diag, totals), diag,
		      totals);
}

static enum takt_status replay_file(const char *path, const struct takt_trace_options *options,
				    struct trace_observer *observer, struct takt_diag *diag,
				    struct takt_trace_totals *totals)
{
	struct replay replay;
	struct takt_file file;
	enum takt_status status = takt_file_open_large(path, diag, &file);

	if (status != TAKT_OK)
		return status;
	replay_init(&replay, options);
	replay.sinks.observer = observer;
	replay.target.names |= observer != NULL;
	replay.file = &file;
	status =
		takt_trace_log_read(file.data, file.size_bytes, path, &replay.target, diag, totals);
	status = finish(&replay, status, diag, totals);
	takt_file_close(&file);
	return status;
}

enum takt_status takt_trace_replay_file(const char *path, const struct takt_trace_options *options,
					struct takt_diag *diag, struct takt_trace_totals *totals)
{
	return replay_file(path, options, NULL, diag, totals);
}

enum takt_status takt_trace_observe_log(const char *path, const struct takt_trace_options *options,
					struct trace_observer *observer, struct takt_diag *diag,
					struct takt_trace_totals **ret_totals)
{
	struct takt_trace_totals *totals = takt_xcalloc(1, sizeof(*totals));
	enum takt_status status = replay_file(path, options, observer, diag, totals);

	if (status == TAKT_OK)
		*ret_totals = totals;
	else
		takt_trace_totals_free(totals);
	return status;
}
