/* SPDX-License-Identifier: MIT */
/* store: the database of a survey, for the files that access its tables. */
#ifndef TAKT_CHARACTERIZE_STORE_H
#define TAKT_CHARACTERIZE_STORE_H

#include "base/database.h"
#include "characterize/survey/survey.h"

struct probe_store {
	sqlite3 *db;
	sqlite3_stmt *add, *find, *add_variant, *find_varied;
	const char *path;
	char machine[128], date[16];
};

/* Report SQLite's error message. Always returns an error status. */
enum takt_status takt_probe_store_fail(const struct probe_store *store, struct takt_diag *diag);
bool takt_probe_store_execute(struct probe_store *store, const char *sql);

#endif
