/* SPDX-License-Identifier: MIT */
/* Results in SQLite: one row for each form, written when it is finished. */
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "characterize/survey.h"

#define FORMAT_VERSION 1

struct probe_store {
	sqlite3 *db;
	sqlite3_stmt *add, *find;
	const char *path;
	char machine[128];
};

static const char *const schema =
	"create table if not exists machine(name text not null);"
	"create table if not exists form("
	" form text primary key, reason text not null, throughput real, chain real, uops real,"
	" ports_cycles real, spread real, ports text not null, doubt text not null,"
	" latencies text not null, experiments integer not null);";

static enum takt_status fail(const struct probe_store *store, struct takt_diag *diag)
{
	takt_error(diag, "'%s': %s", store->path, sqlite3_errmsg(store->db));
	takt_note(diag, "results of a survey are an SQLite database; name another file if this "
			"one is something else");
	return TAKT_BAD_INPUT;
}

static bool read_machine(struct probe_store *store)
{
	sqlite3_stmt *statement;
	bool fine = sqlite3_prepare_v2(store->db, "select name from machine", -1, &statement,
				       NULL) == SQLITE_OK;

	if (fine && sqlite3_step(statement) == SQLITE_ROW)
		snprintf(store->machine, sizeof(store->machine), "%s",
			 (const char *)sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
	return fine;
}

static bool prepare(struct probe_store *store)
{
	return sqlite3_prepare_v2(store->db,
				  "insert or replace into form values(?,?,?,?,?,?,?,?,?,?,?)", -1,
				  &store->add, NULL) == SQLITE_OK &&
	       sqlite3_prepare_v2(store->db,
				  "select 1 from form where form = ? and reason <> '" PROBE_BUSY "'",
				  -1, &store->find, NULL) == SQLITE_OK &&
	       read_machine(store);
}

enum takt_status takt_probe_store_open(const char *path, bool create, struct takt_diag *diag,
				       struct probe_store **ret_store)
{
	struct probe_store *store = takt_xcalloc(1, sizeof(*store));
	int flags = create ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;

	store->path = path;
	if (sqlite3_open_v2(path, &store->db, flags, NULL) != SQLITE_OK ||
	    (create && sqlite3_exec(store->db, schema, NULL, NULL, NULL) != SQLITE_OK) ||
	    !prepare(store)) {
		enum takt_status status = fail(store, diag);

		takt_probe_store_close(store);
		return status;
	}
	*ret_store = store;
	return TAKT_OK;
}

void takt_probe_store_close(struct probe_store *store)
{
	if (!store)
		return;
	sqlite3_finalize(store->add);
	sqlite3_finalize(store->find);
	sqlite3_close(store->db);
	free(store);
}

bool takt_probe_store_has(struct probe_store *store, const char *form)
{
	bool found;

	sqlite3_bind_text(store->find, 1, form, -1, SQLITE_STATIC);
	found = sqlite3_step(store->find) == SQLITE_ROW;
	sqlite3_reset(store->find);
	return found;
}

/* NaN becomes null. */
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
	return fine ? TAKT_OK : fail(store, diag);
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
	return fine ? TAKT_OK : fail(store, diag);
}

const char *takt_probe_store_machine(struct probe_store *store)
{
	return store->machine;
}

static const char *text_of(sqlite3_stmt *statement, int column)
{
	const unsigned char *text = sqlite3_column_text(statement, column);

	return text ? (const char *)text : "";
}

static double number_of(sqlite3_stmt *statement, int column)
{
	return sqlite3_column_type(statement, column) == SQLITE_NULL
		       ? NAN
		       : sqlite3_column_double(statement, column);
}

enum takt_status takt_probe_store_each(struct probe_store *store,
				       void (*visit)(void *context, const struct probe_row *row),
				       void *context, struct takt_diag *diag)
{
	sqlite3_stmt *all;
	int status;

	if (sqlite3_prepare_v2(store->db,
			       "select form, reason, throughput, chain, uops, ports_cycles, spread,"
			       " ports, doubt, latencies, experiments from form order by form",
			       -1, &all, NULL) != SQLITE_OK)
		return fail(store, diag);
	while ((status = sqlite3_step(all)) == SQLITE_ROW) {
		const struct probe_row row = {.form = text_of(all, 0),
					      .reason = text_of(all, 1),
					      .throughput = number_of(all, 2),
					      .chain = number_of(all, 3),
					      .uops = number_of(all, 4),
					      .ports_cycles = number_of(all, 5),
					      .spread = number_of(all, 6),
					      .ports = text_of(all, 7),
					      .doubt = text_of(all, 8),
					      .latencies = text_of(all, 9),
					      .experiments =
						      (uint64_t)sqlite3_column_int64(all, 10)};

		visit(context, &row);
	}
	sqlite3_finalize(all);
	return status == SQLITE_DONE ? TAKT_OK : fail(store, diag);
}
