/* SPDX-License-Identifier: MIT */
/* count: declarations that the writers of counting results share: text, CSV and JSON. */
#ifndef TAKT_REPORT_COUNT_H
#define TAKT_REPORT_COUNT_H

#include "report/report.h"

/* Return the words of a mask of origins: "counted", "modelled+timed". */
const char *takt_count_origins(uint32_t origins);

/* count_machine.c */
void takt_count_write_csv(const struct takt_count_result *result, struct takt_text *text);
void takt_count_write_json(const struct takt_count_result *result, struct takt_text *text);

#endif
