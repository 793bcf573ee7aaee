/* SPDX-License-Identifier: MIT */
/* Stores ports that were inferred from timing: the classes of the machine, and each form's µops. */
#include "characterize/survey/survey_store.h"

/* ---- forms ---------------------------------------------------------------- */

bool takt_probe_store_has_ports(struct probe_store *store, const char *form)
{
	sqlite3_stmt *find = takt_statement_new(
		store->db,
		"select 1 from form where form = ? and (reason <> '' or ports_cycles is not null)",
		"s", form);
	bool found = find && sqlite3_step(find) == SQLITE_ROW;

	sqlite3_finalize(find);
	return found;
}

enum takt_status takt_probe_store_add_ports(struct probe_store *store, const struct probe_row *row,
					    struct takt_diag *diag)
{
	return takt_database_run(store->db,
				 "update form set ports = ?, doubt = ?, ports_cycles = ?,"
				 " experiments = experiments + ? where form = ?",
				 "ssdis", row->ports, row->doubt, row->ports_cycles,
				 (int64_t)row->experiments, row->form)
		       ? TAKT_OK
		       : takt_probe_store_fail(store, diag);
}

/* ---- classes -------------------------------------------------------------- */

/* The filler that counts slots, as in the column counts_slots: 0 none, 1 nops, 2 zero idioms. */
static int slots_counted(enum probe_tool filler)
{
	return filler == PROBE_NOP ? 1 : filler == PROBE_XOR ? 2 : 0;
}

static enum probe_tool filler_of(int slots_counted)
{
	return slots_counted == 1 ? PROBE_NOP : slots_counted == 2 ? PROBE_XOR : PROBE_TOOL_COUNT;
}

static bool add_class(struct probe_store *store, const struct probe_classes *classes, bool wide,
		      unsigned index)
{
	const struct probe_class *class = &classes->entries[index];

	return takt_database_run(
		store->db, "insert or replace into class values(?,?,?,?,?,?,?,?,?,?,?)",
		"sidiidiiiii", class->form->text, (int64_t)wide, classes->issue_width,
		(int64_t) class->width, (int64_t) class->pieces, class->cycles,
		(int64_t) class->end_uops, (int64_t) class->breaker_uops, (int64_t) class->inside,
		(int64_t) class->across, (int64_t)slots_counted(classes->filler));
}

static bool add_set(struct probe_store *store, const struct probe_classes *classes, bool wide)
{
	bool fine = true;

	for (unsigned i = 0; fine && i < classes->count; i++)
		fine = add_class(store, classes, wide, i);
	return fine;
}

/* Store all classes, or none. */
enum takt_status takt_probe_store_add_classes(struct probe_store *store,
					      const struct probe_class_sets *sets,
					      struct takt_diag *diag)
{
	enum takt_status status;
	bool fine = takt_probe_store_execute(store, "begin") &&
		    add_set(store, &sets->narrow, false) && add_set(store, &sets->wide, true) &&
		    takt_probe_store_execute(store, "commit");

	status = fine ? TAKT_OK : takt_probe_store_fail(store, diag);
	if (!fine)
		takt_probe_store_execute(store, "rollback");
	return status;
}

/* Read a class. False if its form is not one of this machine's, or its figures make no sense. */
static bool read_class(sqlite3_stmt *row, const struct probe_forms *forms,
		       struct probe_classes *classes)
{
	struct probe_class *class = &classes->entries[classes->count];
	const char *text = (const char *)sqlite3_column_text(row, 0);

	if (classes->count == PROBE_CLASSES_MAX || !text)
		return false;
	*class = (struct probe_class){
		.form = takt_probe_form_named(forms, text),
		.width = (unsigned)sqlite3_column_int64(row, 2),
		.pieces = (unsigned)sqlite3_column_int64(row, 3),
		.cycles = sqlite3_column_double(row, 4),
		.end_uops = (unsigned)sqlite3_column_int64(row, 5),
		.breaker_uops = (unsigned)sqlite3_column_int64(row, 6),
		.inside = (uint32_t)sqlite3_column_int64(row, 7),
		.across = (uint32_t)sqlite3_column_int64(row, 8),
	};
	classes->issue_width = sqlite3_column_double(row, 1);
	classes->filler = filler_of(sqlite3_column_int(row, 9));
	classes->count++;
	return class->form && class->width && class->width <= TAKT_PORTS_MAX && class->pieces &&
	       class->cycles > 0;
}

static bool read_set(struct probe_store *store, const struct probe_forms *forms, bool wide,
		     struct probe_classes *ret_classes)
{
	sqlite3_stmt *rows = takt_statement_new(
		store->db,
		"select form, issue_width, width, pieces, cycles, end_uops, breaker_uops, inside,"
		" across, counts_slots from class where wide = ? order by rowid",
		"i", (int64_t)wide);
	bool fine = rows != NULL;

	ret_classes->count = 0;
	while (fine && sqlite3_step(rows) == SQLITE_ROW)
		fine = read_class(rows, forms, ret_classes);
	sqlite3_finalize(rows);
	return fine;
}

bool takt_probe_store_read_classes(struct probe_store *store, const struct probe_forms *forms,
				   struct probe_class_sets *ret_sets)
{
	return read_set(store, forms, false, &ret_sets->narrow) &&
	       read_set(store, forms, true, &ret_sets->wide) && ret_sets->narrow.count > 0;
}
