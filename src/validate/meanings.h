/* SPDX-License-Identifier: MIT */
/* What processors' events count, in the oracle's words: what there is to expect of kernels. */
#ifndef TAKT_VALIDATE_MEANINGS_H
#define TAKT_VALIDATE_MEANINGS_H

#include "validate/validate.h"

enum check_meaning_flag {
	MEANING_ORDER = 1,   /* grows with lines that threads share; how much is not known */
	MEANING_KERNELS = 2, /* is not so of all programs */
};

struct check_meaning {
	const char *event;
	const char *meaning; /* events of the oracle, with + between */
	double per;	     /* the event counts one for so many of them */
	unsigned flags;
};

/* NULL: nothing is known to expect. */
const struct check_meaning *takt_meaning_find(const char *event);
extern const struct check_meaning takt_meanings[];
extern const size_t takt_meaning_count;

/* In units of the event. */
double takt_meaning_value(const struct check_meaning *meaning, const struct oracle_counts *counts);
/* Whether it is of caches, so that the level that data are in matters. */
bool takt_meaning_is_volume(const struct check_meaning *meaning);

#endif
