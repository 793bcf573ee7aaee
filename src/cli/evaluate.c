/* SPDX-License-Identifier: MIT */
/* takt evaluate: compares predictors with measurements, on whole kernels. */
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

static const struct {
	const char *name;
	bool (*run)(struct session *session);
	bool model, more; /* needs a core; takes further operands */
} steps[] = {
	{"build", build, false, false},	    {"count", count, false, false},
	{"measure", measure, false, false}, {"predict", predict, true, false},
	{"report", report, true, false},    {"merge", merge, false, true},
	{"all", all, true, false},
};

#define STEP_COUNT (sizeof(steps) / sizeof(steps[0]))

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
		   (arguments->operand_count > 2) != steps[i].more) {
		takt_say_error("a step and a directory are needed");
		i = STEP_COUNT;
	}
	if (i == STEP_COUNT)
		takt_say_note("'takt help evaluate' lists the steps");
	return i;
}

static bool run(struct session *session, size_t step)
{
	const struct takt_arguments *arguments = session->arguments;
	bool fine = !steps[step].model || takt_core_open(arguments->values[OPTION_EVALUATE_ARCH],
							 arguments->values[OPTION_EVALUATE_MODEL],
							 session->diag, &session->model);

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
	if (step == STEP_COUNT || !read_shard(arguments, &session.options))
		return TAKT_EXIT_USAGE;
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
