/* SPDX-License-Identifier: MIT */
/* Progress of a survey, or of a search for classes. */

#include "characterize/survey/survey.h"

void takt_probe_progress_start(struct probe_progress *progress, const char *subject, size_t done,
			       size_t total)
{
	progress->report.subject = subject;
	progress->report.done = done;
	progress->report.total = total;
	progress->done_before = done;
	progress->start_seconds = takt_now_seconds();
}

bool takt_probe_progress_step(struct probe_progress *progress, const struct takt_lab *lab,
			      const struct probe_form *form)
{
	struct takt_lab_progress *report = &progress->report;
	double seconds = takt_now_seconds() - progress->start_seconds;

	report->done++;
	report->form = form->text;
	report->seconds_left = seconds / (double)(report->done - progress->done_before) *
			       (double)(report->total - report->done);
	return !lab->progress || lab->progress(lab->context, report);
}
