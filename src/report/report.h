/* SPDX-License-Identifier: MIT */
/*
 * report: writes a takt_analysis as text, JSON or a dot graph (the writers are declared in
 * takt.h). It only reads the open record; it computes no figure that is not in the record.
 */
#ifndef TAKT_REPORT_H
#define TAKT_REPORT_H

#include "base/base.h"

struct takt_schema;
struct takt_analysis;

/* Forms of the JSON that commands write (base/record.h). */
extern const struct takt_schema takt_report_analyze_schema, takt_report_deps_schema,
	takt_report_trace_schema, takt_report_diff_schema, takt_report_count_schema,
	takt_report_diagnose_schema, takt_report_measure_schema, takt_report_timeline_schema,
	takt_report_predict_schema, takt_report_identify_schema;

/* regions.c: count the instructions whose figures are inferred, estimated, or a default. */
uint32_t takt_uncertain_count(const struct takt_analysis *analysis);

#endif
