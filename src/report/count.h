/* SPDX-License-Identifier: MIT */
/* count: declarations that the writers of counting results share: text, CSV and JSON. */
#ifndef TAKT_REPORT_COUNT_H
#define TAKT_REPORT_COUNT_H

#include "report/report.h"

/* Return the words of a mask of origins: "counted", "modelled+timed". */
const char *takt_count_origins(uint32_t origins);

/* Return the word of a bit of enum takt_count_origin. */
const char *takt_count_origin_word(uint32_t bit);

#define TAKT_COUNT_ORIGINS 3

/* The field `origins` of a record. */
#define TAKT_COUNT_ORIGINS_FIELD                                                                   \
	{                                                                                          \
		.key = "origins", .type = TAKT_FIELD_BITS, .offset = offsetof(RECORD, origins),    \
		.text = "Where the figure comes from.", .word = takt_count_origin_word,            \
		.word_count = TAKT_COUNT_ORIGINS                                                   \
	}

extern const struct takt_record takt_count_listing_record; /* count_list.c */

/* count_machine.c */
void takt_count_write_csv(const struct takt_count_result *result, struct takt_text *text);
void takt_count_write_json(const struct takt_count_result *result, struct takt_text *text);

#endif
