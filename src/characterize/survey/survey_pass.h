/* SPDX-License-Identifier: MIT */
/* survey_pass: a survey in progress, which goes over the forms more than once. */
#ifndef TAKT_CHARACTERIZE_SURVEY_PASS_H
#define TAKT_CHARACTERIZE_SURVEY_PASS_H

#include "characterize/survey/survey.h"

struct survey_reference;

struct survey {
	struct takt_lab *lab;
	const struct takt_survey_options *options;
	struct probe_store *store;
	struct probe_store *expected; /* figures that forms are supposed to have; NULL: none */
	struct takt_diag *diag;
	double sentinel_cycles; /* least cycles of the sentinel so far: code whose time shows other
				 * load */
	const struct survey_reference *reference; /* what is known of the ports of `expected`;
						   * NULL: nothing */
	struct probe_progress progress;
	bool stopped; /* true if the caller ended it */
};

struct survey_pass {
	const char *subject; /* name in reports of progress: "forms" */
	bool (*is_wanted)(const struct survey *survey, const struct probe_form *form);
	bool (*is_done)(const struct survey *survey, const struct probe_form *form);
	enum takt_status (*run)(struct survey *survey, const struct probe_form *form);
};

/* ---- survey.c ------------------------------------------------------------- */

/* Run the pass over all forms that the options and the pass want, and that are not done. */
enum takt_status takt_survey_pass(struct survey *survey, const struct survey_pass *pass);

/* ---- survey_expected.c ---------------------------------------------------- */

/*
 * Find the figures that the form is supposed to have. False if there are none. `*ret_ports` is
 * text that the caller frees, or NULL if no ports are certain; `ret_ports` may be NULL.
 */
bool takt_survey_expected(const struct survey *survey, const struct probe_form *form,
			  struct probe_expected *ret_expected, char **ret_ports);
/* True if all latencies of the record are the expected ones. */
bool takt_survey_confirms(const struct probe_expected *expected,
			  const struct takt_characterization *record);

/* ---- survey_ports.c ------------------------------------------------------- */

/* Infer the ports from timing, for all forms that are measured and have no ports yet. */
enum takt_status takt_survey_ports(struct survey *survey);

#endif
