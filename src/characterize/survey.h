/* SPDX-License-Identifier: MIT */
/* survey: all forms of a machine, kept in a database while they are measured. */
#ifndef TAKT_CHARACTERIZE_SURVEY_H
#define TAKT_CHARACTERIZE_SURVEY_H

#include "characterize/classes.h"
#include "characterize/variants.h"

struct takt_lab {
	struct probe_lab *probe;
	struct takt_model *model; /* of sim, else NULL */
	bool wants_classes;
	struct probe_blockers blockers;	 /* with counters */
	struct probe_class_sets classes; /* without */
	bool blockers_known, classes_known;
	bool (*progress)(void *context, const struct takt_lab_progress *progress);
	void *context;
};

/* ---- characterize.c ------------------------------------------------------- */

/* The lab's, unless they are known. False if the caller ended the search: they are not, then. */
bool takt_lab_find_classes(struct takt_lab *lab);

/* As results have it; texts live in the arena. */
struct takt_variant takt_probe_variant_record(const struct probe_variant *variant,
					      struct takt_arena *arena);

/* Throughput measured twice is noisy beyond. */
#define PROBE_SPREAD_MAX 0.05

/* ---- progress.c ----------------------------------------------------------- */

/* How far something long is. */
struct probe_progress {
	struct takt_lab_progress told;
	double start_seconds;
	size_t done_before;
};

void takt_probe_progress_start(struct probe_progress *progress, const char *subject, size_t done,
			       size_t total);
/* One more is done. False: the caller wants no more. */
bool takt_probe_progress_step(struct probe_progress *progress, const struct takt_lab *lab,
			      const struct probe_form *form);

/* ---- store.c -------------------------------------------------------------- */

/* A row of the database. */
struct probe_row {
	const char *form;
	const char *reason;			      /* why it could not be measured; "": it was */
	double throughput, chain, uops, ports_cycles; /* NaN: not known */
	double spread; /* of throughput measured twice, a part of it */
	const char *ports, *doubt;
	const char *latencies; /* "2>1:4;f>1:1-3": least and most where they differ */
	uint64_t experiments;
};

struct probe_store;

/* Makes the database if there is none. */
TAKT_MUST_CHECK enum takt_status takt_probe_store_open(const char *path, bool create,
						       struct takt_diag *diag,
						       struct probe_store **ret_store);
/* NULL is fine. */
void takt_probe_store_close(struct probe_store *store);
bool takt_probe_store_has(struct probe_store *store, const char *form);
TAKT_MUST_CHECK enum takt_status takt_probe_store_add(struct probe_store *store,
						      const struct probe_row *row,
						      struct takt_diag *diag);
/* Sets the machine's name, or reports that the results are of another one. */
TAKT_MUST_CHECK enum takt_status
takt_probe_store_claim(struct probe_store *store, const char *machine, struct takt_diag *diag);
/* When the file was written to last, as 2024-12-31, in UTC; lives as long as the store. */
const char *takt_probe_store_date(struct probe_store *store);
/* "" if none has claimed it; lives as long as the store. */
const char *takt_probe_store_machine(struct probe_store *store);
/* Calls for each row in the order of forms. */
TAKT_MUST_CHECK enum takt_status takt_probe_store_each(struct probe_store *store,
						       void (*visit)(void *context,
								     const struct probe_row *row),
						       void *context, struct takt_diag *diag);

/* The same for one form, if it is there. */
TAKT_MUST_CHECK enum takt_status takt_probe_store_visit(struct probe_store *store, const char *form,
							void (*visit)(void *context,
								      const struct probe_row *row),
							void *context, struct takt_diag *diag);

/* Variants are in tables of their own: results from before these have none, until they get them. */
bool takt_probe_store_has_variants(struct probe_store *store, const char *form);
/* All that a form has, and how many experiments it took; all of it is kept, or nothing. */
TAKT_MUST_CHECK enum takt_status takt_probe_store_add_variants(struct probe_store *store,
							       const char *form,
							       const struct takt_variant *variants,
							       size_t count, uint64_t experiments,
							       struct takt_diag *diag);
/* Calls for each variant of the form; NULL: of all, in their order. Without titles. */
TAKT_MUST_CHECK enum takt_status takt_probe_store_each_variant(
	struct probe_store *store, const char *form,
	void (*visit)(void *context, const char *form, const struct takt_variant *variant),
	void *context, struct takt_diag *diag);

/* ---- store_ports.c -------------------------------------------------------- */

/* Whether they were asked for, or the form cannot be measured. */
bool takt_probe_store_has_ports(struct probe_store *store, const char *form);
/* Sets what the row says of ports; its experiments are added. */
TAKT_MUST_CHECK enum takt_status takt_probe_store_add_ports(struct probe_store *store,
							    const struct probe_row *row,
							    struct takt_diag *diag);
TAKT_MUST_CHECK enum takt_status
takt_probe_store_add_classes(struct probe_store *store, const struct probe_class_sets *sets,
			     struct takt_diag *diag);
/* False if there are none, or they are not of these forms. */
bool takt_probe_store_read_classes(struct probe_store *store, const struct probe_forms *forms,
				   struct probe_class_sets *ret_sets);

/* ---- latencies in text ---------------------------------------------------- */

struct probe_pair {
	char source[8], destination[8];
	double least, most;
};

/* Reads one and steps over it; false at the end, or if it is none. */
bool takt_probe_pair_next(const char **text, struct probe_pair *ret_pair);

/* ---- variants_write.c ----------------------------------------------------- */

/* Of one form, out of the database; empty if there are none, or the database cannot be read. */
struct probe_found {
	struct probe_variant list[PROBE_VARIANTS_MAX];
	unsigned count;
};

void takt_probe_variants_find(struct probe_store *store, const char *form,
			      struct probe_found *ret_found);
/* The one of this kind and detail; NULL: none. */
const struct probe_variant *takt_probe_found(const struct probe_found *found,
					     enum probe_variant_kind kind, const char *detail);
/* "zero_idiom:0.25-0.33;bypass/2>1:5-4;": the figure, and what it is held against. */
void takt_probe_variants_csv(struct probe_store *store, const char *form, struct takt_text *text);
/*
 * How many of each kind, and idioms, eliminated moves and the like one by one; with a model, where
 * it says otherwise of idioms and moves.
 */
TAKT_MUST_CHECK enum takt_status takt_probe_variants_report(struct probe_store *store,
							    const struct takt_model *model,
							    const struct probe_forms *forms,
							    struct takt_diag *diag,
							    struct takt_text *text);

/* ---- survey_xml.c --------------------------------------------------------- */

/* `date` as in 2024-12-31. */
void takt_probe_xml_open(const char *machine, const char *date, struct takt_text *text);
/* Nothing is written of what is no form. */
void takt_probe_xml_row(const struct probe_forms *forms, const struct probe_row *row,
			const struct probe_found *found, const char *architecture,
			struct takt_text *text);
void takt_probe_xml_close(struct takt_text *text);

#endif
