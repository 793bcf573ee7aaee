/* SPDX-License-Identifier: MIT */
/*
 * Processors' events, expressed in the oracle's events: the counts to expect of kernels.
 */
#ifndef TAKT_VALIDATE_MEANINGS_H
#define TAKT_VALIDATE_MEANINGS_H

#include "validate/validate.h"

enum check_meaning_flag {
	/* The count grows with the lines that threads share; by how much is unknown. */
	MEANING_ORDER = 1,
	MEANING_KERNELS = 2, /* the meaning holds only for the kernels, not for all programs */
};

struct check_meaning {
	const char *event;
	const char *meaning; /* events of the oracle, joined by + */
	double per;	     /* how many of those the event counts as one */
	unsigned flags;
};

/* Find the meaning of an event; NULL if it is unknown. */
const struct check_meaning *takt_meaning_find(const char *event);
extern const struct check_meaning takt_meanings[];
extern const size_t takt_meaning_count;

/* Return the expected count, in units of the event. */
double takt_meaning_value(const struct check_meaning *meaning, const struct oracle_counts *counts);
/* True if the event is about caches, so that the level that holds the data matters. */
bool takt_meaning_is_volume(const struct check_meaning *meaning);

#endif
