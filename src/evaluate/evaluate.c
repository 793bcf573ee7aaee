/* SPDX-License-Identifier: MIT */
/* The public interface of evaluations: opening, closing, progress, and merging of databases. */
#include <stdlib.h>

#include "evaluate/evaluate.h"

void takt_evaluate_say(const struct takt_evaluation *evaluation, const char *format, ...)
{
	struct takt_text line = {0};
	va_list args;

	if (!evaluation->progress)
		return;
	va_start(args, format);
	takt_text_vprintf(&line, format, args);
	va_end(args);
	evaluation->progress(evaluation->context, takt_text_data(&line));
	takt_text_release(&line);
}

enum takt_status takt_evaluation_open(const struct takt_evaluation_options *options,
				      struct takt_diag *diag,
				      struct takt_evaluation **ret_evaluation)
{
	struct takt_evaluation *evaluation = takt_xcalloc(1, sizeof(*evaluation));

	evaluation->directory = takt_arena_string(&evaluation->arena, options->directory);
	if (options->kernels)
		evaluation->kernels = takt_arena_string(&evaluation->arena, options->kernels);
	if (options->kernel)
		evaluation->kernel = takt_arena_string(&evaluation->arena, options->kernel);
	evaluation->shard = options->shard_count ? options->shard : 1;
	evaluation->shard_count = options->shard_count ? options->shard_count : 1;
	if (options->predictor)
		evaluation->predictor = takt_arena_string(&evaluation->arena, options->predictor);
	evaluation->small = options->small;
	evaluation->again = options->again;
	evaluation->progress = options->progress;
	evaluation->context = options->context;
	if (takt_store_open(evaluation, diag) != TAKT_OK) {
		takt_evaluation_close(evaluation);
		return TAKT_BAD_INPUT;
	}
	*ret_evaluation = evaluation;
	return TAKT_OK;
}

void takt_evaluation_close(struct takt_evaluation *evaluation)
{
	if (!evaluation)
		return;
	takt_store_close(evaluation);
	takt_arena_release(&evaluation->arena);
	free(evaluation);
}

enum takt_status takt_evaluation_merge(struct takt_evaluation *evaluation, const char *directory,
				       struct takt_diag *diag)
{
	/*
	 * Benchmarks are matched by name, since each database has its own numbers; rows that are
	 * there already stay. The results of one run are copied as a whole, or not at all.
	 */
	static const char *const steps[] = {
		"BEGIN",
		"INSERT OR IGNORE INTO benchmark (kernel, compiler, strategy, options, state,"
		" reason, file, hash, size_bytes) SELECT kernel, compiler, strategy, options,"
		" state, reason, file, hash, size_bytes FROM other.benchmark",
		"CREATE TEMP TABLE pair AS SELECT here.id AS here, there.id AS there"
		" FROM benchmark here JOIN other.benchmark there USING (kernel, compiler, strategy,"
		" options) WHERE here.hash IS there.hash AND here.state = 'built'",
		"CREATE TEMP TABLE fresh AS SELECT * FROM pair WHERE here NOT IN"
		" (SELECT benchmark FROM main.run)",
		"INSERT INTO run SELECT here, insns, reason, accesses, misses, base FROM other.run"
		" JOIN fresh ON there = benchmark",
		"INSERT INTO block SELECT here, offset, code, executions FROM other.block"
		" JOIN fresh ON there = benchmark",
		"INSERT INTO edge SELECT here, source, target, executions FROM other.edge"
		" JOIN fresh ON there = benchmark",
		"INSERT INTO dependence SELECT here, writer, reader, count, count_1024, count_512,"
		" count_own FROM other.dependence JOIN fresh ON there = benchmark",
		"INSERT INTO entry SELECT here, offset, register, value FROM other.entry"
		" JOIN fresh ON there = benchmark",
		"INSERT OR IGNORE INTO coverage SELECT here, paths, entry_values, lifetime, pairs,"
		" found, weight, found_weight FROM other.coverage JOIN pair ON there = benchmark",
		/* A disturbed measurement is replaced: it may have been repeated since. */
		"INSERT OR REPLACE INTO measurement SELECT here, status, cycles, spread, repeats,"
		" clock, cpu FROM other.measurement JOIN pair ON there = benchmark WHERE NOT EXISTS"
		" (SELECT 1 FROM main.measurement WHERE benchmark = here AND status = 'ok')",
		"INSERT OR IGNORE INTO prediction SELECT here, core, predictor, cycles, seconds,"
		" remark FROM other.prediction JOIN pair ON there = benchmark",
		"INSERT OR IGNORE INTO skipped SELECT * FROM other.skipped",
		"DROP TABLE pair",
		"DROP TABLE fresh",
		"COMMIT",
	};
	const char *path = takt_arena_printf(&evaluation->arena, "%s/results.db", directory);
	enum takt_status status;

	/* ATTACH would create an empty database. */
	struct takt_file file;

	status = takt_file_open(path, diag, &file);
	if (status != TAKT_OK)
		return status;
	takt_file_close(&file);
	status = takt_store_attach(evaluation, path, diag);
	if (status == TAKT_OK)
		status = takt_store_check_cpu(evaluation, diag, NULL);
	for (size_t i = 0; status == TAKT_OK && i < TAKT_COUNT_OF(steps); i++)
		status = takt_store_run(evaluation, diag, steps[i], "");
	if (status == TAKT_OK)
		status = takt_store_run(evaluation, diag, "DETACH other", "");
	return status;
}
