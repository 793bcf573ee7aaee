/* SPDX-License-Identifier: MIT */
/* survey: measures all forms of a machine and keeps the results in a database. */
#ifndef TAKT_CHARACTERIZE_SURVEY_H
#define TAKT_CHARACTERIZE_SURVEY_H

#include "characterize/classes/classes.h"
#include "characterize/variants/variants.h"

struct takt_lab {
	struct probe_lab *probe;
	const struct takt_model *model; /* model that the simulator plays; else NULL */
	struct takt_model *own_model;	/* the same, if it is the lab's own; else NULL */
	bool wants_classes, without_variants;
	bool keeps_experiments; /* results have the experiments on throughput and latencies even if
				 * none are to be explained */
	struct probe_blockers blockers;	 /* used on machines with counters */
	struct probe_class_sets classes; /* used on machines without counters */
	bool blockers_known, classes_known;
	bool (*progress)(void *context, const struct takt_lab_progress *progress);
	void *context;
};

/* ---- characterize.c ------------------------------------------------------- */

/*
 * Find the lab's classes unless they are known. False if the caller ended the search; then they
 * stay unknown.
 */
bool takt_lab_find_classes(struct takt_lab *lab);

/* Convert a variant to the form that results have; its texts live in the arena. */
struct takt_variant takt_probe_variant_record(const struct probe_variant *variant,
					      struct takt_arena *arena);

/* Two measurements of a throughput that differ by more than this fraction are noisy. */
#define PROBE_SPREAD_MAX 0.05

/* ---- survey_progress.c ----------------------------------------------------------- */

/* Progress of a long operation. */
struct probe_progress {
	struct takt_lab_progress report;
	double start_seconds;
	size_t done_before;
};

void takt_probe_progress_start(struct probe_progress *progress, const char *subject, size_t done,
			       size_t total);
/* Note that one more form is done. False if the caller wants to end. */
bool takt_probe_progress_step(struct probe_progress *progress, const struct takt_lab *lab,
			      const struct probe_form *form);

/* ---- survey_store.c -------------------------------------------------------------- */

/* A row of the database: the results for one form. */
struct probe_row {
	const char *form;
	const char *reason;			      /* why it could not be measured; "": it was
						       * measured */
	double throughput, chain, uops, ports_cycles; /* NaN: unknown */
	double spread; /* relative difference of two measurements of the throughput */
	const char *ports, *doubt;
	const char *latencies; /* "2>1:4;f>1:1-3": least and most cycles if they differ */
	uint64_t experiments;
};

struct probe_store;

/* Open the database; with `create`, make it if there is none. */
TAKT_MUST_CHECK enum takt_status takt_probe_store_open(const char *path, bool create,
						       struct takt_diag *diag,
						       struct probe_store **ret_store);
/* Close the database; NULL is allowed. */
void takt_probe_store_close(struct probe_store *store);
bool takt_probe_store_has(struct probe_store *store, const char *form);
TAKT_MUST_CHECK enum takt_status takt_probe_store_add(struct probe_store *store,
						      const struct probe_row *row,
						      struct takt_diag *diag);
/*
 * Store a row with the experiments on throughput and latencies that it comes from: `runs`, of which
 * those without `x` are left out. Nothing is stored on failure.
 */
TAKT_MUST_CHECK enum takt_status
takt_probe_store_add_measured(struct probe_store *store, const struct probe_row *row,
			      const struct takt_lab_experiment *runs, size_t run_count,
			      struct takt_diag *diag);
/*
 * Call `visit` for all experiments of one purpose on one form, in the order of forms; `points` is
 * for takt_probe_point_next(). Results of older versions have none.
 */
TAKT_MUST_CHECK enum takt_status takt_probe_store_each_experiment(
	struct probe_store *store,
	void (*visit)(void *context, const char *form, const char *title, const char *points),
	void *context, struct takt_diag *diag);
/* Set the machine's name, or report that the results are those of another machine. */
TAKT_MUST_CHECK enum takt_status
takt_probe_store_claim(struct probe_store *store, const char *machine, struct takt_diag *diag);
/* Return the date of the last write, as 2024-12-31, in UTC; lives as long as the store. */
const char *takt_probe_store_date(struct probe_store *store);
/* Return the machine's name; "" if none has claimed the store. Lives as long as the store. */
const char *takt_probe_store_machine(struct probe_store *store);
/* Call `visit` for each row, in the order of forms. */
TAKT_MUST_CHECK enum takt_status takt_probe_store_each(struct probe_store *store,
						       void (*visit)(void *context,
								     const struct probe_row *row),
						       void *context, struct takt_diag *diag);

/* Call `visit` for the row of one form, if there is one. */
/* Find the forms of the instruction set that the survey's forms are of. */
void takt_probe_survey_forms_find(struct probe_store *store, struct takt_arena *arena,
				  struct probe_forms *ret_forms);
TAKT_MUST_CHECK enum takt_status takt_probe_store_visit(struct probe_store *store, const char *form,
							void (*visit)(void *context,
								      const struct probe_row *row),
							void *context, struct takt_diag *diag);

/*
 * True if the form's variants are stored. They have tables of their own: results from before these
 * existed have no variants until they are measured.
 */
bool takt_probe_store_has_variants(struct probe_store *store, const char *form);
/* Store all variants of a form, and the number of experiments they took, or nothing on failure. */
TAKT_MUST_CHECK enum takt_status takt_probe_store_add_variants(struct probe_store *store,
							       const char *form,
							       const struct takt_variant *variants,
							       size_t count, uint64_t experiments,
							       struct takt_diag *diag);
/* Call `visit` for each variant of the form (NULL: of all forms, in order). Titles are not set. */
TAKT_MUST_CHECK enum takt_status takt_probe_store_each_variant(
	struct probe_store *store, const char *form,
	void (*visit)(void *context, const char *form, const struct takt_variant *variant),
	void *context, struct takt_diag *diag);

/* ---- survey_store_ports.c -------------------------------------------------------- */

/* True if the form's ports were looked for, or the form cannot be measured. */
bool takt_probe_store_has_ports(struct probe_store *store, const char *form);
/* Store what the row says of ports; its experiments are added to the stored number. */
TAKT_MUST_CHECK enum takt_status takt_probe_store_add_ports(struct probe_store *store,
							    const struct probe_row *row,
							    struct takt_diag *diag);
TAKT_MUST_CHECK enum takt_status takt_probe_store_add_classes(struct probe_store *store,
							      const struct probe_class_sets *sets,
							      struct takt_diag *diag);
/* Read the stored classes. False if there are none, or their forms are not among these. */
bool takt_probe_store_read_classes(struct probe_store *store, const struct probe_forms *forms,
				   struct probe_class_sets *ret_sets);

/* ---- latencies in text ---------------------------------------------------- */

struct probe_pair {
	char source[8], destination[8];
	double least, most;
};

/* Read one pair and advance the text past it; false at the end, or if it is malformed. */
bool takt_probe_pair_next(const char **text, struct probe_pair *ret_pair);
/* Find the latency of the same pair of operands in another row; false if it has none. */
bool takt_probe_pair_find(const struct probe_row *row, const struct probe_pair *pair,
			  struct probe_pair *ret_found);

/* ---- experiments in text -------------------------------------------------- */

/* An experiment on a form; see struct takt_lab_experiment. */
struct probe_point {
	double x, cycles;
};

/* Read one point of "1:0.5 2:1" and advance the text past it; false at the end, or if malformed. */
bool takt_probe_point_next(const char **text, struct probe_point *ret_point);

/* ---- variants_write.c ----------------------------------------------------- */

/*
 * The variants of one form in the database; empty if there are none, or the database cannot be
 * read.
 */
struct probe_found {
	struct probe_variant list[PROBE_VARIANTS_MAX];
	unsigned count;
};

void takt_probe_variants_find(struct probe_store *store, const char *form,
			      struct probe_found *ret_found);
/* Return the variant of this kind and detail; NULL if there is none. */
const struct probe_variant *takt_probe_found(const struct probe_found *found,
					     enum probe_variant_kind kind, const char *detail);
/* Append "zero_idiom:0.25-0.33;bypass/2>1:5-4;": each figure, and the one it is compared with. */
void takt_probe_variants_csv(struct probe_store *store, const char *form, struct takt_text *text);
/*
 * Append the number of variants of each kind, and a list of idioms, eliminated moves and the like;
 * with a model, also where it differs in idioms and moves.
 */
TAKT_MUST_CHECK enum takt_status takt_probe_variants_report(struct probe_store *store,
							    const struct takt_model *model,
							    const struct probe_forms *forms,
							    struct takt_diag *diag,
							    struct takt_text *text);

/* ---- survey_xml.c --------------------------------------------------------- */

/* Write the head of the file; `date` is like 2024-12-31. */
void takt_probe_xml_open(const char *machine, const char *date, struct takt_text *text);
/* Write the row of one form; nothing if the row's text is no form. */
void takt_probe_xml_row(const struct probe_forms *forms, const struct probe_row *row,
			const struct probe_found *found, const char *architecture,
			struct takt_text *text);
void takt_probe_xml_close(struct takt_text *text);

#endif
