/* SPDX-License-Identifier: MIT */
/*
 * Table of the events that count correctly, which `takt validate` writes.
 */
#ifndef TAKT_TRUST_API_H
#define TAKT_TRUST_API_H

#include <takt/count.h>

#ifdef __cplusplus
extern "C" {
#endif

enum takt_verdict {
	TAKT_VERDICT_EXACT,	/* no error at all */
	TAKT_VERDICT_GOOD,	/* errors up to 2 %, 1 % on average */
	TAKT_VERDICT_BIASED,	/* larger errors, but within 5 % of their average */
	TAKT_VERDICT_ORDERED,	/* errors of any size, but larger true counts give larger counts */
	TAKT_VERDICT_UNTRUSTED, /* do not use it */
	TAKT_VERDICT_UNTESTED,	/* no kernel causes any of these events */
	TAKT_VERDICT_COUNT
};

TAKT_API const char *takt_verdict_word(enum takt_verdict verdict);

/* Result for one event: all cases with data in one level. */
struct takt_trust_row {
	const char *event;
	const char *level;	     /* level of the data; "" if that does not matter */
	uint32_t cases, nonzero;     /* all cases; those in which the expected count is not 0 */
	double average, least, most; /* error: (counted - expected) / expected */
	const char *worst;	     /* kernel with the largest error; "" if there is none */
	double order;		     /* Spearman's rank correlation of counted and known rates; NaN:
				      * none */
	enum takt_verdict verdict;
};

/* One event's count in one run. */
struct takt_trust_case {
	const char *event, *kernel, *level;
	uint32_t thread;
	double expected, counted;
	double scale; /* the error is relative to this */
};

struct takt_trust {
	const char *backend, *core, *isa; /* core: "" if there is none */
	const struct takt_trust_row *rows;
	const struct takt_trust_case *cases; /* not stored in files */
	uint32_t row_count, case_count;
	const char *const *notes;
	uint32_t note_count;
};

/* Read a trust table from a CSV file that takt_write_trust() wrote. */
TAKT_API TAKT_MUST_CHECK enum takt_status takt_trust_read(const char *path, struct takt_diag *diag,
							  struct takt_trust **ret_trust);
TAKT_API void takt_trust_free(struct takt_trust *trust);
/* Return the worst verdict on an event; TAKT_VERDICT_UNTESTED if it is not in the table. */
TAKT_API enum takt_verdict takt_trust_verdict(const struct takt_trust *trust, const char *event);
/* Write a trust table; with `cases`, text and JSON contain each case. */
TAKT_API void takt_write_trust(const struct takt_trust *trust, enum takt_format format, bool cases,
			       struct takt_text *text);

#ifdef __cplusplus
}
#endif

#endif
