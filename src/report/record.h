/* SPDX-License-Identifier: MIT */
/* record: what declarations of records in this room share, and the schemas that follow from them.
 */
#ifndef TAKT_REPORT_RECORD_H
#define TAKT_REPORT_RECORD_H

#include "base/record.h"
#include "report/report.h"

struct takt_value takt_report_version(const struct takt_view *view, const void *record);

extern const struct takt_record takt_analysis_record;	    /* analysis.c */
extern const struct takt_record takt_timeline_record;	    /* timeline_json.c */
extern const struct takt_record takt_paths_document_record; /* paths.c */
extern const struct takt_record takt_path_loop_record;	    /* paths.c */

#define TAKT_VERSION_FIELD                                                                         \
	TAKT_COMPUTED("version", TAKT_FIELD_STRING, takt_report_version, NULL, "Version of takt.")

#endif
