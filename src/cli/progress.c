/* SPDX-License-Identifier: MIT */
/* Progress of long work on a line of the terminal, and its interruption by Ctrl-C. */
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

#define CLEAR_LINE "\r\033[K"
#define SHOW_SECONDS 0.5

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
	(void)number;
	interrupted = 1;
}

void takt_interrupt_handle(void)
{
	/* The handler is reset when called, so that a second interrupt ends takt at once. */
	const struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};

	sigaction(SIGINT, &action, NULL);
}

bool takt_interrupt_came(void)
{
	return interrupted;
}

bool takt_progress_show(void *context, const char *text)
{
	(void)context;
	fprintf(stderr, "\r%-70.70s\r", text);
	return true;
}

double takt_clock_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void takt_progress_begin(struct takt_progress *progress, const char *subject, size_t total,
			 FILE *output)
{
	double now = takt_clock_seconds();

	*progress = (struct takt_progress){
		.subject = subject,
		.total = total,
		/* On a terminal, the results themselves show the progress. */
		.shows = isatty(STDERR_FILENO) && !(output && isatty(fileno(output))),
		.start_seconds = now,
		.next_seconds = now + SHOW_SECONDS,
	};
	interrupted = 0;
	if (total > 1)
		takt_interrupt_handle();
}

bool takt_progress_step(struct takt_progress *progress)
{
	double now = progress->shows ? takt_clock_seconds() : 0;

	if (interrupted)
		return false;
	if (progress->shows && now >= progress->next_seconds) {
		double left = (now - progress->start_seconds) /
			      (double)(progress->done ? progress->done : 1) *
			      (double)(progress->total - progress->done);

		fprintf(stderr, CLEAR_LINE "%zu of %zu %s, %.0f s left", progress->done,
			progress->total, progress->subject, left);
		fflush(stderr);
		progress->next_seconds = now + SHOW_SECONDS;
		progress->shown = true;
	}
	progress->done++;
	return true;
}

bool takt_progress_end(const struct takt_progress *progress)
{
	if (progress->shown)
		fputs(CLEAR_LINE, stderr);
	if (!interrupted || progress->done == progress->total)
		return true;
	return takt_say_note("interrupted after %zu of %zu %s", progress->done, progress->total,
			     progress->subject);
}
