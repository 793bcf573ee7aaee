/* SPDX-License-Identifier: MIT */
/* takt evaluate: compares predictors with measurements, on whole kernels. */
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command_docs.h"
#include "takt-lab/evaluate.h"

#define SHARDS_MAX 100000
#define KERNEL_LINES_MAX 10000 /* of a kernel's source that a report shows */

/* The state of one run of the command. */
struct session {
	const struct takt_arguments *arguments;
	struct takt_evaluation_options options;
	struct takt_evaluation *evaluation;
	struct takt_model *model; /* opened for the stages that need a core */
	struct takt_diag *diag;
};

/* ---- the stages ---- */

static bool build(struct session *session)
{
	return takt_evaluation_build(session->evaluation, session->diag) == TAKT_OK;
}

static bool count(struct session *session)
{
	return takt_evaluation_count(session->evaluation, session->diag) == TAKT_OK;
}

static bool measure(struct session *session)
{
	return takt_evaluation_measure(session->evaluation, session->diag) == TAKT_OK;
}

static bool predict(struct session *session)
{
	return takt_evaluation_predict(session->evaluation, session->model, session->diag) ==
	       TAKT_OK;
}

static bool merge(struct session *session)
{
	for (size_t i = 2; i < session->arguments->operand_count; i++)
		if (takt_evaluation_merge(session->evaluation, session->arguments->operands[i],
					  session->diag) != TAKT_OK)
			return false;
	return true;
}

/* Append the sources of all kernels in `--kernels` as takt_write_sources_json() does. */
static void add_kernels(const char *directory, struct takt_text *text)
{
	size_t size = strlen(directory) + sizeof("/*.c");
	char *pattern = takt_allocate(size, 1);
	struct takt_source_place *places;
	glob_t found = {0};

	snprintf(pattern, size, "%s/*.c", directory);
	if (glob(pattern, 0, NULL, &found) != 0)
		found.gl_pathc = 0;
	places = takt_allocate(found.gl_pathc + 1, sizeof(*places));
	for (size_t i = 0; i < found.gl_pathc; i++)
		places[i] = (struct takt_source_place){found.gl_pathv[i], 1};
	takt_write_sources_json(places, found.gl_pathc, KERNEL_LINES_MAX, text);
	free(places);
	globfree(&found);
	free(pattern);
}

/* Replace the JSON by a page, with the sources of kernels if their directory is known. */
static void make_page(const struct session *session, struct takt_text **text)
{
	const char *kernels = session->options.kernels;
	struct takt_text *sources = takt_text_new();

	if (kernels)
		add_kernels(kernels, sources);
	takt_page_wrap((struct takt_page){.kind = "evaluate",
					  .sources = kernels ? takt_text_data(sources) : NULL},
		       text);
	takt_text_free(sources);
}

/* Return the format: that of '--format', or else of the ending of the file, or else text. */
static enum takt_evaluation_format find_format(const struct takt_arguments *arguments)
{
	static const enum takt_evaluation_format formats[] = {
		TAKT_EVALUATION_TEXT, TAKT_EVALUATION_JSON, TAKT_EVALUATION_SVG,
		TAKT_EVALUATION_JSON};

	return formats[takt_arguments_choice(arguments, OPTION_EVALUATE_FORMAT)];
}

static bool report(struct session *session)
{
	const struct takt_arguments *arguments = session->arguments;
	const char *path = arguments->values[OPTION_EVALUATE_OUTPUT];
	struct takt_text *text = takt_text_new();
	bool fine;

	fine = takt_evaluation_write(session->evaluation, session->model, find_format(arguments),
				     session->diag, text) == TAKT_OK;
	if (fine && takt_arguments_html(arguments, OPTION_EVALUATE_FORMAT))
		make_page(session, &text);
	fine = fine && takt_output_write(path, text);
	takt_text_free(text);
	return fine;
}

static bool all(struct session *session)
{
	return build(session) && count(session) && measure(session) && predict(session) &&
	       report(session);
}

/* Options that only some steps have a use for. */
enum step_options {
	OF_BUILD = 1 << 0,
	OF_RUN = 1 << 1, /* count and measure */
	OF_PREDICT = 1 << 2,
	OF_REPORT = 1 << 3,
	OF_MERGE = 1 << 4,
	OF_ALL = OF_BUILD | OF_RUN | OF_PREDICT | OF_REPORT,
};

static const struct {
	unsigned id, steps;
} step_options[] = {
	{OPTION_EVALUATE_KERNELS, OF_BUILD | OF_REPORT},
	{OPTION_EVALUATE_KERNEL, OF_BUILD},
	{OPTION_EVALUATE_SMALL, OF_BUILD},
	{OPTION_EVALUATE_SHARD, OF_BUILD | OF_RUN | OF_PREDICT},
	{OPTION_EVALUATE_PREDICTOR, OF_PREDICT},
	{OPTION_EVALUATE_AGAIN, OF_PREDICT},
	{OPTION_EVALUATE_ARCH, OF_PREDICT | OF_REPORT},
	{OPTION_EVALUATE_MODEL, OF_PREDICT | OF_REPORT},
	{OPTION_EVALUATE_FORMAT, OF_REPORT},
	{OPTION_EVALUATE_OUTPUT, OF_REPORT},
};

static const struct {
	const char *name;
	bool (*run)(struct session *session);
	unsigned options; /* some of enum step_options */
	bool begins;	  /* may begin a directory of results */
} steps[] = {
	{"build", build, OF_BUILD, true},     {"count", count, OF_RUN, false},
	{"measure", measure, OF_RUN, false},  {"predict", predict, OF_PREDICT, false},
	{"report", report, OF_REPORT, false}, {"merge", merge, OF_MERGE, true},
	{"all", all, OF_ALL, true},
};

#define STEP_COUNT TAKT_COUNT_OF(steps)

/* ---- the command line ---- */

/* Show progress on one line, which is overwritten. */
static void show_progress(void *context, const char *line)
{
	(void)context;
	fprintf(stderr, "\r%-60.60s\r", line);
}

static bool read_shard(const struct takt_arguments *arguments,
		       struct takt_evaluation_options *options)
{
	const char *value = arguments->values[OPTION_EVALUATE_SHARD];
	unsigned long shard, shards = 0;
	char *end;

	if (!value)
		return true;
	shard = strtoul(value, &end, 10);
	if (*end == '/')
		shards = strtoul(end + 1, &end, 10);
	if (*end == '\0' && shard >= 1 && shard <= shards && shards <= SHARDS_MAX) {
		options->shard = (uint32_t)shard;
		options->shard_count = (uint32_t)shards;
		return true;
	}
	return takt_say_error(
		"'--shard' needs a part and the number of parts such as '2/8', not '%s'", value);
}

static size_t find_step(const struct takt_arguments *arguments)
{
	const char *names[STEP_COUNT];
	size_t i;

	for (i = 0; i < STEP_COUNT; i++) {
		names[i] = steps[i].name;
		if (arguments->operand_count && strcmp(arguments->operands[0], names[i]) == 0)
			break;
	}
	if (i == STEP_COUNT && arguments->operand_count) {
		takt_say_error("unknown step '%s'", arguments->operands[0]);
		takt_say_nearest(arguments->operands[0], names, STEP_COUNT);
	} else if (arguments->operand_count < 2 ||
		   (arguments->operand_count > 2) != (steps[i].options == OF_MERGE)) {
		takt_say_error("a step and a directory are needed");
		i = STEP_COUNT;
	}
	if (i == STEP_COUNT)
		takt_say_note("'takt help evaluate' lists the steps");
	return i;
}

/* Refuse options that the step would ignore. */
static bool all_have_effect(const struct takt_arguments *arguments, size_t step)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(step_options); i++) {
		unsigned id = step_options[i].id;

		if (!arguments->values[id] || step_options[i].steps & steps[step].options)
			continue;
		takt_say_error("'takt evaluate %s' has no use for '%s'", steps[step].name,
			       arguments->typed[id]);
		return takt_say_note("leave out '%s'", arguments->typed[id]);
	}
	return true;
}

/* Report a directory without results, which opening it would begin. */
static bool has_results(const char *directory)
{
	size_t size = strlen(directory) + sizeof("/results.db");
	char *path = takt_allocate(size, 1);
	bool has;

	snprintf(path, size, "%s/results.db", directory);
	has = access(path, F_OK) == 0 || errno != ENOENT;
	free(path);
	if (has)
		return true;
	takt_say_error("'%s' has no results", directory);
	return takt_say_note("'takt evaluate build %s --kernels=KERNELS' begins them", directory);
}

static bool are_begun(const struct takt_arguments *arguments, size_t step)
{
	for (size_t i = steps[step].begins ? 2 : 1; i < arguments->operand_count; i++)
		if (!has_results(arguments->operands[i]))
			return false;
	return true;
}

static bool run(struct session *session, size_t step)
{
	const struct takt_arguments *arguments = session->arguments;
	bool fine = !(steps[step].options & (OF_PREDICT | OF_REPORT)) ||
		    takt_core_open(arguments->values[OPTION_EVALUATE_ARCH],
				   arguments->values[OPTION_EVALUATE_MODEL], session->diag,
				   &session->model);

	fine = fine && takt_evaluation_open(&session->options, session->diag,
					    &session->evaluation) == TAKT_OK;
	fine = fine && steps[step].run(session);
	takt_evaluation_close(session->evaluation);
	takt_model_close(session->model);
	return fine;
}

int takt_evaluate_main(struct takt_arguments *arguments)
{
	struct session session = {.arguments = arguments};
	size_t step;
	bool fine;

	takt_arguments_take_format(arguments, OPTION_EVALUATE_FORMAT, OPTION_EVALUATE_OUTPUT);
	step = find_step(arguments);
	if (step == STEP_COUNT || !all_have_effect(arguments, step) ||
	    !read_shard(arguments, &session.options))
		return TAKT_EXIT_USAGE;
	if (!are_begun(arguments, step))
		return TAKT_EXIT_BAD;
	session.options.directory = arguments->operands[1];
	session.options.kernels = arguments->values[OPTION_EVALUATE_KERNELS];
	session.options.kernel = arguments->values[OPTION_EVALUATE_KERNEL];
	session.options.predictor = arguments->values[OPTION_EVALUATE_PREDICTOR];
	session.options.again = arguments->values[OPTION_EVALUATE_AGAIN] != NULL;
	session.options.small = arguments->values[OPTION_EVALUATE_SMALL] != NULL;
	if (isatty(STDERR_FILENO) && !arguments->values[OPTION_EVALUATE_QUIET])
		session.options.progress = show_progress;
	session.diag = takt_diag_new();
	fine = run(&session, step);
	takt_say_diag(session.diag);
	takt_diag_free(session.diag);
	return fine ? TAKT_EXIT_FINE : TAKT_EXIT_BAD;
}
