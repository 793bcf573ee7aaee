/* SPDX-License-Identifier: MIT */
/*
 * Checks the rows of instructions: a survey of the machine is compared with one of the simulator
 * playing the core as it is known so far. Rows are corrected by the differences.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "learn/learn.h"
#include "takt-lab/characterize.h"

#define TAG "here"

/* The forms that are checked in a quick run: the most frequent ones, and usual vector code. */
static const char *const quick_forms[] = {
#define FORM(text) text,
#include "learn/forms.def"
#undef FORM
};

static bool tell(void *context, const struct takt_lab_progress *progress)
{
	return learn_step(context, progress->subject, progress->done, progress->total,
			  progress->form);
}

/*
 * Survey the forms with this lab into a database; those that it has already are not repeated.
 * `expected` is a survey of the simulator playing `model`, whose figures are to be confirmed, or
 * NULL.
 */
static enum takt_status survey(struct learn *learn, const struct takt_lab_options *lab_options,
			       const struct takt_model *model, const char *path,
			       const char *expected)
{
	const char *names[TAKT_COUNT_OF(quick_forms)];
	struct takt_survey_options options = {.path = path,
					      .plain = true,
					      .forms = learn->options->forms,
					      .expected = expected,
					      .expected_of = expected ? model : NULL,
					      .certain_only = true};
	struct takt_lab *lab;
	enum takt_status status = takt_lab_open(lab_options, learn->diag, &lab);

	if (status != TAKT_OK)
		return status;
	if (!learn->options->full) {
		memcpy(names, quick_forms, sizeof(names));
		qsort(names, TAKT_COUNT_OF(names), sizeof(*names), takt_compare_strings);
		options.names = names;
		options.name_count = TAKT_COUNT_OF(names);
	}
	status = takt_survey(lab, &options, learn->diag);
	takt_lab_close(lab);
	return status;
}

/* Survey the machine; what the hypothesis says of a form is confirmed in the shortest way. */
static enum takt_status survey_machine(struct learn *learn, const struct takt_model *model,
				       const char *path, const char *hypothesis)
{
	const struct takt_lab_options options = {.machine = "host",
						 .played = learn->options->played,
						 .time_only = true,
						 .without_variants = true,
						 .classes = learn->options->full,
						 .noise = learn->options->noise,
						 .seed = learn->options->seed,
						 .progress = tell,
						 .context = learn};

	return survey(learn, &options, model, path, hypothesis);
}

/* Survey the core as it is known so far; the database is made anew. */
static enum takt_status survey_hypothesis(struct learn *learn, const struct takt_model *model,
					  const char *path)
{
	const struct takt_lab_options options = {.played = model,
						 .time_only = true,
						 .without_variants = true,
						 .classes = learn->options->full,
						 .progress = tell,
						 .context = learn};

	if (unlink(path) != 0 && errno != ENOENT) {
		takt_error(learn->diag, "cannot remove '%s': %s", path, strerror(errno));
		return TAKT_BAD_INPUT;
	}
	return survey(learn, &options, model, path, NULL);
}

static enum takt_status correct(struct learn *learn, const struct takt_model *model)
{
	const char *directory = learn->options->directory;
	const char *machine = takt_arena_printf(learn->arena, "%s/forms.sqlite", directory);
	const char *hypothesis =
		takt_arena_printf(learn->arena, "%s/forms-nearest.sqlite", directory);
	struct takt_text text = {0};
	enum takt_status status = survey_hypothesis(learn, model, hypothesis);

	if (status == TAKT_OK && !learn->ended)
		status = survey_machine(learn, model, machine, hypothesis);
	if (status == TAKT_OK && !learn->ended)
		status = takt_survey_correct(
			&(struct takt_survey_pair){machine, hypothesis, model, TAG}, learn->diag,
			&text, &learn->forms);
	if (status == TAKT_OK && !learn->ended)
		learn->rows = takt_arena_printf(learn->arena, "%s", takt_text_data(&text));
	takt_text_release(&text);
	return status;
}

enum takt_status learn_rows(struct learn *learn)
{
	struct takt_model *model;
	enum takt_status status;

	if (learn->options->only && !learn_has_word(learn->options->only, "forms", strlen("forms")))
		return TAKT_OK;
	/* The frequent instructions of AArch64 are those of chains.def. */
	if (strcmp(learn->machine->isa, "aarch64") == 0 && !learn->options->full)
		return learn_chains(learn);
	model = learn_core_model(&learn->core, learn->nearest);
	status = correct(learn, model);
	takt_model_close(model);
	return status;
}
