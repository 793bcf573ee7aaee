/* SPDX-License-Identifier: MIT */
/* Decides when a replay writes a checkpoint, reports progress, or stops. */
#include "trace/watch.h"

#include <unistd.h>

#define CHECKPOINT_SECONDS 30.0
#define TELL_SECONDS 0.2

/* ---- progress ---- */

static uint64_t insns_of(const struct trace_counter *counter)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < counter->count; i++)
		sum += counter->threads[i].insns;
	return sum;
}

void trace_pace_init(struct trace_pace *pace, const struct takt_trace_options *options,
		     const struct trace_counter *counter)
{
	*pace = (struct trace_pace){
		.options = options, .counter = counter, .begin_seconds = takt_now_seconds()};
	pace->told_seconds = pace->begin_seconds;
}

void trace_pace_tell(struct trace_pace *pace, double share)
{
	struct takt_trace_progress progress;
	double now;

	if (!pace->options->progress)
		return;
	now = takt_now_seconds();
	if (now - pace->told_seconds < TELL_SECONDS)
		return;
	pace->told_seconds = now;
	progress = (struct takt_trace_progress){
		.seconds = now - pace->begin_seconds,
		.share = share,
		.first_share = pace->first_share,
		.insns = insns_of(pace->counter),
		.first_insns = pace->first_insns,
	};
	pace->options->progress(pace->options->progress_context, &progress);
}

/* ---- replays ---- */

static double share_of(const struct trace_watch *watch, size_t at)
{
	return watch->log_bytes ? (double)at / (double)watch->log_bytes : -1;
}

static enum takt_status resume(struct trace_log_watch *log_watch, struct trace_sequencer *sequencer)
{
	struct trace_watch *watch = (struct trace_watch *)log_watch;
	enum takt_status status =
		takt_trace_checkpoint_resume(&watch->checkpoint, sequencer, watch->diag);

	if (status != TAKT_OK)
		return status;
	trace_pace_init(&watch->pace, watch->options, watch->pace.counter);
	watch->pace.first_share = share_of(watch, log_watch->begin);
	watch->pace.first_insns = watch->kept_insns = insns_of(watch->pace.counter);
	watch->kept_seconds = takt_now_seconds();
	return TAKT_OK;
}

static bool is_due(const struct trace_watch *watch)
{
	if (watch->options->checkpoint_insns)
		return insns_of(watch->pace.counter) - watch->kept_insns >=
		       watch->options->checkpoint_insns;
	return takt_now_seconds() - watch->kept_seconds >= CHECKPOINT_SECONDS;
}

/* After an error, which is reported, no more checkpoints are written, but the replay goes on. */
static void keep(struct trace_watch *watch, struct trace_sequencer *sequencer, size_t at)
{
	watch->keeps = takt_trace_checkpoint_write(&watch->checkpoint, sequencer, at,
						   watch->diag) == TAKT_OK;
	watch->kept_insns = insns_of(watch->pace.counter);
	watch->kept_seconds = takt_now_seconds();
}

static bool goes_on(struct trace_log_watch *log_watch, struct trace_sequencer *sequencer, size_t at)
{
	struct trace_watch *watch = (struct trace_watch *)log_watch;

	if (watch->options->signal)
		watch->stopped_by = *watch->options->signal;
	if (watch->keeps && (watch->stopped_by || is_due(watch)))
		keep(watch, sequencer, at);
	trace_pace_tell(&watch->pace, share_of(watch, at));
	return !watch->stopped_by;
}

enum takt_status takt_trace_watch_init(struct trace_watch *watch,
				       const struct takt_trace_options *options,
				       const struct takt_file *log, struct trace_sinks *sinks,
				       struct trace_dictionary *dictionary, struct takt_diag *diag)
{
	*watch = (struct trace_watch){
		.watch = {.resume = resume, .goes_on = goes_on},
		.options = options,
		.diag = diag,
		.log_bytes = log ? log->size_bytes : 0,
		.kept_seconds = takt_now_seconds(),
		.keeps = log && options->checkpoint_path,
	};
	trace_pace_init(&watch->pace, options, &sinks->counter);
	if (!watch->keeps)
		return TAKT_OK;
	takt_trace_checkpoint_init(&watch->checkpoint, options->checkpoint_path, log, sinks,
				   dictionary);
	return takt_trace_checkpoint_find(&watch->checkpoint, diag, &watch->watch.begin);
}

void takt_trace_watch_done(struct trace_watch *watch)
{
	if (watch->options->checkpoint_path)
		unlink(watch->options->checkpoint_path);
}

void takt_trace_watch_release(struct trace_watch *watch)
{
	takt_trace_checkpoint_release(&watch->checkpoint);
}
