/* SPDX-License-Identifier: MIT */
/* takt characterize: measures latency, throughput and ports of instruction forms. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cli/command_docs.h"
#include "takt-lab/characterize.h"

static bool write_text(const struct takt_arguments *arguments, const struct takt_text *text)
{
	return takt_output_write(arguments->values[OPTION_CHARACTERIZE_OUTPUT], text);
}

/* ---- progress -------------------------------------------------------------- */

static bool show_progress(void *context, const struct takt_lab_progress *progress)
{
	(void)context;
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K%zu of %zu %s, %.0f min left: %.40s", progress->done,
			progress->total, progress->subject, ceil(progress->seconds_left / 60),
			progress->form);
	return !takt_interrupt_came();
}

static void clear_progress(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

/* ---- one form ------------------------------------------------------------- */

static bool is_page(const struct takt_arguments *arguments)
{
	return takt_arguments_html(arguments, OPTION_CHARACTERIZE_FORMAT);
}

/* True if the result is JSON: for programs, or for a report in a browser. */
static bool is_json(const struct takt_arguments *arguments)
{
	return takt_arguments_choice(arguments, OPTION_CHARACTERIZE_FORMAT) != 0;
}

static bool write_result(const struct takt_arguments *arguments,
			 const struct takt_characterization *result)
{
	struct takt_text *text = takt_text_new();
	bool fine;

	if (is_json(arguments))
		takt_write_characterization_json(result, text);
	else
		takt_write_characterization_text(result, text);
	if (is_page(arguments))
		takt_page_wrap((struct takt_page){.kind = "characterize"}, &text);
	fine = write_text(arguments, text);
	takt_text_free(text);
	return fine;
}

/* Experiments are shown if they are asked for, and in each report for a browser. */
static bool characterize_form(const struct takt_arguments *arguments, struct takt_lab *lab,
			      struct takt_diag *diag)
{
	bool explain = arguments->values[OPTION_CHARACTERIZE_EXPLAIN] || is_page(arguments), fine;
	struct takt_characterization *result;

	fine = takt_characterize(lab, arguments->values[OPTION_CHARACTERIZE_FORM], explain, diag,
				 &result) == TAKT_OK;
	clear_progress();
	if (!fine)
		return false;
	fine = write_result(arguments, result);
	takt_characterization_free(result);
	return fine;
}

/* ---- all forms ----------------------------------------------------------------- */

static bool characterize_all(const struct takt_arguments *arguments, struct takt_lab *lab,
			     struct takt_diag *diag)
{
	const struct takt_survey_options options = {
		.path = arguments->values[OPTION_CHARACTERIZE_OUTPUT],
		.forms = arguments->values[OPTION_CHARACTERIZE_FORMS]};
	bool fine;

	takt_interrupt_handle();
	fine = takt_survey(lab, &options, diag) == TAKT_OK;
	clear_progress();
	if (takt_interrupt_came())
		takt_say_note("the same command resumes from here");
	return fine && !takt_interrupt_came();
}

static bool characterize(const struct takt_arguments *arguments, struct takt_diag *diag)
{
	const char *machine = arguments->values[OPTION_CHARACTERIZE_BACKEND];
	const struct takt_lab_options options = {
		.machine = machine ? machine : "host",
		.model_dir = arguments->values[OPTION_CHARACTERIZE_MODEL],
		.time_only = arguments->values[OPTION_CHARACTERIZE_TIME_ONLY] != NULL,
		.classes = arguments->values[OPTION_CHARACTERIZE_PORTS] != NULL,
		.classes_from = arguments->values[OPTION_CHARACTERIZE_CLASSES],
		.progress = show_progress};
	struct takt_lab *lab;
	bool fine;

	if (takt_lab_open(&options, diag, &lab) != TAKT_OK)
		return false;
	fine = arguments->values[OPTION_CHARACTERIZE_ALL] ? characterize_all(arguments, lab, diag)
							  : characterize_form(arguments, lab, diag);
	takt_lab_close(lab);
	return fine;
}

/* ---- comparison of results ------------------------------------------------ */

static bool compare_results(const struct takt_arguments *arguments, struct takt_diag *diag)
{
	struct takt_text *text = takt_text_new();
	bool fine = takt_survey_compare(arguments->operands[0],
					arguments->values[OPTION_CHARACTERIZE_AGAINST], diag,
					text) == TAKT_OK &&
		    write_text(arguments, text);

	takt_text_free(text);
	return fine;
}

/* Write all forms as JSON or as a page, which may have those of other results beside them. */
static bool write_forms(const struct takt_arguments *arguments, struct takt_diag *diag)
{
	const char *other_path = arguments->values[OPTION_CHARACTERIZE_AGAINST];
	struct takt_text *text = takt_text_new(), *other = takt_text_new();
	struct takt_page_part part = {.key = "against"};
	bool fine = takt_survey_write(arguments->operands[0], TAKT_SURVEY_JSON, NULL, diag, text) ==
		    TAKT_OK;

	if (fine && other_path)
		fine = takt_survey_write(other_path, TAKT_SURVEY_JSON, NULL, diag, other) ==
		       TAKT_OK;
	part.json = takt_text_data(other);
	if (fine && is_page(arguments))
		takt_page_wrap((struct takt_page){.kind = "characterize",
						  .parts = &part,
						  .part_count = other_path != NULL},
			       &text);
	fine = fine && write_text(arguments, text);
	takt_text_free(other);
	takt_text_free(text);
	return fine;
}

static bool export_results(const struct takt_arguments *arguments, struct takt_diag *diag)
{
	unsigned format = takt_arguments_choice(arguments, OPTION_CHARACTERIZE_EXPORT);
	const char *core = arguments->values[OPTION_CHARACTERIZE_ARCH];
	struct takt_text *text = takt_text_new();
	struct takt_model *model = NULL;
	bool fine = true;

	if (core || format != TAKT_SURVEY_CSV)
		fine = takt_model_open(core ? core : "host",
				       arguments->values[OPTION_CHARACTERIZE_MODEL], diag,
				       &model) == TAKT_OK;
	fine = fine && takt_survey_write(arguments->operands[0], (enum takt_survey_format)format,
					 model, diag, text) == TAKT_OK;
	fine = fine && write_text(arguments, text);
	takt_model_close(model);
	takt_text_free(text);
	return fine;
}

/* ---- benchmarks for ibench ------------------------------------------------------------ */

static void say_ibench(const struct takt_ibench_result *result, const char *directory)
{
	takt_say_note("%zu %s for ibench in '%s'", result->file_count,
		      result->file_count == 1 ? "file" : "files", directory);
	for (size_t i = 0; i < result->reason_count; i++)
		takt_say_note("left out: %zu %s, as %s", result->reasons[i].count,
			      result->reasons[i].count == 1 ? "form" : "forms",
			      result->reasons[i].reason);
}

static bool write_ibench(const struct takt_arguments *arguments, struct takt_diag *diag)
{
	const char *const *values = arguments->values;
	struct takt_ibench_options options = {.directory = values[OPTION_CHARACTERIZE_IBENCH],
					      .form = values[OPTION_CHARACTERIZE_FORM],
					      .forms = values[OPTION_CHARACTERIZE_FORMS]};
	struct takt_ibench_result result;
	struct takt_model *model = NULL;
	bool fine = true;

	if (values[OPTION_CHARACTERIZE_ARCH])
		fine = takt_model_open(values[OPTION_CHARACTERIZE_ARCH],
				       values[OPTION_CHARACTERIZE_MODEL], diag, &model) == TAKT_OK;
	options.model = model;
	fine = fine && takt_ibench_write(&options, diag, &result) == TAKT_OK;
	if (fine)
		say_ibench(&result, options.directory);
	takt_model_close(model);
	return fine;
}

/* True for a report of results that is JSON or a page: it has all forms. */
static bool writes_forms(const struct takt_arguments *arguments)
{
	return arguments->values[OPTION_CHARACTERIZE_EXPORT] &&
	       takt_arguments_choice(arguments, OPTION_CHARACTERIZE_EXPORT) == TAKT_SURVEY_REPORT &&
	       is_json(arguments);
}

/* ---- the command ---------------------------------------------------------- */

/* Report options that do not go with --against; false if there are any. */
static bool check_against(const struct takt_arguments *arguments)
{
	const char *const *values = arguments->values;

	if (!values[OPTION_CHARACTERIZE_AGAINST])
		return true;
	if (!values[OPTION_CHARACTERIZE_EXPORT] ||
	    takt_arguments_choice(arguments, OPTION_CHARACTERIZE_EXPORT) != TAKT_SURVEY_REPORT) {
		takt_say_error("'--against' is for '--export=report'");
		return takt_say_note("it compares one results file with another");
	}
	if (writes_forms(arguments) && !is_page(arguments)) {
		takt_say_error("'--against' goes with text and with a report for a browser");
		return takt_say_note("JSON has the forms of one file of results");
	}
	if (!values[OPTION_CHARACTERIZE_ARCH])
		return true;
	takt_say_error("'--arch' and '--against' exclude each other");
	return takt_say_note(
		"results are compared with a core's model or with other results, not with both");
}

static bool check_classes(const struct takt_arguments *arguments)
{
	const char *const *values = arguments->values;

	if (!values[OPTION_CHARACTERIZE_CLASSES] ||
	    (values[OPTION_CHARACTERIZE_FORM] && values[OPTION_CHARACTERIZE_PORTS]))
		return true;
	takt_say_error("'--classes' is for '--form' with '--ports'");
	return takt_say_note("a survey keeps its classes in its own results");
}

/* Options that do not go with --ibench, or that it needs; false if any is wrong. */
static bool check_ibench(const struct takt_arguments *arguments)
{
	const char *const *values = arguments->values;

	if (values[OPTION_CHARACTERIZE_EXPORT] || values[OPTION_CHARACTERIZE_OUTPUT] ||
	    arguments->operand_count) {
		takt_say_error("'--ibench' measures nothing and reads no results");
		return takt_say_note("it goes with '--form' or '--all', '--forms', '--arch' and "
				     "'--model'");
	}
	if (!values[OPTION_CHARACTERIZE_FORM] == !values[OPTION_CHARACTERIZE_ALL]) {
		takt_say_error("'--ibench' needs either '--form' or '--all'");
		return takt_say_note("with '--all', '--forms=GLOB' chooses forms");
	}
	return true;
}

/* Refuse options that would be ignored. */
static bool all_have_effect(const struct takt_arguments *arguments)
{
	static const unsigned ibench[] = {OPTION_CHARACTERIZE_IBENCH, OPTION_CHARACTERIZE_FORM,
					  OPTION_CHARACTERIZE_ALL,    OPTION_CHARACTERIZE_FORMS,
					  OPTION_CHARACTERIZE_ARCH,   OPTION_CHARACTERIZE_MODEL};
	static const unsigned exported[] = {OPTION_CHARACTERIZE_EXPORT, OPTION_CHARACTERIZE_AGAINST,
					    OPTION_CHARACTERIZE_ARCH,	OPTION_CHARACTERIZE_MODEL,
					    OPTION_CHARACTERIZE_FORMAT, OPTION_CHARACTERIZE_OUTPUT};
	static const unsigned all[] = {OPTION_CHARACTERIZE_ALL,	      OPTION_CHARACTERIZE_FORMS,
				       OPTION_CHARACTERIZE_OUTPUT,    OPTION_CHARACTERIZE_BACKEND,
				       OPTION_CHARACTERIZE_TIME_ONLY, OPTION_CHARACTERIZE_PORTS,
				       OPTION_CHARACTERIZE_MODEL};
	static const unsigned one[] = {OPTION_CHARACTERIZE_FORM,      OPTION_CHARACTERIZE_OUTPUT,
				       OPTION_CHARACTERIZE_FORMAT,    OPTION_CHARACTERIZE_BACKEND,
				       OPTION_CHARACTERIZE_TIME_ONLY, OPTION_CHARACTERIZE_PORTS,
				       OPTION_CHARACTERIZE_CLASSES,   OPTION_CHARACTERIZE_EXPLAIN,
				       OPTION_CHARACTERIZE_MODEL};
	const char *const *values = arguments->values;
	const char *machine = values[OPTION_CHARACTERIZE_BACKEND];

	if (values[OPTION_CHARACTERIZE_IBENCH])
		return takt_arguments_only(arguments, "takt characterize --ibench", ibench,
					   TAKT_COUNT_OF(ibench));
	if (values[OPTION_CHARACTERIZE_EXPORT])
		return takt_arguments_only(arguments, "takt characterize --export", exported,
					   TAKT_COUNT_OF(exported));
	if (values[OPTION_CHARACTERIZE_MODEL] && (!machine || strncmp(machine, "sim:", 4) != 0))
		return takt_say_error("'--model' needs '--backend=sim:CORE', '--export' or "
				      "'--ibench'");
	if (values[OPTION_CHARACTERIZE_ALL])
		return takt_arguments_only(arguments, "takt characterize --all", all,
					   TAKT_COUNT_OF(all));
	return takt_arguments_only(arguments, "takt characterize --form", one, TAKT_COUNT_OF(one));
}

/* Report what is missing on the command line; false if anything is. */
static bool check(const struct takt_arguments *arguments)
{
	const char *const *values = arguments->values;

	if (!check_against(arguments) || !check_classes(arguments))
		return false;
	if (values[OPTION_CHARACTERIZE_IBENCH])
		return check_ibench(arguments) && all_have_effect(arguments);
	if (values[OPTION_CHARACTERIZE_FORMAT] && !values[OPTION_CHARACTERIZE_FORM] &&
	    !(values[OPTION_CHARACTERIZE_EXPORT] &&
	      takt_arguments_choice(arguments, OPTION_CHARACTERIZE_EXPORT) == TAKT_SURVEY_REPORT))
		return takt_say_error("'--format' is for '--form' and for '--export=report'");
	if (values[OPTION_CHARACTERIZE_EXPORT]) {
		if (arguments->operand_count == 1)
			return all_have_effect(arguments);
		takt_say_error("one file of results is needed");
		return takt_say_note("'takt characterize --all --output=FILE' makes one");
	}
	if (values[OPTION_CHARACTERIZE_ALL]) {
		if (values[OPTION_CHARACTERIZE_OUTPUT] && !arguments->operand_count)
			return all_have_effect(arguments);
		takt_say_error("results of all forms need a file");
		return takt_say_note(
			"name it with --output=FILE; an existing file keeps its results");
	}
	if (!arguments->operand_count && values[OPTION_CHARACTERIZE_FORM])
		return all_have_effect(arguments);
	takt_say_error("one instruction is needed");
	return takt_say_note("name it with --form='add r64, r64', or take all with --all");
}

int takt_characterize_main(struct takt_arguments *arguments)
{
	struct takt_diag *diag;
	bool fine;

	takt_arguments_take_format(arguments, OPTION_CHARACTERIZE_FORMAT,
				   OPTION_CHARACTERIZE_OUTPUT);
	if (!check(arguments))
		return TAKT_EXIT_USAGE;
	diag = takt_diag_new();
	if (arguments->values[OPTION_CHARACTERIZE_IBENCH])
		fine = write_ibench(arguments, diag);
	else if (writes_forms(arguments))
		fine = write_forms(arguments, diag);
	else if (arguments->values[OPTION_CHARACTERIZE_AGAINST])
		fine = compare_results(arguments, diag);
	else if (arguments->values[OPTION_CHARACTERIZE_EXPORT])
		fine = export_results(arguments, diag);
	else
		fine = characterize(arguments, diag);
	takt_say_diag(diag);
	takt_diag_free(diag);
	return fine ? TAKT_EXIT_FINE : TAKT_EXIT_BAD;
}
