/* SPDX-License-Identifier: MIT */
/* Keeps results in SQLite: one row for each form, written when it is finished. */
#include <math.h>
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

static const char *text_of(sqlite3_stmt *statement, int column)
{
	const unsigned char *text = sqlite3_column_text(statement, column);

	return text ? (const char *)text : "";
}

static bool read_machine(struct probe_store *store)
{
	sqlite3_stmt *statement;
	bool fine = sqlite3_prepare_v2(store->db, "select name from machine", -1, &statement,
				       NULL) == SQLITE_OK;

	if (fine && sqlite3_step(statement) == SQLITE_ROW)
		snprintf(store->machine, sizeof(store->machine), "%s", text_of(statement, 0));
	sqlite3_finalize(statement);
	return fine;
}

static bool prepare(struct probe_store *store)
{
	return sqlite3_prepare_v2(store->db,
				  "insert or replace into form values(?,?,?,?,?,?,?,?,?,?,?)", -1,
				  &store->add, NULL) == SQLITE_OK &&
	       sqlite3_prepare_v2(store->db,
				  "select 1 from form where form = ? and reason <> '" PROBE_BUSY
				  "'",
				  -1, &store->find, NULL) == SQLITE_OK &&
	       read_machine(store);
}

/*
 * Results of versions without variants have no tables for them, if they are opened only for
 * reading.
 */
static void prepare_variants(struct probe_store *store)
{
	sqlite3_prepare_v2(store->db, "insert or replace into variant values(?,?,?,?,?)", -1,
			   &store->add_variant, NULL);
	sqlite3_prepare_v2(store->db, "select 1 from varied where form = ?", -1,
			   &store->find_varied, NULL);
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
	sqlite3_bind_text(find, 1, form, -1, SQLITE_STATIC);
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

/* Bind a number; NaN becomes null. */
static void bind_number(sqlite3_stmt *statement, int at, double number)
{
	if (isnan(number))
		sqlite3_bind_null(statement, at);
	else
		sqlite3_bind_double(statement, at, number);
}

enum takt_status takt_probe_store_add(struct probe_store *store, const struct probe_row *row,
				      struct takt_diag *diag)
{
	sqlite3_stmt *add = store->add;
	bool fine;

	sqlite3_bind_text(add, 1, row->form, -1, SQLITE_STATIC);
	sqlite3_bind_text(add, 2, row->reason, -1, SQLITE_STATIC);
	bind_number(add, 3, row->throughput);
	bind_number(add, 4, row->chain);
	bind_number(add, 5, row->uops);
	bind_number(add, 6, row->ports_cycles);
	bind_number(add, 7, row->spread);
	sqlite3_bind_text(add, 8, row->ports, -1, SQLITE_STATIC);
	sqlite3_bind_text(add, 9, row->doubt, -1, SQLITE_STATIC);
	sqlite3_bind_text(add, 10, row->latencies, -1, SQLITE_STATIC);
	sqlite3_bind_int64(add, 11, (sqlite3_int64)row->experiments);
	fine = sqlite3_step(add) == SQLITE_DONE;
	sqlite3_reset(add);
	return fine ? TAKT_OK : takt_probe_store_fail(store, diag);
}

enum takt_status takt_probe_store_claim(struct probe_store *store, const char *machine,
					struct takt_diag *diag)
{
	sqlite3_stmt *statement;
	bool fine;

	if (*store->machine && strcmp(store->machine, machine) == 0)
		return TAKT_OK;
	if (*store->machine) {
		takt_error(diag, "'%s' has results of %s, not of %s", store->path, store->machine,
			   machine);
		takt_note(diag, "name another file");
		return TAKT_BAD_INPUT;
	}
	snprintf(store->machine, sizeof(store->machine), "%s", machine);
	fine = sqlite3_prepare_v2(store->db, "insert into machine values(?)", -1, &statement,
				  NULL) == SQLITE_OK;
	if (fine) {
		sqlite3_bind_text(statement, 1, store->machine, -1, SQLITE_STATIC);
		fine = sqlite3_step(statement) == SQLITE_DONE;
	}
	sqlite3_finalize(statement);
	return fine ? TAKT_OK : takt_probe_store_fail(store, diag);
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

static double number_of(sqlite3_stmt *statement, int column)
{
	return sqlite3_column_type(statement, column) == SQLITE_NULL
		       ? NAN
		       : sqlite3_column_double(statement, column);
}

static struct probe_row row_of(sqlite3_stmt *statement)
{
	return (struct probe_row){.form = text_of(statement, 0),
				  .reason = text_of(statement, 1),
				  .throughput = number_of(statement, 2),
				  .chain = number_of(statement, 3),
				  .uops = number_of(statement, 4),
				  .ports_cycles = number_of(statement, 5),
				  .spread = number_of(statement, 6),
				  .ports = text_of(statement, 7),
				  .doubt = text_of(statement, 8),
				  .latencies = text_of(statement, 9),
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
	sqlite3_stmt *rows;
	int status;

	if (sqlite3_prepare_v2(store->db, sql, -1, &rows, NULL) != SQLITE_OK)
		return takt_probe_store_fail(store, diag);
	if (form)
		sqlite3_bind_text(rows, 1, form, -1, SQLITE_STATIC);
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
	bool fine;

	sqlite3_bind_text(store->add_variant, 1, form, -1, SQLITE_STATIC);
	sqlite3_bind_text(store->add_variant, 2, variant->kind, -1, SQLITE_STATIC);
	sqlite3_bind_text(store->add_variant, 3, variant->detail, -1, SQLITE_STATIC);
	bind_number(store->add_variant, 4, variant->figure);
	bind_number(store->add_variant, 5, variant->other);
	fine = sqlite3_step(store->add_variant) == SQLITE_DONE;
	sqlite3_reset(store->add_variant);
	return fine;
}

static bool add_varied(struct probe_store *store, const char *form, uint64_t experiments)
{
	sqlite3_stmt *add;
	bool fine = sqlite3_prepare_v2(store->db, "insert or replace into varied values(?,?)", -1,
				       &add, NULL) == SQLITE_OK;

	if (fine) {
		sqlite3_bind_text(add, 1, form, -1, SQLITE_STATIC);
		sqlite3_bind_int64(add, 2, (sqlite3_int64)experiments);
		fine = sqlite3_step(add) == SQLITE_DONE;
	}
	sqlite3_finalize(add);
	return fine;
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
	fine = fine && add_varied(store, form, experiments) &&
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
	if (sqlite3_prepare_v2(store->db,
			       "select form, kind, detail, figure, other from variant"
			       " where ?1 is null or form = ?1 order by form, rowid",
			       -1, &rows, NULL) != SQLITE_OK)
		return takt_probe_store_fail(store, diag);
	if (form)
		sqlite3_bind_text(rows, 1, form, -1, SQLITE_STATIC);
	while ((status = sqlite3_step(rows)) == SQLITE_ROW) {
		const struct takt_variant variant = {.kind = text_of(rows, 1),
						     .title = "",
						     .detail = text_of(rows, 2),
						     .figure = number_of(rows, 3),
						     .other = number_of(rows, 4),
						     .other_title = ""};

		visit(context, text_of(rows, 0), &variant);
	}
	sqlite3_finalize(rows);
	return status == SQLITE_DONE ? TAKT_OK : takt_probe_store_fail(store, diag);
}
