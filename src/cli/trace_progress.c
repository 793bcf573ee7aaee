/* SPDX-License-Identifier: MIT */
/* Progress of a trace, on a line of the terminal that is overwritten. */
#include <unistd.h>

#include "cli/cli.h"

#define CLEAR_LINE "\r\033[K"

static void write_time(double seconds)
{
	long left = seconds < 360000 ? (long)seconds : 360000;

	if (left >= 3600)
		fprintf(stderr, ", %ld h %ld min left", left / 3600, left / 60 % 60);
	else if (left >= 60)
		fprintf(stderr, ", %ld min %ld s left", left / 60, left % 60);
	else
		fprintf(stderr, ", %ld s left", left);
}

static void show(void *context, const struct takt_trace_progress *progress)
{
	double done = progress->share - progress->first_share;
	double insns = (double)(progress->insns - progress->first_insns);

	(void)context;
	fputs(CLEAR_LINE, stderr);
	if (progress->share >= 0)
		fprintf(stderr, "%.1f %%, ", 100 * progress->share);
	fprintf(stderr, "%.1f million instructions, %.2f million/s", 1e-6 * (double)progress->insns,
		1e-6 * insns / progress->seconds);
	if (progress->share >= 0 && done > 0)
		write_time(progress->seconds * (1 - progress->share) / done);
	fflush(stderr);
}

void takt_trace_progress_begin(struct takt_trace_options *options)
{
	if (isatty(STDERR_FILENO))
		options->progress = show;
}

void takt_trace_progress_end(const struct takt_trace_options *options)
{
	if (!options->progress)
		return;
	fputs(CLEAR_LINE, stderr);
	fflush(stderr);
}
