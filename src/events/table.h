/* SPDX-License-Identifier: MIT */
/* table: parser for the files that list a family's events (docs/formats/events.md, "Tables of
 * events"). */
#ifndef TAKT_EVENTS_TABLE_H
#define TAKT_EVENTS_TABLE_H

#include "events/events.h"

TAKT_MUST_CHECK enum takt_status takt_events_table_parse(const struct events_text *text,
							 struct takt_arena *arena,
							 struct takt_diag *diag,
							 struct events_family *ret_family);

/* Files embedded in the library at build time; their paths are relative to data/. */
extern const struct events_text takt_events_builtin[];
extern const uint32_t takt_events_builtin_count;

#endif
