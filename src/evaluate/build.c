/* SPDX-License-Identifier: MIT */
/* Compiles benchmarks to shared libraries; keeps one of each code that gives the right result. */
#include <string.h>
#include <unistd.h>

#include "evaluate/evaluate.h"

#define COMPILE_SECONDS 120
#define CHECK_SECONDS 20
#define ARGUMENTS_MAX 64
#define REASON_BYTES_MAX 400

struct builder {
	struct takt_evaluation *evaluation;
	const char *runner;
	struct takt_arena arena; /* memory of one benchmark */
	struct takt_text output;
	struct takt_diag *diag;
	size_t tried, good; /* benchmarks */
	const char *reason; /* of the first that failed */
};

/* The result of building one benchmark, as the database stores it. */
struct outcome {
	const char *state, *reason;
	uint64_t hash;
	size_t size_bytes;
};

static struct outcome failed(struct builder *builder, const char *what)
{
	size_t size = builder->output.size_bytes;
	const char *said = takt_arena_copy(&builder->arena, takt_text_data(&builder->output),
					   size < REASON_BYTES_MAX ? size : REASON_BYTES_MAX);

	return (struct outcome){.state = "failed",
				.reason = takt_arena_printf(&builder->arena, "%s%s%s", what,
							    *said ? ": " : "", said)};
}

static size_t add_words(const char *text, struct takt_arena *arena, const char **argv, size_t count)
{
	while (*text && count < ARGUMENTS_MAX - 1) {
		size_t size = strcspn(text, " ");

		if (size > 0)
			argv[count++] = takt_arena_copy(arena, text, size);
		text += size + (text[size] == ' ');
	}
	return count;
}

static bool compile(struct builder *builder, const struct evaluate_benchmark *benchmark,
		    const char *path)
{
	const char *folder = builder->evaluation->kernels;
	const char *const common[] = {"-std=gnu17",	 "-w", "-fPIC", "-shared",
				      "-fno-math-errno", "-o", path};
	const char *argv[ARGUMENTS_MAX] = {benchmark->compiler->name};
	size_t count = 1;

	for (size_t i = 0; i < TAKT_COUNT_OF(common); i++)
		argv[count++] = common[i];
	for (size_t i = 0; benchmark->compiler->flags[i]; i++)
		argv[count++] = benchmark->compiler->flags[i];
	for (size_t i = 0; benchmark->strategy->flags[i]; i++)
		argv[count++] = benchmark->strategy->flags[i];
	count = add_words(benchmark->options, &builder->arena, argv, count);
	argv[count++] = takt_arena_printf(&builder->arena, "-I%s", folder); /* for kernel.h */
	argv[count++] = benchmark->source;
	argv[count++] = "-lm";
	argv[count] = NULL;
	return takt_program_run(argv, NULL, COMPILE_SECONDS, &builder->output) == 0;
}

/* Hash the code of the function `kernel`; false, reported, if there is none. */
static bool hash_code(struct builder *builder, const char *path, struct outcome *outcome)
{
	const struct takt_code_options options = {
		.path = path, .format = TAKT_INPUT_ELF, .function = "kernel", .whole = true};
	struct takt_code *code;
	const struct takt_region *region;

	if (takt_code_open(&options, builder->diag, &code) != TAKT_OK)
		return false;
	region = takt_code_region(code, 0);
	/* SQLite's integers have a sign. */
	outcome->hash = takt_hash_bytes(region->bytes, region->size_bytes) >> 1;
	outcome->size_bytes = region->size_bytes;
	takt_code_close(code);
	return true;
}

static struct outcome build_one(struct builder *builder, const struct evaluate_benchmark *benchmark,
				const char *path)
{
	const char *const check[] = {builder->runner, path, "check", NULL};
	struct outcome outcome = {.state = "built", .reason = ""};

	if (!compile(builder, benchmark, path))
		return failed(builder, "does not compile");
	if (takt_program_run(check, NULL, CHECK_SECONDS, &builder->output) != 0)
		return failed(builder, "wrong result");
	if (!hash_code(builder, path, &outcome)) {
		takt_text_add_string(&builder->output, takt_diag_text(builder->diag));
		takt_diag_clear(builder->diag);
		return failed(builder, "no kernel");
	}
	return outcome;
}

/*
 * Store the outcome. Of benchmarks with equal code only the first is "built", others are "same".
 * Part I of N stores ids that are I modulo N, by which the later stages find their part, whether
 * the parts share a directory or have one each.
 */
static enum takt_status note(struct builder *builder, const struct evaluate_benchmark *benchmark,
			     const char *file, const struct outcome *outcome)
{
	static const char insert[] =
		"INSERT OR REPLACE INTO benchmark (id, kernel, compiler, strategy, options, state,"
		" reason, file, hash, size_bytes) SELECT (SELECT (coalesce(max(id), 0) + ?10 - ?11)"
		" / ?10 * ?10 + ?11 FROM benchmark), ?1, ?2, ?3, ?4, CASE WHEN ?5 = 'built' AND"
		" EXISTS (SELECT 1 FROM benchmark WHERE kernel = ?1 AND hash = ?8 AND"
		" state = 'built') THEN 'same' ELSE ?5 END, ?6, ?7, ?8, ?9";

	return takt_store_run(
		builder->evaluation, builder->diag, insert, "sssssssiiii", benchmark->kernel,
		benchmark->compiler->name, benchmark->strategy->name, benchmark->options,
		outcome->state, outcome->reason, file, (int64_t)outcome->hash,
		(int64_t)outcome->size_bytes, (int64_t)builder->evaluation->shard_count,
		(int64_t)builder->evaluation->shard);
}

static bool is_known(const struct builder *builder, const struct evaluate_benchmark *benchmark)
{
	sqlite3_stmt *statement = takt_store_query(
		builder->evaluation, builder->diag,
		"SELECT 1 FROM benchmark WHERE kernel = ? AND compiler = ? AND strategy = ? AND"
		" options = ?",
		"ssss", benchmark->kernel, benchmark->compiler->name, benchmark->strategy->name,
		benchmark->options);
	bool known = takt_store_next(builder->evaluation, builder->diag, statement);

	sqlite3_finalize(statement);
	return known;
}

/* Name the library after the options that it is built with, so every machine uses the same name. */
static const char *file_of(const struct evaluate_benchmark *benchmark, struct takt_arena *arena)
{
	const char *all = takt_arena_printf(arena, "%s %s %s", benchmark->compiler->name,
					    benchmark->strategy->name, benchmark->options);

	return takt_arena_printf(arena, "bin/%s-%016llx.so", benchmark->kernel,
				 (unsigned long long)takt_hash_bytes(all, strlen(all)));
}

static enum takt_status build(struct builder *builder, const struct evaluate_benchmark *benchmark)
{
	struct takt_arena *arena = &builder->arena;
	const char *file, *path;
	struct outcome outcome;

	takt_arena_clear(arena);
	takt_text_clear(&builder->output);
	file = file_of(benchmark, arena);
	path = takt_arena_printf(arena, "%s/%s", builder->evaluation->directory, file);
	outcome = build_one(builder, benchmark, path);
	builder->tried++;
	builder->good += !*outcome.reason;
	if (*outcome.reason && !builder->reason)
		builder->reason = takt_arena_string(&builder->evaluation->arena, outcome.reason);
	return note(builder, benchmark, file, &outcome);
}

/* Build DIR/run, the program that calls kernels, from run.c in the folder of the kernels. */
static enum takt_status build_runner(struct builder *builder)
{
	struct takt_evaluation *evaluation = builder->evaluation;
	const char *source = takt_arena_printf(&evaluation->arena, "%s/run.c", evaluation->kernels);
	const char *const argv[] = {"gcc", "-O2", "-o", builder->runner, source, NULL};

	if (takt_program_run(argv, NULL, COMPILE_SECONDS, &builder->output) == 0)
		return TAKT_OK;
	takt_error(builder->diag, "%s: %s", source, takt_text_data(&builder->output));
	return TAKT_BAD_INPUT;
}

static enum takt_status build_all(struct builder *builder,
				  const struct evaluate_benchmark *benchmarks, size_t count)
{
	struct takt_evaluation *evaluation = builder->evaluation;
	enum takt_status status = build_runner(builder);

	for (size_t i = 0; status == TAKT_OK && i < count; i++) {
		if (i % evaluation->shard_count != evaluation->shard - 1 ||
		    !takt_program_exists(benchmarks[i].compiler->name) ||
		    is_known(builder, &benchmarks[i]))
			continue;
		status = build(builder, &benchmarks[i]);
		takt_evaluate_say(evaluation, "build %zu of %zu: %s", i + 1, count,
				  benchmarks[i].kernel);
	}
	return status;
}

static enum takt_status drop_equals(struct builder *builder)
{
	struct takt_evaluation *evaluation = builder->evaluation;
	sqlite3_stmt *statement = takt_store_query(
		evaluation, builder->diag, "SELECT file FROM benchmark WHERE state <> 'built'", "");

	if (!statement)
		return TAKT_BAD_INPUT;
	while (takt_store_next(evaluation, builder->diag, statement)) {
		const char *file = takt_store_text(&evaluation->arena, statement, 0);

		unlink(takt_arena_printf(&evaluation->arena, "%s/%s", evaluation->directory, file));
	}
	return sqlite3_finalize(statement) == SQLITE_OK ? TAKT_OK : TAKT_BAD_INPUT;
}

/*
 * Refuse a kernel of the user's own that cannot be used at all, and forget its failures, so that
 * it is tried again once it is mended.
 */
static enum takt_status check_own(const struct builder *builder, const char *kernel)
{
	const char *file = builder->evaluation->kernel;

	if (!file || !builder->tried || builder->good)
		return TAKT_OK;
	takt_error(builder->diag, "no benchmark of '%s' can be used: %s", file, builder->reason);
	takt_note(builder->diag, "kernel.h says what a kernel's file has");
	if (takt_store_run(builder->evaluation, builder->diag,
			   "DELETE FROM benchmark WHERE kernel = ? AND state = 'failed'", "s",
			   kernel) != TAKT_OK)
		takt_note(builder->diag, "name another DIR next time");
	return TAKT_BAD_INPUT;
}

enum takt_status takt_evaluation_build(struct takt_evaluation *evaluation, struct takt_diag *diag)
{
	struct builder builder = {.evaluation = evaluation, .diag = diag};
	struct evaluate_benchmark *benchmarks;
	enum takt_status status;
	size_t count;

	if (!evaluation->kernels) {
		takt_error(diag, "no kernels");
		takt_note(diag, "'--kernels=DIR' says where they are");
		return TAKT_BAD_INPUT;
	}
	status = takt_kernels_list(evaluation, diag, &benchmarks, &count);
	if (status != TAKT_OK)
		return status;
	builder.runner = takt_arena_printf(&evaluation->arena, "%s/run", evaluation->directory);
	takt_arena_init(&builder.arena);
	takt_text_init(&builder.output);
	status = build_all(&builder, benchmarks, count);
	if (status == TAKT_OK)
		status = drop_equals(&builder);
	if (status == TAKT_OK)
		status = check_own(&builder, count ? benchmarks[0].kernel : "");
	takt_text_release(&builder.output);
	takt_arena_release(&builder.arena);
	return status;
}
