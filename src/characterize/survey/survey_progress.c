/* SPDX-License-Identifier: MIT */
/* Progress of a survey, or of a search for classes. */

#include "characterize/survey/survey.h"

void takt_probe_progress_start(struct probe_progress *progress, const char *subject, size_t done,
			       size_t total)
{
	progress->told.subject = subject;
	progress->told.done = done;
	progress->told.total = total;
	progress->done_before = done;
	progress->start_seconds = takt_now_seconds();
}

bool takt_probe_progress_step(struct probe_progress *progress, const struct takt_lab *lab,
			      const struct probe_form *form)
{
	struct takt_lab_progress *told = &progress->told;
	double seconds = takt_now_seconds() - progress->start_seconds;

	told->done++;
	told->form = form->text;
	told->seconds_left = seconds / (double)(told->done - progress->done_before) *
			     (double)(told->total - told->done);
	return !lab->progress || lab->progress(lab->context, told);
}
