/* SPDX-License-Identifier: MIT */
/* Databases of results, opened without trusting their contents. */
#include <math.h>
#include <string.h>

#include "base/database.h"

#define MEMORY ":memory:"
#define VALUE_MAX_BYTES (64 << 20)

/* ---- connections ---------------------------------------------------------- */

/* Prevent code in the file from running: triggers, views and functions of its schema. */
static bool harden(struct sqlite3 *db)
{
	static const struct {
		int option, value;
	} settings[] = {
		{SQLITE_DBCONFIG_DEFENSIVE, 1},	     {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
		{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
		{SQLITE_DBCONFIG_DQS_DDL, 0},	     {SQLITE_DBCONFIG_DQS_DML, 0},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(settings); i++)
		if (sqlite3_db_config(db, settings[i].option, settings[i].value, NULL) != SQLITE_OK)
			return false;
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, VALUE_MAX_BYTES);
	return sqlite3_exec(db, "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;", NULL,
			    NULL, NULL) == SQLITE_OK;
}

static enum takt_status fail(struct sqlite3 *db, const char *path,
			     const struct takt_database_kind *kind, struct takt_diag *diag)
{
	takt_error(diag, "'%s': %s", path, sqlite3_errmsg(db));
	takt_note(diag,
		  "%s are an SQLite database; name another file if this one is something else",
		  kind->what);
	return TAKT_BAD_INPUT;
}

/* ---- schemas ---------------------------------------------------------------- */

/* Append a definition with its blanks normalized, so that equal definitions have equal text. */
static void normalize(const char *sql, struct takt_text *text)
{
	bool apart = false;

	takt_text_clear(text);
	for (; *sql; sql++) {
		char c = takt_to_lower(*sql);
		bool is_blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
		bool is_sign = strchr("(),", c) != NULL;

		if (is_blank) {
			apart = true;
			continue;
		}
		if (apart && !is_sign && text->size_bytes &&
		    !strchr("(),", text->data[text->size_bytes - 1]))
			takt_text_add(text, " ", 1);
		apart = false;
		takt_text_add(text, &c, 1);
	}
}

static const char *column(sqlite3_stmt *row, int index)
{
	const char *text = (const char *)sqlite3_column_text(row, index);

	return text ? text : "";
}

/* True if the object is defined as in the database that `find` searches. */
static bool is_expected(sqlite3_stmt *find, const char *type, const char *name, const char *sql)
{
	struct takt_text given = {0}, wanted = {0};
	bool same = false;

	sqlite3_bind_text(find, 1, type, -1, SQLITE_STATIC);
	sqlite3_bind_text(find, 2, name, -1, SQLITE_STATIC);
	if (sqlite3_step(find) == SQLITE_ROW) {
		normalize(sql, &given);
		normalize(column(find, 0), &wanted);
		same = strcmp(takt_text_data(&given), takt_text_data(&wanted)) == 0;
	}
	sqlite3_reset(find);
	takt_text_release(&given);
	takt_text_release(&wanted);
	return same;
}

static enum takt_status compare(struct sqlite3 *db, sqlite3_stmt *objects, sqlite3_stmt *find,
				const char *path, const struct takt_database_kind *kind,
				struct takt_diag *diag)
{
	int status;

	while ((status = sqlite3_step(objects)) == SQLITE_ROW) {
		const char *type = column(objects, 0), *name = column(objects, 1);

		if (is_expected(find, type, name, column(objects, 2)))
			continue;
		takt_error(diag, "'%s' has the %s '%.64s', which %s do not have in this form", path,
			   type, name, kind->what);
		takt_note(diag, "another program or another version of takt made or changed it: "
				"name another file");
		return TAKT_BAD_INPUT;
	}
	return status == SQLITE_DONE ? TAKT_OK : fail(db, path, kind, diag);
}

static bool read_number(struct sqlite3 *db, const char *sql, int64_t *ret_number)
{
	sqlite3_stmt *statement;
	bool fine = sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
		    sqlite3_step(statement) == SQLITE_ROW;

	if (fine)
		*ret_number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return fine;
}

/* Check application ID and format version. Databases older than these numbers have zeros. */
static enum takt_status check_numbers(struct sqlite3 *db, const char *schema, const char *path,
				      const struct takt_database_kind *kind, struct takt_diag *diag)
{
	char sql[64];
	int64_t id = 0, version = 0;

	sqlite3_snprintf(sizeof(sql), sql, "PRAGMA %s.application_id", schema);
	if (!read_number(db, sql, &id))
		return fail(db, path, kind, diag);
	sqlite3_snprintf(sizeof(sql), sql, "PRAGMA %s.user_version", schema);
	if (!read_number(db, sql, &version))
		return fail(db, path, kind, diag);
	if (id != 0 && id != kind->application_id) {
		takt_error(diag, "'%s' is a database, but not of %s", path, kind->what);
		takt_note(diag, "name another file");
		return TAKT_BAD_INPUT;
	}
	if (version >= 0 && version <= kind->version)
		return TAKT_OK;
	takt_error(diag, "'%s' has %s in format %lld, and this takt knows formats to %d", path,
		   kind->what, (long long)version, kind->version);
	takt_note(diag, "read it with the takt that made it");
	return TAKT_BAD_INPUT;
}

enum takt_status takt_database_check(struct sqlite3 *db, const char *schema, const char *path,
				     const struct takt_database_kind *kind, struct takt_diag *diag)
{
	char sql[96];
	sqlite3 *reference = NULL;
	sqlite3_stmt *objects = NULL, *find = NULL;
	enum takt_status status = check_numbers(db, schema, path, kind, diag);

	if (status != TAKT_OK)
		return status;
	sqlite3_snprintf(sizeof(sql), sql, "SELECT type, name, sql FROM %s.sqlite_master", schema);
	if (sqlite3_open(MEMORY, &reference) != SQLITE_OK ||
	    sqlite3_exec(reference, kind->schema, NULL, NULL, NULL) != SQLITE_OK ||
	    sqlite3_prepare_v2(reference,
			       "SELECT sql FROM sqlite_master WHERE type = ? AND name = ?", -1,
			       &find, NULL) != SQLITE_OK)
		status = fail(reference, path, kind, diag);
	else if (sqlite3_prepare_v2(db, sql, -1, &objects, NULL) != SQLITE_OK)
		status = fail(db, path, kind, diag);
	else
		status = compare(db, objects, find, path, kind, diag);
	sqlite3_finalize(objects);
	sqlite3_finalize(find);
	sqlite3_close(reference);
	return status;
}

/* Create missing tables, and set application ID and format version. */
static bool complete(struct sqlite3 *db, const struct takt_database_kind *kind)
{
	char sql[96];

	sqlite3_snprintf(sizeof(sql), sql, "PRAGMA application_id = %d; PRAGMA user_version = %d;",
			 (int)kind->application_id, kind->version);
	return sqlite3_exec(db, kind->schema, NULL, NULL, NULL) == SQLITE_OK &&
	       sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

enum takt_status takt_database_open(const char *path, const struct takt_database_kind *kind,
				    bool create, struct takt_diag *diag, struct sqlite3 **ret_db)
{
	int flags = create ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
	sqlite3 *db = NULL;
	enum takt_status status = TAKT_OK;

	if (sqlite3_open_v2(path, &db, flags, NULL) != SQLITE_OK ||
	    sqlite3_busy_timeout(db, kind->busy_milliseconds) != SQLITE_OK || !harden(db))
		status = fail(db, path, kind, diag);
	if (status == TAKT_OK)
		status = takt_database_check(db, "main", path, kind, diag);
	if (status == TAKT_OK && create && !complete(db, kind))
		status = fail(db, path, kind, diag);
	if (status == TAKT_OK)
		*ret_db = db;
	else
		sqlite3_close(db);
	return status;
}

/* ---- statements ----------------------------------------------------------- */

static void bind(sqlite3_stmt *statement, const char *types, va_list args)
{
	for (int i = 1; *types; types++, i++) {
		if (*types == 's') {
			sqlite3_bind_text(statement, i, va_arg(args, const char *), -1,
					  SQLITE_TRANSIENT);
		} else if (*types == 'i') {
			sqlite3_bind_int64(statement, i, va_arg(args, int64_t));
		} else if (*types == 'd') {
			sqlite3_bind_double(statement, i, va_arg(args, double)); /* NaN: NULL */
		} else {
			const void *data = va_arg(args, const void *);

			sqlite3_bind_blob64(statement, i, data, va_arg(args, size_t),
					    SQLITE_TRANSIENT);
		}
	}
}

void takt_statement_bind(sqlite3_stmt *statement, const char *types, ...)
{
	va_list args;

	va_start(args, types);
	bind(statement, types, args);
	va_end(args);
}

sqlite3_stmt *takt_statement_vnew(sqlite3 *db, const char *sql, const char *types, va_list args)
{
	sqlite3_stmt *statement;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
		return NULL;
	bind(statement, types, args);
	return statement;
}

sqlite3_stmt *takt_statement_new(sqlite3 *db, const char *sql, const char *types, ...)
{
	sqlite3_stmt *statement;
	va_list args;

	va_start(args, types);
	statement = takt_statement_vnew(db, sql, types, args);
	va_end(args);
	return statement;
}

bool takt_statement_run(sqlite3_stmt *statement)
{
	bool fine = sqlite3_step(statement) == SQLITE_DONE;

	sqlite3_reset(statement);
	return fine;
}

bool takt_database_run(sqlite3 *db, const char *sql, const char *types, ...)
{
	sqlite3_stmt *statement;
	va_list args;
	bool fine;

	va_start(args, types);
	statement = takt_statement_vnew(db, sql, types, args);
	va_end(args);
	fine = statement && takt_statement_run(statement);
	sqlite3_finalize(statement);
	return fine;
}

const char *takt_statement_text(sqlite3_stmt *statement, int column)
{
	const unsigned char *text = sqlite3_column_text(statement, column);

	return text ? (const char *)text : "";
}

double takt_statement_number(sqlite3_stmt *statement, int column)
{
	return sqlite3_column_type(statement, column) == SQLITE_NULL
		       ? NAN
		       : sqlite3_column_double(statement, column);
}
