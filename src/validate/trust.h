/* SPDX-License-Identifier: MIT */
/* Which events may be believed: cases, and what they come to. */
#ifndef TAKT_VALIDATE_TRUST_H
#define TAKT_VALIDATE_TRUST_H

#include "validate/validate.h"

/* What was counted where something happened at a known rate. */
struct trust_sample {
	const char *event;
	double rate, counted;
};

/* Owns all that `result` points to. */
struct trust_list {
	struct takt_trust result; /* first: what the user has */
	struct takt_arena arena;
	struct takt_trust_row *rows;
	struct takt_trust_case *cases;
	const char **notes;
	struct trust_sample *samples;
	uint32_t row_capacity, case_capacity, note_capacity, sample_count, sample_capacity;
};

struct trust_list *takt_trust_list_new(void);
/* Zeroed, but for names, which are "". */
struct takt_trust_row *takt_trust_list_row(struct trust_list *list);
/* Copies the case and its names. */
void takt_trust_list_case(struct trust_list *list, const struct takt_trust_case *one);
/* Of an event that is to grow with the rate. Copies the name. */
void takt_trust_list_sample(struct trust_list *list, const char *event, double rate,
			    double counted);
/* Once, however often it is said. */
void takt_trust_list_note(struct trust_list *list, const char *text);
/* Makes rows of the cases: events in the order they came. */
void takt_trust_list_judge(struct trust_list *list);

/* order.c: Spearman's rank correlation; NaN if all rates or all counts are the same. */
double takt_trust_order(const struct trust_sample *samples, size_t count);

double takt_trust_error(const struct takt_trust_case *one);

#endif
