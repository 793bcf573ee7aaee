/* SPDX-License-Identifier: MIT */
/* Reads the results from the database, and computes errors and sets of benchmarks. */
#include "evaluate/report.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cycles that a first-level cache miss takes: about the latency of the second level. */
#define MISS_CYCLES 14.0
#define MISS_SHARE_MAX 0.15 /* as in the paper (CesASMe, 2024) */
#define MISS_SHARE_STRICT 0.01
/* Least ratio of the predictions with and without dependences through memory. */
#define MEMORY_BOUND 1.4
#define WORST_SHARE 0.3

/* The two predictors whose ratio says if dependences through memory limit a kernel. */
static const char with_memory[] = "takt paths", without_memory[] = "takt paths, no memory";
/* Predictors of which the jointly worst benchmarks are listed. */
static const char *const jointly[] = {"takt sim", "takt paths", "llvm-mca-19", "OSACA", "uiCA"};

/* ---- the database ---- */

static enum takt_status read_counts(const struct takt_evaluation *evaluation,
				    struct takt_diag *diag, struct report *report)
{
	static const char sql[] =
		"SELECT (SELECT count(*) FROM benchmark),"
		" (SELECT count(*) FROM benchmark WHERE state = 'built'),"
		" (SELECT count(*) FROM benchmark WHERE state = 'same'),"
		" (SELECT count(*) FROM benchmark WHERE state = 'failed'),"
		" (SELECT count(*) FROM run WHERE reason <> ''),"
		" (SELECT count(*) FROM measurement WHERE status = 'ok'),"
		" (SELECT count(*) FROM measurement WHERE status <> 'ok'),"
		" (SELECT count(*) FROM measurement WHERE status = 'ok' AND spread <= 0.01),"
		" (SELECT sum(insns) FROM run WHERE reason = ''),"
		" (SELECT spread FROM measurement WHERE status = 'ok' ORDER BY spread LIMIT 1 "
		"OFFSET (SELECT count(*) / 2 FROM measurement WHERE status = 'ok')),"
		" (SELECT min(clock) FROM measurement), (SELECT min(cpu) FROM measurement)";
	sqlite3_stmt *statement = takt_store_query(evaluation, diag, sql, "");
	struct report_counts *counts = &report->counts;
	int64_t *const numbers[] = {&counts->compiled,	&counts->built,	      &counts->same,
				    &counts->failed,	&counts->not_counted, &counts->measured,
				    &counts->disturbed, &counts->agreeing,    &counts->insns};
	int column = 0;

	if (!statement || !takt_store_next(evaluation, diag, statement)) {
		sqlite3_finalize(statement);
		return TAKT_BAD_INPUT;
	}
	for (; column < (int)TAKT_COUNT_OF(numbers); column++)
		*numbers[column] = sqlite3_column_int64(statement, column);
	counts->spread = sqlite3_column_double(statement, column++);
	counts->clock = takt_store_text(&report->arena, statement, column++);
	counts->cpu = takt_store_text(&report->arena, statement, column);
	sqlite3_finalize(statement);
	return TAKT_OK;
}

static void read_case(sqlite3_stmt *statement, struct takt_arena *arena, struct report_case *one)
{
	one->kernel = takt_store_text(arena, statement, 0);
	one->compiler = takt_store_text(arena, statement, 1);
	one->strategy = takt_store_text(arena, statement, 2);
	one->options = takt_store_text(arena, statement, 3);
	one->file = takt_store_text(arena, statement, 7);
	one->name = takt_arena_printf(arena, "%s %s %s%s%s", one->kernel, one->compiler,
				      one->strategy, *one->options ? " " : "", one->options);
	one->measured = sqlite3_column_double(statement, 4);
	one->miss_share = sqlite3_column_double(statement, 5) * MISS_CYCLES / one->measured;
	one->bottleneck = "";
	for (size_t i = 0; i < REPORT_TOOLS_MAX; i++)
		one->predicted[i] = NAN;
}

/* Return the benchmark numbers in `ret_ids`, too, so that predictions find their case. */
static enum takt_status read_cases(const struct takt_evaluation *evaluation, struct takt_diag *diag,
				   struct report *report, int64_t **ret_ids)
{
	sqlite3_stmt *statement = takt_store_query(
		evaluation, diag,
		"SELECT kernel, compiler, strategy, options, cycles, misses, id, file FROM "
		"benchmark"
		" JOIN measurement ON measurement.benchmark = id JOIN run ON run.benchmark = id"
		" WHERE status = 'ok' AND run.reason = '' AND state = 'built' ORDER BY id",
		"");
	size_t most = (size_t)report->counts.measured;
	int64_t *ids = TAKT_NEW_ARRAY(&report->arena, most, int64_t);

	report->cases = TAKT_NEW_ARRAY(&report->arena, most, struct report_case);
	if (!statement)
		return TAKT_BAD_INPUT;
	while (report->case_count < most && takt_store_next(evaluation, diag, statement)) {
		read_case(statement, &report->arena, &report->cases[report->case_count]);
		ids[report->case_count++] = sqlite3_column_int64(statement, 6);
	}
	*ret_ids = ids;
	return sqlite3_finalize(statement) == SQLITE_OK ? TAKT_OK : TAKT_BAD_INPUT;
}

/* Read a tool's predictions, merging two lists that are sorted by number of the benchmark. */
static enum takt_status read_tool(const struct takt_evaluation *evaluation, struct takt_diag *diag,
				  struct report *report, const int64_t *ids, size_t *ret_count)
{
	struct report_tool *tool = &report->tools[report->tool_count];
	sqlite3_stmt *statement = takt_store_query(
		evaluation, diag,
		"SELECT benchmark, cycles, seconds, remark FROM prediction WHERE core = ? AND"
		" predictor = ? ORDER BY benchmark",
		"ss", report->core, tool->predictor->name);
	size_t at = 0;

	*ret_count = 0;
	if (!statement)
		return TAKT_BAD_INPUT;
	while (takt_store_next(evaluation, diag, statement)) {
		int64_t id = sqlite3_column_int64(statement, 0);

		while (at < report->case_count && ids[at] < id)
			at++;
		if (at == report->case_count || ids[at] != id)
			continue;
		++*ret_count;
		tool->cpu_seconds += sqlite3_column_double(statement, 2);
		report->cases[at].asked[report->tool_count] = true;
		if (sqlite3_column_type(statement, 1) == SQLITE_NULL)
			continue;
		report->cases[at].predicted[report->tool_count] =
			sqlite3_column_double(statement, 1);
		/*
		 * Only whole-run predictors remark on good figures; the one with branches is last.
		 */
		if (sqlite3_column_bytes(statement, 3) > 0)
			report->cases[at].bottleneck =
				takt_store_text(&report->arena, statement, 3);
	}
	return sqlite3_finalize(statement) == SQLITE_OK ? TAKT_OK : TAKT_BAD_INPUT;
}

static enum takt_status read_skipped(const struct takt_evaluation *evaluation,
				     struct takt_diag *diag, struct report *report)
{
	struct report_tool *tool = &report->tools[report->tool_count];
	sqlite3_stmt *statement = takt_store_query(
		evaluation, diag, "SELECT reason FROM skipped WHERE core = ? AND predictor = ?",
		"ss", report->core, tool->predictor->name);

	if (!statement)
		return TAKT_BAD_INPUT;
	if (takt_store_next(evaluation, diag, statement))
		tool->skipped = takt_store_text(&report->arena, statement, 0);
	return sqlite3_finalize(statement) == SQLITE_OK ? TAKT_OK : TAKT_BAD_INPUT;
}

/* Read the tools that were run, or skipped with a reason. */
static enum takt_status read_tools(const struct takt_evaluation *evaluation, struct takt_diag *diag,
				   struct report *report, const int64_t *ids)
{
	enum takt_status status = TAKT_OK;

	assert(takt_evaluate_predictor_count <= REPORT_TOOLS_MAX);
	for (size_t i = 0; status == TAKT_OK && i < takt_evaluate_predictor_count; i++) {
		struct report_tool *tool = &report->tools[report->tool_count];
		size_t count = 0;

		*tool = (struct report_tool){.predictor = &takt_evaluate_predictors[i]};
		status = read_tool(evaluation, diag, report, ids, &count);
		if (status == TAKT_OK && count == 0)
			status = read_skipped(evaluation, diag, report);
		report->tool_count += count > 0 || tool->skipped;
	}
	return status;
}

static enum takt_status read_coverage(const struct takt_evaluation *evaluation,
				      struct takt_diag *diag, struct report *report)
{
	sqlite3_stmt *statement = takt_store_query(
		evaluation, diag,
		"SELECT paths, entry_values, lifetime, sum(pairs), sum(found), sum(weight),"
		" sum(found_weight) FROM coverage GROUP BY 1, 2, 3",
		"");

	if (!statement)
		return TAKT_BAD_INPUT;
	while (takt_store_next(evaluation, diag, statement)) {
		int paths = sqlite3_column_int(statement, 0) != 0;
		int entries = sqlite3_column_int(statement, 1) != 0;
		int lifetime = sqlite3_column_int(statement, 2);

		if (lifetime < 0 || lifetime > EVALUATE_LIFETIMES)
			continue;
		report->coverage[paths][entries][lifetime] = (struct report_coverage){
			sqlite3_column_double(statement, 3), sqlite3_column_double(statement, 4),
			sqlite3_column_double(statement, 5), sqlite3_column_double(statement, 6)};
	}
	return sqlite3_finalize(statement) == SQLITE_OK ? TAKT_OK : TAKT_BAD_INPUT;
}

/* ---- summary ---- */

/* True if the case belongs to the full or the pruned set. */
static bool is_in_set(const struct report_case *one, enum report_set set)
{
	if (set == REPORT_STRICT)
		return one->miss_share <= MISS_SHARE_STRICT;
	return one->miss_share <= MISS_SHARE_MAX && (set == REPORT_FULL || !one->memory_bound);
}

const struct report_tool *report_tool(const struct report *report, const char *name)
{
	for (size_t i = 0; i < report->tool_count; i++)
		if (strcmp(report->tools[i].predictor->name, name) == 0)
			return &report->tools[i];
	return NULL;
}

static size_t index_of(const struct report *report, const struct report_tool *tool)
{
	return (size_t)(tool - report->tools);
}

static void find_memory_bound(struct report *report)
{
	const struct report_tool *with = report_tool(report, with_memory);
	const struct report_tool *without = report_tool(report, without_memory);

	for (size_t i = 0; with && without && i < report->case_count; i++) {
		struct report_case *one = &report->cases[i];

		one->memory_bound = one->predicted[index_of(report, with)] >=
				    MEMORY_BOUND * one->predicted[index_of(report, without)];
	}
}

static void sum_up(struct report *report, size_t tool, enum report_set set,
		   struct evaluate_pair *pairs)
{
	struct report_tool *own = &report->tools[tool];
	size_t count = 0;

	for (size_t i = 0; i < report->case_count; i++) {
		const struct report_case *one = &report->cases[i];

		if (!is_in_set(one, set) || !one->asked[tool])
			continue;
		own->asked += set == REPORT_FULL;
		if (isnan(one->predicted[tool]))
			own->failures += set == REPORT_FULL;
		else
			pairs[count++] =
				(struct evaluate_pair){one->measured, one->predicted[tool]};
	}
	own->errors[set] = takt_statistics_errors(pairs, count);
	takt_statistics_box(pairs, count, own->boxes[set], own->whiskers[set]);
}

/* Find what by-block tools could reach at most: the error if the nearest of them were known. */
static void find_best(struct report *report, struct evaluate_pair *pairs)
{
	size_t count = 0;

	for (size_t i = 0; i < report->case_count; i++) {
		const struct report_case *one = &report->cases[i];
		double best = NAN;

		for (size_t k = 0; k < report->tool_count; k++) {
			const struct evaluate_predictor *predictor = report->tools[k].predictor;
			double cycles = one->predicted[k];

			if (predictor->by_block && !predictor->host && !isnan(cycles) &&
			    (isnan(best) ||
			     fabs(cycles - one->measured) < fabs(best - one->measured)))
				best = cycles;
		}
		if (is_in_set(one, REPORT_FULL) && !isnan(best))
			pairs[count++] = (struct evaluate_pair){one->measured, best};
	}
	report->best = takt_statistics_errors(pairs, count);
}

/* ---- benchmarks that all tools predict badly ---- */

struct ranked {
	double error;
	uint32_t index;
};

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->error < b->error || a->error > b->error)
		return a->error > b->error ? -1 : 1;
	return a->index < b->index ? -1 : 1;
}

/* Add a mark to each case that is among the tool's worst; false if the tool has no predictions. */
static bool mark_worst(const struct report *report, const char *name, struct ranked *ranked,
		       uint32_t *marks)
{
	const struct report_tool *tool = report_tool(report, name);
	size_t count = 0;

	if (!tool || tool->skipped || tool->errors[REPORT_FULL].count == 0)
		return false;
	for (uint32_t i = 0; i < report->case_count; i++) {
		const struct report_case *one = &report->cases[i];
		double cycles = one->predicted[index_of(report, tool)];

		if (is_in_set(one, REPORT_FULL) && !isnan(cycles))
			ranked[count++] =
				(struct ranked){fabs(cycles - one->measured) / one->measured, i};
	}
	qsort(ranked, count, sizeof(*ranked), compare_ranked);
	for (size_t i = 0; i < count && i < report->worst_count; i++)
		marks[ranked[i].index]++;
	return true;
}

static void find_bad(struct report *report)
{
	struct ranked *ranked = TAKT_NEW_ARRAY(&report->arena, report->case_count, struct ranked);
	uint32_t *marks = TAKT_NEW_ARRAY(&report->arena, report->case_count, uint32_t), wanted = 0;
	const struct report_tool *paths = report_tool(report, with_memory);

	report->worst_count = (size_t)(WORST_SHARE * (double)report->set_counts[REPORT_FULL]);
	for (size_t i = 0; i < TAKT_COUNT_OF(jointly); i++)
		wanted += mark_worst(report, jointly[i], ranked, marks);
	report->bad = TAKT_NEW_ARRAY(&report->arena, report->case_count, uint32_t);
	for (uint32_t i = 0; wanted && paths && i < report->case_count; i++) {
		const struct report_case *one = &report->cases[i];

		if (marks[i] != wanted)
			continue;
		report->bad[report->bad_count++] = i;
		report->bad_under += one->predicted[index_of(report, paths)] < one->measured;
		report->bad_memory_bound += one->memory_bound;
	}
}

static enum takt_status read_report(const struct takt_evaluation *evaluation,
				    const struct takt_model *model, struct takt_diag *diag,
				    struct report *report)
{
	struct evaluate_pair *pairs;
	enum takt_status status;
	int64_t *ids = NULL;

	report->directory = evaluation->directory;
	report->core = takt_model_name(model);
	report->core_choice = takt_model_choice(model);
	report->core_doubt = takt_model_doubt(model);
	status = read_counts(evaluation, diag, report);
	if (status == TAKT_OK)
		status = read_cases(evaluation, diag, report, &ids);
	if (status == TAKT_OK)
		status = read_tools(evaluation, diag, report, ids);
	if (status == TAKT_OK)
		status = read_coverage(evaluation, diag, report);
	if (status != TAKT_OK)
		return status;
	find_memory_bound(report);
	pairs = TAKT_NEW_ARRAY(&report->arena, report->case_count, struct evaluate_pair);
	for (enum report_set set = 0; set < REPORT_SET_COUNT; set++) {
		for (size_t i = 0; i < report->case_count; i++)
			report->set_counts[set] += is_in_set(&report->cases[i], set);
		for (size_t i = 0; i < report->tool_count; i++)
			sum_up(report, i, set, pairs);
	}
	find_best(report, pairs);
	find_bad(report);
	return TAKT_OK;
}

enum takt_status takt_evaluation_write(const struct takt_evaluation *evaluation,
				       const struct takt_model *model,
				       enum takt_evaluation_format format, struct takt_diag *diag,
				       struct takt_text *text)
{
	static void (*const writers[])(const struct report *report, struct takt_text *text) = {
		[TAKT_EVALUATION_TEXT] = report_write_text,
		[TAKT_EVALUATION_JSON] = report_write_json,
		[TAKT_EVALUATION_SVG] = report_write_svg,
	};
	struct report report = {0};
	enum takt_status status = read_report(evaluation, model, diag, &report);

	if (status == TAKT_OK)
		writers[format](&report, text);
	takt_arena_release(&report.arena);
	return status;
}
