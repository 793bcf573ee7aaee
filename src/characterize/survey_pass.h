/* SPDX-License-Identifier: MIT */
/* survey_pass: a survey on its way, which goes over the forms more than once. */
#ifndef TAKT_CHARACTERIZE_SURVEY_PASS_H
#define TAKT_CHARACTERIZE_SURVEY_PASS_H

#include "characterize/survey.h"

struct survey {
	struct takt_lab *lab;
	const struct takt_survey_options *options;
	struct probe_store *store;
	struct takt_diag *diag;
	double sentinel_cycles; /* the fewest seen */
	struct probe_progress progress;
	bool stopped; /* by the caller */
};

struct survey_pass {
	const char *subject; /* for people: "forms" */
	bool (*is_wanted)(const struct survey *survey, const struct probe_form *form);
	bool (*is_done)(const struct survey *survey, const struct probe_form *form);
	enum takt_status (*run)(struct survey *survey, const struct probe_form *form);
};

/* ---- survey.c ------------------------------------------------------------- */

/* All forms that the options and the pass want, and that are not done. */
enum takt_status takt_survey_pass(struct survey *survey, const struct survey_pass *pass);

/* ---- survey_ports.c ------------------------------------------------------- */

/* Ports by time alone, of all forms that are measured and have none. */
enum takt_status takt_survey_ports(struct survey *survey);

#endif
