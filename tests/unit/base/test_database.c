/* SPDX-License-Identifier: MIT */
/* Databases that others may have made: what is not expected is refused by its name. */
#include <math.h>
#include <unistd.h>

#include "../tap.h"
#include "base/database.h"

#define TABLES                                                                                     \
	"CREATE TABLE figure(name text primary key, cycles real not null);"                        \
	"CREATE TABLE note (text);"

static const struct takt_database_kind kind = {
	.what = "results of a test",
	.application_id = 0x74616b74,
	.version = 2,
	.schema = "CREATE TABLE IF NOT EXISTS figure(name text primary key, cycles real not null);"
		  "CREATE TABLE IF NOT EXISTS note (text);",
};

struct row {
	int line;
	const char *what, *sql;
	const char *error; /* a part of the message; NULL: it is fine */
};

static const struct row rows[] = {
	{__LINE__, "nothing in it", "", NULL},
	{__LINE__, "as it was made", TABLES, NULL},
	{__LINE__, "otherwise spaced",
	 "create table figure ( name TEXT  primary key,\n cycles real not null )", NULL},
	{__LINE__, "numbered", TABLES "PRAGMA application_id = 1952541556; PRAGMA user_version = 1",
	 NULL},
	{__LINE__, "a trigger",
	 TABLES "CREATE TRIGGER t AFTER INSERT ON figure BEGIN DELETE FROM figure; END;",
	 "has the trigger 't'"},
	{__LINE__, "a view in place of a table",
	 "CREATE VIEW figure AS SELECT 'a' AS name, 1.0 AS cycles", "has the view 'figure'"},
	{__LINE__, "another table", TABLES "CREATE TABLE more(x)", "has the table 'more'"},
	{__LINE__, "an index", TABLES "CREATE INDEX i ON note(text)", "has the index 'i'"},
	{__LINE__, "an index of an expression", TABLES "CREATE INDEX i ON note(hex(text))",
	 "has the index 'i'"},
	{__LINE__, "a generated column",
	 "CREATE TABLE figure(name text primary key, cycles real AS (1))",
	 "has the table 'figure'"},
	{__LINE__, "a default that is computed", "CREATE TABLE note(text DEFAULT (random()))",
	 "has the table 'note'"},
	{__LINE__, "another program's", TABLES "PRAGMA application_id = 7", "not of results"},
	{__LINE__, "a later format", TABLES "PRAGMA user_version = 3", "in format 3"},
	{__LINE__, "a negative format", TABLES "PRAGMA user_version = -1", "in format -1"},
};

static void make(const char *path, const char *sql)
{
	sqlite3 *db;

	unlink(path);
	if (sqlite3_open(path, &db) != SQLITE_OK ||
	    sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		abort();
	sqlite3_close(db);
}

static void test_row(const struct row *row, const char *path, bool create)
{
	struct takt_diag *diag = takt_diag_new();
	struct sqlite3 *db = NULL;
	enum takt_status status;

	make(path, row->sql);
	status = takt_database_open(path, &kind, create, diag, &db);
	if (row->error)
		tap_ok_at(__FILE__, row->line,
			  status == TAKT_BAD_INPUT && !db &&
				  strstr(takt_diag_text(diag), row->error) &&
				  strstr(takt_diag_text(diag), path) &&
				  strstr(takt_diag_text(diag), "note: "),
			  "%s, %s: %.*s", row->what, create ? "written" : "read",
			  (int)strcspn(takt_diag_text(diag), "\n"), takt_diag_text(diag));
	else
		tap_ok_at(__FILE__, row->line, status == TAKT_OK && db, "%s, %s", row->what,
			  create ? "written" : "read");
	sqlite3_close(db);
	takt_diag_free(diag);
}

/* What an attacked reader would be tricked into. */
static void test_connection(const char *path)
{
	struct takt_diag *diag = takt_diag_new();
	struct sqlite3 *db;

	unlink(path);
	if (ok(takt_database_open(path, &kind, true, diag, &db) == TAKT_OK, "a new one")) {
		ok(sqlite3_exec(db, "INSERT INTO figure VALUES('a', 1)", NULL, NULL, NULL) ==
			   SQLITE_OK,
		   "has the tables");
		ok(sqlite3_exec(db,
				"PRAGMA writable_schema = ON;"
				"UPDATE sqlite_master SET sql = 'CREATE TABLE note(x)'",
				NULL, NULL, NULL) != SQLITE_OK,
		   "its schema cannot be written");
		ok(sqlite3_exec(db, "SELECT load_extension('x')", NULL, NULL, NULL) != SQLITE_OK,
		   "nothing is loaded");
		sqlite3_close(db);
	}
	ok(takt_database_open(path, &kind, false, diag, &db) == TAKT_OK, "and again");
	ok(sqlite3_exec(db, "DELETE FROM figure", NULL, NULL, NULL) != SQLITE_OK, "only read");
	sqlite3_close(db);
	takt_diag_free(diag);
}

static void test_no_database(const char *path)
{
	struct takt_diag *diag = takt_diag_new();
	FILE *file = fopen(path, "w");
	struct sqlite3 *db;

	if (!file)
		abort();
	for (int i = 0; i < 1000; i++)
		fputs("no database\n", file);
	fclose(file);
	is_int(takt_database_open(path, &kind, false, diag, &db), TAKT_BAD_INPUT, "text");
	is_int(takt_database_open("/nowhere/x.db", &kind, false, diag, &db), TAKT_BAD_INPUT,
	       "no file");
	ok(strstr(takt_diag_text(diag), "name another file"), "the remedy is named");
	takt_diag_free(diag);
}

/* Values come back as they were bound, and null as "" and NaN. */
static void test_statements(const char *path)
{
	sqlite3_stmt *row;
	sqlite3 *db;

	unlink(path);
	if (takt_database_open(path, &kind, true, NULL, &db) != TAKT_OK)
		abort();
	ok(takt_database_run(db, "INSERT INTO figure VALUES (?, ?)", "sd", "add", 1.5), "a row");
	ok(!takt_database_run(db, "INSERT INTO figure VALUES (?, ?)", "sd", "mul", NAN),
	   "null where it may not be");
	ok(!takt_database_run(db, "INSERT INTO nothing VALUES (1)", ""), "no such table");
	ok(!takt_statement_new(db, "SELECT", ""), "no statement");
	row = takt_statement_new(db, "SELECT name, cycles, ?2, ?3, ?4 FROM figure WHERE name = ?1",
				 "ssdb", "add", NULL, NAN, "\x01\x02", (size_t)2);
	ok(row && sqlite3_step(row) == SQLITE_ROW, "the row");
	is_string(takt_statement_text(row, 0), "add", "its text");
	ok(takt_statement_number(row, 1) == 1.5, "its number");
	is_string(takt_statement_text(row, 2), "", "a text that is null");
	ok(isnan(takt_statement_number(row, 3)), "a number that is null");
	is_int(sqlite3_column_bytes(row, 4), 2, "bytes");
	sqlite3_reset(row);
	takt_statement_bind(row, "s", "sub");
	ok(takt_statement_run(row), "no row of another name");
	sqlite3_finalize(row);
	sqlite3_close(db);
}

int main(void)
{
	const char *base = getenv("TMPDIR");
	char directory[256], path[300];

	snprintf(directory, sizeof(directory), "%s/takt-database-XXXXXX", base ? base : "/tmp");
	if (!mkdtemp(directory))
		abort();
	snprintf(path, sizeof(path), "%s/x.db", directory);
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		test_row(&rows[i], path, false);
		test_row(&rows[i], path, true);
	}
	test_connection(path);
	test_statements(path);
	test_no_database(path);
	unlink(path);
	rmdir(directory);
	return tap_done();
}
