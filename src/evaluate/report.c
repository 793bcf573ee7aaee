/* SPDX-License-Identifier: MIT */
/* What came of it: a row for each predictor. */
#include <math.h>
#include <string.h>

#include "evaluate/evaluate.h"

/* A predictor on all that was measured. */
struct row {
	const char *name;
	size_t failures;
	double cpu_seconds;
	struct evaluate_errors errors;
};

struct counts {
	int64_t compiled, built, same, failed, counted, measured, spread_1, insns;
	double spread; /* median of the repeats */
	const char *clock, *cpu;
};

struct report {
	struct takt_arena arena;
	const char *core;
	struct counts counts;
	struct row *rows;
	size_t row_count;
};

static enum takt_status read_counts(const struct takt_evaluation *evaluation,
				    struct takt_diag *diag, struct report *report)
{
	static const char sql[] =
		"SELECT (SELECT count(*) FROM benchmark),"
		" (SELECT count(*) FROM benchmark WHERE state = 'built'),"
		" (SELECT count(*) FROM benchmark WHERE state = 'same'),"
		" (SELECT count(*) FROM benchmark WHERE state = 'failed'),"
		" (SELECT count(*) FROM run WHERE reason = ''),"
		" (SELECT count(*) FROM measurement WHERE status = 'ok'),"
		" (SELECT count(*) FROM measurement WHERE status = 'ok' AND spread <= 0.01),"
		" (SELECT sum(insns) FROM run WHERE reason = ''),"
		" (SELECT spread FROM measurement WHERE status = 'ok' ORDER BY spread LIMIT 1 "
		"OFFSET"
		" (SELECT count(*) / 2 FROM measurement WHERE status = 'ok')),"
		" (SELECT min(clock) FROM measurement), (SELECT min(cpu) FROM measurement)";
	sqlite3_stmt *statement = takt_store_query(evaluation, diag, sql, "");
	struct counts *counts = &report->counts;
	int64_t *const numbers[] = {&counts->compiled, &counts->built,	 &counts->same,
				    &counts->failed,   &counts->counted, &counts->measured,
				    &counts->spread_1, &counts->insns};

	if (!statement || !takt_store_next(evaluation, diag, statement)) {
		sqlite3_finalize(statement);
		return TAKT_BAD_INPUT;
	}
	for (int i = 0; i < (int)TAKT_COUNT_OF(numbers); i++)
		*numbers[i] = sqlite3_column_int64(statement, i);
	counts->spread = sqlite3_column_double(statement, 8);
	counts->clock = takt_store_text(&report->arena, statement, 9);
	counts->cpu = takt_store_text(&report->arena, statement, 10);
	sqlite3_finalize(statement);
	return TAKT_OK;
}

static enum takt_status read_row(const struct takt_evaluation *evaluation, struct takt_diag *diag,
				 struct report *report, struct row *row)
{
	sqlite3_stmt *statement = takt_store_query(
		evaluation, diag,
		"SELECT measurement.cycles, prediction.cycles, seconds FROM prediction JOIN"
		" measurement USING (benchmark) WHERE core = ? AND predictor = ? AND status = 'ok'"
		" ORDER BY benchmark",
		"ss", report->core, row->name);
	struct evaluate_pair *pairs = TAKT_NEW_ARRAY(
		&report->arena, (size_t)report->counts.measured, struct evaluate_pair);
	size_t count = 0;

	if (!statement)
		return TAKT_BAD_INPUT;
	while (takt_store_next(evaluation, diag, statement) &&
	       count < (size_t)report->counts.measured) {
		row->cpu_seconds += sqlite3_column_double(statement, 2);
		if (sqlite3_column_type(statement, 1) == SQLITE_NULL) {
			row->failures++;
			continue;
		}
		pairs[count].measured = sqlite3_column_double(statement, 0);
		pairs[count++].predicted = sqlite3_column_double(statement, 1);
	}
	row->errors = takt_statistics_errors(pairs, count);
	return sqlite3_finalize(statement) == SQLITE_OK ? TAKT_OK : TAKT_BAD_INPUT;
}

/* Predictors in the order of their table. */
static enum takt_status read_report(const struct takt_evaluation *evaluation, const char *core,
				    struct takt_diag *diag, struct report *report)
{
	enum takt_status status;

	report->core = core;
	status = read_counts(evaluation, diag, report);
	report->rows = TAKT_NEW_ARRAY(&report->arena, takt_evaluate_predictor_count, struct row);
	for (size_t i = 0; status == TAKT_OK && i < takt_evaluate_predictor_count; i++) {
		struct row *row = &report->rows[report->row_count];

		row->name = takt_evaluate_predictors[i].name;
		status = read_row(evaluation, diag, report, row);
		report->row_count += row->errors.count > 0 || row->failures > 0;
	}
	return status;
}

/* ---- text ---- */

static void write_text(const struct report *report, struct takt_text *text)
{
	const struct counts *counts = &report->counts;

	takt_text_printf(text,
			 "%lld benchmarks: %lld of %lld that were compiled are distinct, %lld"
			 " failed\n",
			 (long long)counts->built, (long long)counts->built,
			 (long long)counts->compiled, (long long)counts->failed);
	takt_text_printf(text,
			 "%lld measured on %s, clock %s; repeats of %.1f %% agree within 1 %%,"
			 " median spread %.2f %%\n\n",
			 (long long)counts->measured, counts->cpu, counts->clock,
			 100.0 * (double)counts->spread_1 / fmax(1, (double)counts->measured),
			 100 * counts->spread);
	takt_text_printf(text, "%-22s %6s %6s %7s %15s %7s %7s %7s %6s %7s %9s\n", report->core,
			 "points", "failed", "MAPE", "95 %", "median", "Q1", "Q3", "tau", "under",
			 "CPU hours");
	for (size_t i = 0; i < report->row_count; i++) {
		const struct row *row = &report->rows[i];
		const struct evaluate_errors *errors = &row->errors;

		takt_text_printf(text,
				 "%-22s %6zu %6zu %6.2f%% %6.2f – %5.2f%% %6.2f%% %6.2f%%"
				 " %6.2f%% %6.3f %6.1f%% %9.5f\n",
				 row->name, errors->count, row->failures, 100 * errors->mean,
				 100 * errors->mean_interval[0], 100 * errors->mean_interval[1],
				 100 * errors->median, 100 * errors->quartiles[0],
				 100 * errors->quartiles[1], errors->tau, 100 * errors->under,
				 row->cpu_seconds / 3600);
	}
}

/* ---- JSON ---- */

static void write_row(struct takt_json *json, const struct row *row)
{
	const struct evaluate_errors *errors = &row->errors;

	takt_json_open_object(json, NULL);
	takt_json_string(json, "predictor", row->name);
	takt_json_integer(json, "points", (int64_t)errors->count);
	takt_json_integer(json, "failures", (int64_t)row->failures);
	takt_json_number(json, "mape_percent", 100 * errors->mean);
	takt_json_number(json, "mape_low_percent", 100 * errors->mean_interval[0]);
	takt_json_number(json, "mape_high_percent", 100 * errors->mean_interval[1]);
	takt_json_number(json, "median_percent", 100 * errors->median);
	takt_json_number(json, "q1_percent", 100 * errors->quartiles[0]);
	takt_json_number(json, "q3_percent", 100 * errors->quartiles[1]);
	takt_json_number(json, "tau", errors->tau);
	takt_json_number(json, "under_percent", 100 * errors->under);
	takt_json_number(json, "cpu_seconds", row->cpu_seconds);
	takt_json_close_object(json);
}

static void write_json(const struct report *report, struct takt_text *text)
{
	const struct counts *counts = &report->counts;
	struct takt_json json;

	takt_json_init(&json, text);
	takt_json_open_object(&json, NULL);
	takt_json_string(&json, "core", report->core);
	takt_json_string(&json, "cpu", counts->cpu);
	takt_json_string(&json, "clock", counts->clock);
	takt_json_integer(&json, "compiled", counts->compiled);
	takt_json_integer(&json, "distinct", counts->built);
	takt_json_integer(&json, "failed", counts->failed);
	takt_json_integer(&json, "counted", counts->counted);
	takt_json_integer(&json, "measured", counts->measured);
	takt_json_integer(&json, "agree_within_1_percent", counts->spread_1);
	takt_json_integer(&json, "instructions", counts->insns);
	takt_json_open_array(&json, "predictors");
	for (size_t i = 0; i < report->row_count; i++)
		write_row(&json, &report->rows[i]);
	takt_json_close_array(&json);
	takt_json_close_object(&json);
}

enum takt_status takt_evaluation_write(const struct takt_evaluation *evaluation, const char *core,
				       bool as_json, struct takt_diag *diag, struct takt_text *text)
{
	struct report report = {0};
	enum takt_status status = read_report(evaluation, core, diag, &report);

	if (status == TAKT_OK && as_json)
		write_json(&report, text);
	else if (status == TAKT_OK)
		write_text(&report, text);
	takt_arena_release(&report.arena);
	return status;
}
