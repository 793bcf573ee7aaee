/* SPDX-License-Identifier: MIT */
/* Results in an SQLite database: schema, opening, statements. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "evaluate/evaluate.h"

#define APPLICATION_ID 0x74616b65 /* "take" */
#define FORMAT_VERSION 1
#define BUSY_MILLISECONDS 60000 /* shards may share the database */

static const char schema[] =
	/* The benchmarks built. `state`: "built", "same" (code as another one's), "failed". */
	"CREATE TABLE IF NOT EXISTS benchmark (id INTEGER PRIMARY KEY,"
	" kernel TEXT NOT NULL, compiler TEXT NOT NULL, strategy TEXT NOT NULL,"
	" options TEXT NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL, file TEXT NOT NULL,"
	" hash INTEGER, size_bytes INTEGER, UNIQUE (kernel, compiler, strategy, options));"
	"CREATE UNIQUE INDEX IF NOT EXISTS code ON benchmark (kernel, hash) WHERE state = 'built';"
	/* `reason` is "" if the run was counted; else the run has no blocks. */
	"CREATE TABLE IF NOT EXISTS run (benchmark INTEGER PRIMARY KEY, insns INTEGER,"
	" reason TEXT NOT NULL, accesses INTEGER, misses INTEGER, base INTEGER);"
	"CREATE TABLE IF NOT EXISTS block (benchmark INTEGER NOT NULL, offset INTEGER NOT NULL,"
	" code BLOB NOT NULL, executions INTEGER NOT NULL, PRIMARY KEY (benchmark, offset))"
	" WITHOUT ROWID;"
	/* Counts of transitions between blocks, which are given by their offsets. */
	"CREATE TABLE IF NOT EXISTS edge (benchmark INTEGER NOT NULL, source INTEGER NOT NULL,"
	" target INTEGER NOT NULL, executions INTEGER NOT NULL,"
	" PRIMARY KEY (benchmark, source, target)) WITHOUT ROWID;"
	/* `writer`, `reader`: instruction offsets. Counts: of all reads, and by age limit. */
	"CREATE TABLE IF NOT EXISTS dependence (benchmark INTEGER NOT NULL,"
	" writer INTEGER NOT NULL, reader INTEGER NOT NULL, count INTEGER NOT NULL,"
	" count_1024 INTEGER NOT NULL, count_512 INTEGER NOT NULL, count_own INTEGER NOT NULL,"
	" PRIMARY KEY (benchmark, writer, reader)) WITHOUT ROWID;"
	/* Register values in one execution of a block, on entry to the block at `offset`. */
	"CREATE TABLE IF NOT EXISTS entry (benchmark INTEGER NOT NULL, offset INTEGER NOT NULL,"
	" register INTEGER NOT NULL, value INTEGER NOT NULL,"
	" PRIMARY KEY (benchmark, offset, register)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS measurement (benchmark INTEGER PRIMARY KEY,"
	" status TEXT NOT NULL, cycles REAL, spread REAL, repeats INTEGER, clock TEXT, cpu TEXT);"
	"CREATE TABLE IF NOT EXISTS prediction (benchmark INTEGER NOT NULL, core TEXT NOT NULL,"
	" predictor TEXT NOT NULL, cycles REAL, seconds REAL NOT NULL, remark TEXT NOT NULL,"
	" PRIMARY KEY (benchmark, core, predictor)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS skipped (core TEXT NOT NULL, predictor TEXT NOT NULL,"
	" reason TEXT NOT NULL, PRIMARY KEY (core, predictor)) WITHOUT ROWID;"
	/*
	 * struct evaluate_coverage, of blocks or paths, without or with entry values: a row for
	 * each age limit; the last row has the claims and how many of them are true.
	 */
	"CREATE TABLE IF NOT EXISTS coverage (benchmark INTEGER NOT NULL, paths INTEGER NOT NULL,"
	" entry_values INTEGER NOT NULL, lifetime INTEGER NOT NULL, pairs INTEGER NOT NULL,"
	" found INTEGER NOT NULL, weight REAL NOT NULL, found_weight REAL NOT NULL,"
	" PRIMARY KEY (benchmark, paths, entry_values, lifetime)) WITHOUT ROWID;";

static const struct takt_database_kind kind = {
	.what = "results of an evaluation",
	.application_id = APPLICATION_ID,
	.version = FORMAT_VERSION,
	.busy_milliseconds = BUSY_MILLISECONDS,
	.schema = schema,
};

static enum takt_status fail(const struct takt_evaluation *evaluation, struct takt_diag *diag)
{
	takt_error(diag, "%s/results.db: %s", evaluation->directory,
		   sqlite3_errmsg(evaluation->database));
	return TAKT_BAD_INPUT;
}

enum takt_status takt_store_open(struct takt_evaluation *evaluation, struct takt_diag *diag)
{
	const char *path =
		takt_arena_printf(&evaluation->arena, "%s/results.db", evaluation->directory);
	const char *bin = takt_arena_printf(&evaluation->arena, "%s/bin", evaluation->directory);
	enum takt_status status;

	evaluation->created = mkdir(evaluation->directory, 0777) == 0;
	if ((!evaluation->created && errno != EEXIST) ||
	    (mkdir(bin, 0777) != 0 && errno != EEXIST)) {
		takt_error(diag, "%s: %s", evaluation->directory, strerror(errno));
		return TAKT_BAD_INPUT;
	}
	status = takt_database_open(path, &kind, true, diag, &evaluation->database);
	if (status == TAKT_OK && sqlite3_exec(evaluation->database,
					      "PRAGMA journal_mode = WAL;"
					      "PRAGMA synchronous = NORMAL;",
					      NULL, NULL, NULL) != SQLITE_OK)
		return fail(evaluation, diag);
	return status;
}

enum takt_status takt_store_attach(struct takt_evaluation *evaluation, const char *path,
				   struct takt_diag *diag)
{
	enum takt_status status = takt_store_run(evaluation, diag, "ATTACH ? AS other", "s", path);

	if (status != TAKT_OK)
		return status;
	return takt_database_check(evaluation->database, "other", path, &kind, diag);
}

static bool has_benchmark(const struct takt_evaluation *evaluation)
{
	sqlite3_stmt *statement =
		takt_statement_new(evaluation->database, "SELECT 1 FROM benchmark LIMIT 1", "");
	bool has = !statement || sqlite3_step(statement) != SQLITE_DONE;

	sqlite3_finalize(statement);
	return has;
}

/* Remove what takt makes in a directory of results; anything else keeps the directory. */
static void remove_directory(struct takt_evaluation *evaluation)
{
	static const char *const files[] = {"results.db", "run"};
	struct takt_arena *arena = &evaluation->arena;

	for (size_t i = 0; i < TAKT_COUNT_OF(files); i++)
		unlink(takt_arena_printf(arena, "%s/%s", evaluation->directory, files[i]));
	rmdir(takt_arena_printf(arena, "%s/bin", evaluation->directory));
	rmdir(evaluation->directory);
}

void takt_store_close(struct takt_evaluation *evaluation)
{
	bool is_empty =
		evaluation->created && (!evaluation->database || !has_benchmark(evaluation));

	sqlite3_close(evaluation->database);
	evaluation->database = NULL;
	if (is_empty)
		remove_directory(evaluation);
}

static sqlite3_stmt *prepare(const struct takt_evaluation *evaluation, struct takt_diag *diag,
			     const char *sql, const char *types, va_list args)
{
	sqlite3_stmt *statement = takt_statement_vnew(evaluation->database, sql, types, args);

	if (!statement)
		(void)fail(evaluation, diag);
	return statement;
}

sqlite3_stmt *takt_store_query(const struct takt_evaluation *evaluation, struct takt_diag *diag,
			       const char *sql, const char *types, ...)
{
	sqlite3_stmt *statement;
	va_list args;

	va_start(args, types);
	statement = prepare(evaluation, diag, sql, types, args);
	va_end(args);
	return statement;
}

bool takt_store_next(const struct takt_evaluation *evaluation, struct takt_diag *diag,
		     sqlite3_stmt *statement)
{
	int result = sqlite3_step(statement);

	if (result != SQLITE_ROW && result != SQLITE_DONE)
		(void)fail(evaluation, diag);
	return result == SQLITE_ROW;
}

enum takt_status takt_store_run(const struct takt_evaluation *evaluation, struct takt_diag *diag,
				const char *sql, const char *types, ...)
{
	sqlite3_stmt *statement;
	va_list args;

	va_start(args, types);
	statement = prepare(evaluation, diag, sql, types, args);
	va_end(args);
	if (!statement)
		return TAKT_BAD_INPUT;
	takt_store_next(evaluation, diag, statement);
	return sqlite3_finalize(statement) == SQLITE_OK ? TAKT_OK : TAKT_BAD_INPUT;
}

enum takt_status takt_store_check_cpu(struct takt_evaluation *evaluation, struct takt_diag *diag,
				      const char *cpu)
{
	sqlite3_stmt *statement =
		cpu ? takt_store_query(
			      evaluation, diag,
			      "SELECT cpu, ? AS new FROM measurement WHERE cpu <> new LIMIT 1", "s",
			      cpu)
		    : takt_store_query(
			      evaluation, diag,
			      "SELECT here.cpu, there.cpu FROM main.measurement here,"
			      " other.measurement there WHERE here.cpu <> there.cpu LIMIT 1",
			      "");
	bool differs;

	if (!statement)
		return TAKT_BAD_INPUT;
	differs = takt_store_next(evaluation, diag, statement);
	if (differs) {
		takt_error(diag, "the folder has measurements of %s, not of %s",
			   takt_store_text(&evaluation->arena, statement, 0),
			   takt_store_text(&evaluation->arena, statement, 1));
		takt_note(diag, "name another folder for this processor");
	}
	return sqlite3_finalize(statement) == SQLITE_OK && !differs ? TAKT_OK : TAKT_BAD_INPUT;
}

enum takt_status takt_store_list(struct takt_evaluation *evaluation, struct takt_diag *diag,
				 sqlite3_stmt *statement, int64_t **ret_ids, size_t *ret_count)
{
	size_t count = 0, capacity = 256;
	int64_t *ids = TAKT_NEW_ARRAY(&evaluation->arena, capacity, int64_t);

	if (!statement)
		return TAKT_BAD_INPUT;
	while (takt_store_next(evaluation, diag, statement)) {
		TAKT_GROW_IN(&evaluation->arena, ids, count + 1, capacity);
		ids[count++] = sqlite3_column_int64(statement, 0);
	}
	if (sqlite3_finalize(statement) != SQLITE_OK)
		return TAKT_BAD_INPUT;
	*ret_ids = ids;
	*ret_count = count;
	return TAKT_OK;
}

const char *takt_store_text(struct takt_arena *arena, sqlite3_stmt *statement, int column)
{
	return takt_arena_string(arena, takt_statement_text(statement, column));
}
