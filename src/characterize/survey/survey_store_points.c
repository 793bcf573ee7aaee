/* SPDX-License-Identifier: MIT */
/* Keeps the experiments that the figures of a form come from: a row for each purpose. */
#include <math.h>
#include <string.h>

#include "characterize/survey/survey_store.h"

static bool is_point(const struct takt_lab_experiment *run)
{
	return !isnan(run->x) && !isnan(run->cycles);
}

static bool is_first_of_title(const struct takt_lab_experiment *runs, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (is_point(&runs[i]) && strcmp(runs[i].title, runs[index].title) == 0)
			return false;
	return is_point(&runs[index]);
}

static bool add_all_points(struct probe_store *store, const char *form,
			   const struct takt_lab_experiment *runs, size_t count)
{
	struct takt_text points = {0};
	bool fine =
		takt_database_run(store->db, "delete from experiment where form = ?", "s", form);

	for (size_t i = 0; fine && i < count; i++) {
		if (!is_first_of_title(runs, i))
			continue;
		takt_text_clear(&points);
		for (size_t k = i; k < count; k++)
			if (is_point(&runs[k]) && strcmp(runs[k].title, runs[i].title) == 0)
				takt_text_printf(&points, "%s%.5g:%.5g", k > i ? " " : "",
						 runs[k].x, runs[k].cycles);
		fine = takt_database_run(store->db,
					 "insert or replace into experiment values(?,?,?)", "sss",
					 form, runs[i].title, takt_text_data(&points));
	}
	takt_text_release(&points);
	return fine;
}

enum takt_status takt_probe_store_add_measured(struct probe_store *store,
					       const struct probe_row *row,
					       const struct takt_lab_experiment *runs,
					       size_t run_count, struct takt_diag *diag)
{
	enum takt_status status = TAKT_OK;

	if (!takt_probe_store_execute(store, "begin") ||
	    !add_all_points(store, row->form, runs, run_count))
		status = takt_probe_store_fail(store, diag);
	if (status == TAKT_OK)
		status = takt_probe_store_add(store, row, diag);
	if (status == TAKT_OK && !takt_probe_store_execute(store, "commit"))
		status = takt_probe_store_fail(store, diag);
	if (status != TAKT_OK)
		takt_probe_store_execute(store, "rollback");
	return status;
}

enum takt_status takt_probe_store_each_experiment(struct probe_store *store,
						  void (*visit)(void *context, const char *form,
								const char *title,
								const char *points),
						  void *context, struct takt_diag *diag)
{
	sqlite3_stmt *rows = takt_statement_new(
		store->db, "select form, title, points from experiment order by form, rowid", "");
	int status;

	/* Results of older versions lack the table. */
	if (!rows)
		return TAKT_OK;
	while ((status = sqlite3_step(rows)) == SQLITE_ROW)
		visit(context, takt_statement_text(rows, 0), takt_statement_text(rows, 1),
		      takt_statement_text(rows, 2));
	sqlite3_finalize(rows);
	return status == SQLITE_DONE ? TAKT_OK : takt_probe_store_fail(store, diag);
}
