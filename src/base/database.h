/* SPDX-License-Identifier: MIT */
/* database: statements of SQLite, whose values are bound and read in one way. */
#ifndef TAKT_BASE_DATABASE_H
#define TAKT_BASE_DATABASE_H

#include <sqlite3.h>

#include "base/base.h"

/*
 * Bind the values of a statement's parameters, from the first on. `types` has a letter for each:
 * 's' const char * (NULL: null), 'i' int64_t, 'd' double (NaN: null), 'b' const void * and size_t.
 */
void takt_statement_bind(sqlite3_stmt *statement, const char *types, ...);
/* Prepare a statement and bind its parameters; NULL if the database refuses it. */
sqlite3_stmt *takt_statement_new(sqlite3 *db, const char *sql, const char *types, ...);
sqlite3_stmt *takt_statement_vnew(sqlite3 *db, const char *sql, const char *types, va_list args);
/* Carry out a statement that gives no rows, so that it can be bound again; true if that succeeds.
 */
bool takt_statement_run(sqlite3_stmt *statement);
/* Prepare, bind and carry out a statement that gives no rows. */
bool takt_database_run(sqlite3 *db, const char *sql, const char *types, ...);

/* Return a value of the statement's row; null is "" as text, and NaN as a number. */
const char *takt_statement_text(sqlite3_stmt *statement, int column);
double takt_statement_number(sqlite3_stmt *statement, int column);

#endif
