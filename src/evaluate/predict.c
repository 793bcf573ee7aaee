/* SPDX-License-Identifier: MIT */
/* Runs all predictors on all kernels; benchmarks that have a prediction already are left out. */
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "evaluate/evaluate.h"

/* Return the CPU time of this process and of the children it waited for. */
static double cpu_seconds(void)
{
	static const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
	double sum = 0;

	for (size_t i = 0; i < TAKT_COUNT_OF(whose); i++) {
		struct rusage usage;

		getrusage(whose[i], &usage);
		sum += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
	}
	return sum;
}

/* ---- dependences ---- */

static enum takt_status store_coverage(const struct takt_evaluation *evaluation,
				       struct takt_diag *diag, int64_t id,
				       const struct evaluate_code *code, bool paths, bool entries)
{
	struct evaluate_coverage coverage;
	enum takt_status status = TAKT_OK;

	takt_coverage_find(code, paths, entries, &coverage);
	for (int i = 0; status == TAKT_OK && i <= EVALUATE_LIFETIMES; i++)
		status = takt_store_run(
			evaluation, diag,
			"INSERT OR REPLACE INTO coverage VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			"iiiiiidd", id, (int64_t)paths, (int64_t)entries, (int64_t)i,
			(int64_t)coverage.pairs[i], (int64_t)coverage.found[i], coverage.weight[i],
			coverage.found_weight[i]);
	return status;
}

static enum takt_status cover_one(const struct takt_evaluation *evaluation,
				  struct evaluate_code *code, int64_t id, struct takt_diag *diag)
{
	enum takt_status status = TAKT_OK;

	if (!takt_code_load(evaluation, diag, id, code) ||
	    !takt_code_load_dynamics(evaluation, diag, id, code))
		return TAKT_BAD_INPUT;
	for (int i = 0; status == TAKT_OK && i < 4; i++)
		status = store_coverage(evaluation, diag, id, code, i & 1, i & 2);
	return status;
}

static enum takt_status cover_all(struct takt_evaluation *evaluation, struct evaluate_code *code,
				  struct takt_diag *diag)
{
	sqlite3_stmt *statement = takt_store_query(
		evaluation, diag,
		"SELECT run.benchmark FROM run JOIN benchmark ON id = run.benchmark WHERE"
		" run.reason = '' AND state = 'built' AND (id - 1) % ? = ? AND id NOT IN"
		" (SELECT benchmark FROM coverage) ORDER BY id",
		"ii", (int64_t)evaluation->shard_count, (int64_t)evaluation->shard - 1);
	enum takt_status status;
	int64_t *ids;
	size_t count;

	status = takt_store_list(evaluation, diag, statement, &ids, &count);
	for (size_t i = 0; status == TAKT_OK && i < count; i++) {
		status = takt_store_run(evaluation, diag, "BEGIN", "");
		if (status == TAKT_OK)
			status = cover_one(evaluation, code, ids[i], diag);
		if (takt_store_run(evaluation, diag, "COMMIT", "") != TAKT_OK)
			status = TAKT_BAD_INPUT;
		takt_evaluate_say(evaluation, "dependences %zu of %zu", i + 1, count);
	}
	return status;
}

/* ---- predicted cycles ---- */

static enum takt_status predict_one(const struct takt_evaluation *evaluation,
				    const struct evaluate_predictor *predictor,
				    struct evaluate_code *code, int64_t id, struct takt_diag *diag)
{
	const char *remark = "";
	double cycles, start;

	if (!takt_code_load(evaluation, diag, id, code))
		return TAKT_BAD_INPUT;
	start = cpu_seconds();
	cycles = predictor->predict(predictor, code, &remark);
	return takt_store_run(evaluation, diag,
			      "INSERT OR REPLACE INTO prediction VALUES (?, ?, ?, ?, ?, ?)",
			      "issdds", id, takt_model_name(code->model), predictor->name, cycles,
			      cpu_seconds() - start, remark);
}

static enum takt_status predict_all(struct takt_evaluation *evaluation,
				    const struct evaluate_predictor *predictor,
				    struct evaluate_code *code, struct takt_diag *diag)
{
	sqlite3_stmt *statement = takt_store_query(
		evaluation, diag,
		"SELECT run.benchmark FROM run JOIN benchmark ON id = run.benchmark WHERE"
		" run.reason = '' AND state = 'built' AND (id - 1) % ? = ? AND NOT EXISTS (SELECT "
		"1 FROM"
		" prediction WHERE benchmark = id AND core = ? AND predictor = ?) ORDER BY id",
		"iiss", (int64_t)evaluation->shard_count, (int64_t)evaluation->shard - 1,
		takt_model_name(code->model), predictor->name);
	enum takt_status status;
	int64_t *ids;
	size_t count;

	status = takt_store_list(evaluation, diag, statement, &ids, &count);
	for (size_t i = 0; status == TAKT_OK && i < count; i++) {
		status = predict_one(evaluation, predictor, code, ids[i], diag);
		takt_evaluate_say(evaluation, "%s %zu of %zu", predictor->name, i + 1, count);
	}
	return status;
}

/* ---- predictors ---- */

/* Return why a predictor cannot be run; NULL: it can. */
static const char *reason_to_skip(const struct evaluate_predictor *predictor,
				  const struct takt_model *model, const struct takt_model *host,
				  struct takt_arena *arena)
{
	if (predictor->program && !takt_program_exists(predictor->program))
		return takt_arena_printf(arena, "'%s' is not installed", predictor->program);
	if (predictor->host &&
	    (!host || strcmp(takt_model_name(host), takt_model_name(model)) != 0))
		return "this machine is another core";
	return NULL;
}

static enum takt_status ask(struct takt_evaluation *evaluation,
			    const struct evaluate_predictor *predictor,
			    const struct takt_model *model, struct takt_arena *arena,
			    struct takt_diag *diag)
{
	struct takt_predictor *own[TAKT_LINE_BYTES] = {0};
	struct takt_measurer *bench = NULL;
	struct evaluate_code code = {
		.arena = arena,
		.model = model,
		.own = own,
		.bench = &bench,
		.runner = takt_arena_printf(&evaluation->arena, "%s/run", evaluation->directory),
		.scratch = takt_arena_printf(&evaluation->arena, "%s/block-%d",
					     evaluation->directory, (int)getpid()),
	};
	enum takt_status status = predict_all(evaluation, predictor, &code, diag);

	for (size_t i = 0; i < TAKT_LINE_BYTES; i++)
		takt_predictor_free(own[i]);
	takt_measurer_close(bench);
	return status;
}

/* Delete a predictor's predictions for a core, of this shard. */
static enum takt_status forget(struct takt_evaluation *evaluation,
			       const struct evaluate_predictor *predictor,
			       const struct takt_model *model, struct takt_diag *diag)
{
	return takt_store_run(evaluation, diag,
			      "DELETE FROM prediction WHERE core = ? AND predictor = ? AND"
			      " (benchmark - 1) % ? = ?",
			      "ssii", takt_model_name(model), predictor->name,
			      (int64_t)evaluation->shard_count, (int64_t)evaluation->shard - 1);
}

static bool is_wanted(const struct takt_evaluation *evaluation,
		      const struct evaluate_predictor *predictor)
{
	return !evaluation->predictor || strcmp(evaluation->predictor, predictor->name) == 0;
}

static bool is_any_wanted(const struct takt_evaluation *evaluation, struct takt_diag *diag)
{
	for (size_t i = 0; i < takt_evaluate_predictor_count; i++)
		if (is_wanted(evaluation, &takt_evaluate_predictors[i]))
			return true;
	takt_error(diag, "unknown predictor '%s'", evaluation->predictor);
	for (size_t i = 0; i < takt_evaluate_predictor_count; i++)
		takt_note(diag, "'%s' is one", takt_evaluate_predictors[i].name);
	return false;
}

static enum takt_status ask_all(struct takt_evaluation *evaluation, const struct takt_model *model,
				const struct takt_model *host, struct takt_arena *arena,
				struct takt_diag *diag)
{
	enum takt_status status = TAKT_OK;

	for (size_t i = 0; status == TAKT_OK && i < takt_evaluate_predictor_count; i++) {
		const struct evaluate_predictor *predictor = &takt_evaluate_predictors[i];
		const char *reason = reason_to_skip(predictor, model, host, &evaluation->arena);

		if (!is_wanted(evaluation, predictor))
			continue;
		if (evaluation->again && !reason)
			status = forget(evaluation, predictor, model, diag);
		if (status != TAKT_OK)
			break;
		status = takt_store_run(evaluation, diag,
					reason ? "INSERT OR REPLACE INTO skipped VALUES (?, ?, ?)"
					       : "DELETE FROM skipped WHERE core = ? AND"
						 " predictor = ? AND ? IS NULL",
					"sss", takt_model_name(model), predictor->name, reason);
		if (status == TAKT_OK && !reason)
			status = ask(evaluation, predictor, model, arena, diag);
	}
	return status;
}

enum takt_status takt_evaluation_predict(struct takt_evaluation *evaluation,
					 const struct takt_model *model, struct takt_diag *diag)
{
	struct takt_arena arena = {0};
	struct evaluate_code code = {.arena = &arena};
	struct takt_model *host = NULL;
	struct takt_diag *unheard = takt_diag_new();
	enum takt_status status = TAKT_BAD_INPUT;

	if (is_any_wanted(evaluation, diag))
		status = cover_all(evaluation, &code, diag);

	/* The host's core may be unknown: that is no error here. */
	if (takt_model_open("host", NULL, unheard, &host) != TAKT_OK)
		host = NULL;
	if (status == TAKT_OK)
		status = ask_all(evaluation, model, host, &arena, diag);
	takt_diag_free(unheard);
	takt_model_close(host);
	takt_arena_release(&arena);
	return status;
}
