/* SPDX-License-Identifier: MIT */
/* Keeps results in SQLite: one row for each form, written when it is finished. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "characterize/survey/survey_store.h"

#define APPLICATION_ID 0x74616b73 /* "taks" */
#define FORMAT_VERSION 1
/* Time to wait for a survey that is running while its results are read. */
#define BUSY_MILLISECONDS 10000

static const char schema[] =
	"create table if not exists machine(name text not null);"
	"create table if not exists form("
	" form text primary key, reason text not null, throughput real, chain real, uops real,"
	" ports_cycles real, spread real, ports text not null, doubt text not null,"
	" latencies text not null, experiments integer not null);"
	"create table if not exists variant("
	" form text not null, kind text not null, detail text not null, figure real, other real,"
	" primary key(form, kind, detail));"
	"create table if not exists experiment("
	" form text not null, title text not null, points text not null, primary key(form, title));"
	"create table if not exists varied(form text primary key, experiments integer not null);"
	"create table if not exists class("
	" form text not null, wide integer not null, issue_width real not null,"
	" width integer not null, pieces integer not null, cycles real not null,"
	" end_uops integer not null, breaker_uops integer not null, inside integer not null,"
	" across integer not null, counts_slots integer not null, primary key(form, wide));";

static const struct takt_database_kind kind = {
	.what = "results of a survey",
	.application_id = APPLICATION_ID,
	.version = FORMAT_VERSION,
	.busy_milliseconds = BUSY_MILLISECONDS,
	.schema = schema,
};

enum takt_status takt_probe_store_fail(const struct probe_store *store, struct takt_diag *diag)
{
	takt_error(diag, "'%s': %s", store->path, sqlite3_errmsg(store->db));
	takt_note(diag, "results of a survey are an SQLite database; name another file if this "
			"one is something else");
	return TAKT_BAD_INPUT;
}

static bool read_machine(struct probe_store *store)
{
	sqlite3_stmt *statement = takt_statement_new(store->db, "select name from machine", "");
	bool fine = statement != NULL;

	if (fine && sqlite3_step(statement) == SQLITE_ROW)
		snprintf(store->machine, sizeof(store->machine), "%s",
			 takt_statement_text(statement, 0));
	sqlite3_finalize(statement);
	return fine;
}

static bool prepare(struct probe_store *store)
{
	store->add = takt_statement_new(
		store->db, "insert or replace into form values(?,?,?,?,?,?,?,?,?,?,?)", "");
	store->find = takt_statement_new(
		store->db, "select 1 from form where form = ? and reason <> '" PROBE_BUSY "'", "");
	return store->add && store->find && read_machine(store);
}

/*
 * Results of versions without variants have no tables for them, if they are opened only for
 * reading.
 */
static void prepare_variants(struct probe_store *store)
{
	store->add_variant = takt_statement_new(
		store->db, "insert or replace into variant values(?,?,?,?,?)", "");
	store->find_varied =
		takt_statement_new(store->db, "select 1 from varied where form = ?", "");
}

enum takt_status takt_probe_store_open(const char *path, bool create, struct takt_diag *diag,
				       struct probe_store **ret_store)
{
	struct probe_store *store = takt_xcalloc(1, sizeof(*store));
	enum takt_status status = takt_database_open(path, &kind, create, diag, &store->db);

	store->path = path;
	if (status == TAKT_OK && !prepare(store))
		status = takt_probe_store_fail(store, diag);
	if (status != TAKT_OK) {
		takt_probe_store_close(store);
		return status;
	}
	prepare_variants(store);
	*ret_store = store;
	return TAKT_OK;
}

void takt_probe_store_close(struct probe_store *store)
{
	if (!store)
		return;
	sqlite3_finalize(store->add_variant);
	sqlite3_finalize(store->find_varied);
	sqlite3_finalize(store->add);
	sqlite3_finalize(store->find);
	sqlite3_close(store->db);
	free(store);
}

static bool has(sqlite3_stmt *find, const char *form)
{
	bool found;

	if (!find)
		return false;
	takt_statement_bind(find, "s", form);
	found = sqlite3_step(find) == SQLITE_ROW;
	sqlite3_reset(find);
	return found;
}

bool takt_probe_store_has(struct probe_store *store, const char *form)
{
	return has(store->find, form);
}

bool takt_probe_store_has_variants(struct probe_store *store, const char *form)
{
	return has(store->find_varied, form);
}

enum takt_status takt_probe_store_add(struct probe_store *store, const struct probe_row *row,
				      struct takt_diag *diag)
{
	takt_statement_bind(store->add, "ssdddddsssi", row->form, row->reason, row->throughput,
			    row->chain, row->uops, row->ports_cycles, row->spread, row->ports,
			    row->doubt, row->latencies, (int64_t)row->experiments);
	return takt_statement_run(store->add) ? TAKT_OK : takt_probe_store_fail(store, diag);
}

enum takt_status takt_probe_store_claim(struct probe_store *store, const char *machine,
					struct takt_diag *diag)
{
	if (*store->machine && strcmp(store->machine, machine) == 0)
		return TAKT_OK;
	if (*store->machine) {
		takt_error(diag, "'%s' has results of %s, not of %s", store->path, store->machine,
			   machine);
		takt_note(diag, "name another file");
		return TAKT_BAD_INPUT;
	}
	snprintf(store->machine, sizeof(store->machine), "%s", machine);
	return takt_database_run(store->db, "insert into machine values(?)", "s", store->machine)
		       ? TAKT_OK
		       : takt_probe_store_fail(store, diag);
}

const char *takt_probe_store_machine(struct probe_store *store)
{
	return store->machine;
}

const char *takt_probe_store_date(struct probe_store *store)
{
	struct stat status;
	struct tm date;

	if (stat(store->path, &status) == 0 && gmtime_r(&status.st_mtime, &date) &&
	    strftime(store->date, sizeof(store->date), "%Y-%m-%d", &date))
		return store->date;
	return "1970-01-01";
}

static struct probe_row row_of(sqlite3_stmt *statement)
{
	return (struct probe_row){.form = takt_statement_text(statement, 0),
				  .reason = takt_statement_text(statement, 1),
				  .throughput = takt_statement_number(statement, 2),
				  .chain = takt_statement_number(statement, 3),
				  .uops = takt_statement_number(statement, 4),
				  .ports_cycles = takt_statement_number(statement, 5),
				  .spread = takt_statement_number(statement, 6),
				  .ports = takt_statement_text(statement, 7),
				  .doubt = takt_statement_text(statement, 8),
				  .latencies = takt_statement_text(statement, 9),
				  .experiments = (uint64_t)sqlite3_column_int64(statement, 10)};
}

#define COLUMNS                                                                                    \
	"select form, reason, throughput, chain, uops, ports_cycles, spread, ports, doubt,"        \
	" latencies, experiments from form "

/* Call `visit` for each row of `sql`; if `form` is not NULL, it is the first parameter. */
static enum takt_status each(struct probe_store *store, const char *sql, const char *form,
			     void (*visit)(void *context, const struct probe_row *row),
			     void *context, struct takt_diag *diag)
{
	sqlite3_stmt *rows = takt_statement_new(store->db, sql, form ? "s" : "", form);
	int status;

	if (!rows)
		return takt_probe_store_fail(store, diag);
	while ((status = sqlite3_step(rows)) == SQLITE_ROW) {
		const struct probe_row row = row_of(rows);

		visit(context, &row);
	}
	sqlite3_finalize(rows);
	return status == SQLITE_DONE ? TAKT_OK : takt_probe_store_fail(store, diag);
}

enum takt_status takt_probe_store_each(struct probe_store *store,
				       void (*visit)(void *context, const struct probe_row *row),
				       void *context, struct takt_diag *diag)
{
	return each(store, COLUMNS "order by form", NULL, visit, context, diag);
}

enum takt_status takt_probe_store_visit(struct probe_store *store, const char *form,
					void (*visit)(void *context, const struct probe_row *row),
					void *context, struct takt_diag *diag)
{
	return each(store, COLUMNS "where form = ?", form, visit, context, diag);
}

/* ---- variants ------------------------------------------------------------- */

static bool add_variant(struct probe_store *store, const char *form,
			const struct takt_variant *variant)
{
	takt_statement_bind(store->add_variant, "sssdd", form, variant->kind, variant->detail,
			    variant->figure, variant->other);
	return takt_statement_run(store->add_variant);
}

bool takt_probe_store_execute(struct probe_store *store, const char *sql)
{
	return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

enum takt_status takt_probe_store_add_variants(struct probe_store *store, const char *form,
					       const struct takt_variant *variants, size_t count,
					       uint64_t experiments, struct takt_diag *diag)
{
	bool fine = store->add_variant && takt_probe_store_execute(store, "begin");
	enum takt_status status;

	for (size_t i = 0; fine && i < count; i++)
		fine = add_variant(store, form, &variants[i]);
	fine = fine &&
	       takt_database_run(store->db, "insert or replace into varied values(?,?)", "si", form,
				 (int64_t)experiments) &&
	       takt_probe_store_execute(store, "commit");
	status = fine ? TAKT_OK : takt_probe_store_fail(store, diag);
	if (!fine)
		takt_probe_store_execute(store, "rollback");
	return status;
}

enum takt_status takt_probe_store_each_variant(struct probe_store *store, const char *form,
					       void (*visit)(void *context, const char *form,
							     const struct takt_variant *variant),
					       void *context, struct takt_diag *diag)
{
	sqlite3_stmt *rows;
	int status;

	if (!store->find_varied)
		return TAKT_OK;
	rows = takt_statement_new(store->db,
				  "select form, kind, detail, figure, other from variant"
				  " where ?1 is null or form = ?1 order by form, rowid",
				  "s", form);
	if (!rows)
		return takt_probe_store_fail(store, diag);
	while ((status = sqlite3_step(rows)) == SQLITE_ROW) {
		const struct takt_variant variant = {.kind = takt_statement_text(rows, 1),
						     .title = "",
						     .detail = takt_statement_text(rows, 2),
						     .figure = takt_statement_number(rows, 3),
						     .other = takt_statement_number(rows, 4),
						     .other_title = ""};

		visit(context, takt_statement_text(rows, 0), &variant);
	}
	sqlite3_finalize(rows);
	return status == SQLITE_DONE ? TAKT_OK : takt_probe_store_fail(store, diag);
}
