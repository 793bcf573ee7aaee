/* SPDX-License-Identifier: MIT */
/*
 * trust: which events count correctly. A table of them is made of cases, of which the expected and
 * the counted number are known, and is kept in a CSV file. The public interface is in
 * takt/trust.h.
 */
#ifndef TAKT_TRUST_H
#define TAKT_TRUST_H

#include "events/events.h"

/* The count of an event when something happened at a known rate. */
struct trust_sample {
	const char *event;
	double rate, counted;
};

/* A trust table under construction; it owns all that `result` points to. */
struct trust_list {
	struct takt_trust result; /* first, since the user has a pointer to it */
	struct takt_arena arena;
	struct takt_trust_row *rows;
	struct takt_trust_case *cases;
	const char **notes;
	struct trust_sample *samples;
	uint32_t row_capacity, case_capacity, note_capacity, sample_count, sample_capacity;
};

/* Do what takt_trust_read() does, from memory; `name` is for messages. */
TAKT_MUST_CHECK enum takt_status takt_trust_parse(const void *data, size_t size_bytes,
						  const char *name, struct takt_diag *diag,
						  struct takt_trust **ret_trust);

struct trust_list *takt_trust_list_new(void);
/* Append a row, zeroed except for names, which are "". */
struct takt_trust_row *takt_trust_list_row(struct trust_list *list);
/* Append a copy of the case and its names. */
void takt_trust_list_case(struct trust_list *list, const struct takt_trust_case *one);
/* Append a sample of an event whose count should grow with the rate. Copies the name. */
void takt_trust_list_sample(struct trust_list *list, const char *event, double rate,
			    double counted);
/* Append a copy of a note to `notes`, unless it is there already. */
void takt_notes_add(struct takt_arena *arena, const char *text, const char ***notes,
		    uint32_t *count, uint32_t *capacity);
/* Append a note, unless the list has it already. */
void takt_trust_list_note(struct trust_list *list, const char *text);
/* Make rows from the cases, with events in the order of their first case. */
void takt_trust_list_judge(struct trust_list *list);

/* rank.c: return Spearman's rank correlation; NaN if all rates or all counts are equal. */
double takt_trust_order(const struct trust_sample *samples, size_t count);

double takt_trust_error(const struct takt_trust_case *one);

/* Form of a trust table as JSON (base/record.h). */
extern const struct takt_record takt_trust_record;

#endif
