/* SPDX-License-Identifier: MIT */
/*
 * A survey's ports by time: added to results that have none, gone on with, held against the model
 * of the simulated core, and used for one form.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "characterize/survey/survey.h"
#include "unit/tap.h"

#define MACHINE "sim:ZEN4"
#define FORMS "vpaddd*"
#define FORM_COUNT 27

struct steps {
	size_t candidates, forms;
};

static bool stop_after(void *context, const struct takt_lab_progress *progress)
{
	struct steps *left = context;

	if (progress->done > progress->total)
		ok(false, "%zu of %zu are done", progress->done, progress->total);
	return strstr(progress->subject, "candidates") ? --left->candidates > 0 : --left->forms > 0;
}

struct counted {
	size_t forms, with_ports;
	uint64_t experiments;
};

static void count_row(void *context, const struct probe_row *row)
{
	struct counted *counted = context;

	counted->forms++;
	counted->with_ports += row->ports_cycles > 0;
	counted->experiments += row->experiments;
}

static struct counted survey(const char *path, bool classes, struct steps steps)
{
	const struct takt_lab_options lab_options = {.machine = MACHINE,
						     .time_only = true,
						     .classes = classes,
						     .progress = stop_after,
						     .context = &steps};
	const struct takt_survey_options options = {.path = path, .forms = FORMS};
	struct takt_diag *diag = takt_diag_new();
	struct counted counted = {.forms = 0};
	struct probe_store *store;
	struct takt_lab *lab;

	is_int(takt_lab_open(&lab_options, diag, &lab), TAKT_OK, "a lab");
	is_int(takt_survey(lab, &options, diag), TAKT_OK, "a survey");
	is_int(takt_probe_store_open(path, false, diag, &store), TAKT_OK, "its results");
	is_int(takt_probe_store_each(store, count_row, &counted, diag), TAKT_OK, "its forms");
	takt_probe_store_close(store);
	takt_lab_close(lab);
	takt_diag_free(diag);
	return counted;
}

static void check_report(const char *path)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_text *text = takt_text_new();
	struct takt_model *model;
	char wanted[64];

	snprintf(wanted, sizeof(wanted), "%6d of %6d  100.0 %%", FORM_COUNT, FORM_COUNT);
	is_int(takt_model_open("ZEN4", NULL, diag, &model), TAKT_OK, "a model");
	is_int(takt_survey_write(path, TAKT_SURVEY_REPORT, model, diag, text), TAKT_OK, "a report");
	ok(strstr(takt_text_data(text), "port classes inferred from timing: number of ports"),
	   "has the classes");
	ok(strstr(strstr(takt_text_data(text), "µops and their ports"), wanted),
	   "all ports are the model's");
	takt_model_close(model);
	takt_text_free(text);
	takt_diag_free(diag);
}

/* ---- texts ---------------------------------------------------------------- */

static void check_text(const struct probe_classes *classes, const char *text)
{
	struct probe_class_uops uops;
	struct takt_text again = {0};

	if (!ok(takt_probe_class_uops_read(classes, text, &uops), "read %s", text))
		return;
	takt_probe_class_uops_write(classes, &uops, &again);
	is_string(takt_text_data(&again), text, "written again");
	takt_text_release(&again);
}

static void check_texts(const char *path)
{
	static const char *const wrong[] = {"x",	  "1",	     "1*",
					    "1*{",	  "1*{any",  "1*{no form}",
					    "9999*{any}", "1*{ & }", "1*{any}+"};
	struct takt_diag *diag = takt_diag_new();
	struct takt_arena arena = {0};
	struct probe_class_sets sets;
	struct probe_class_uops uops;
	struct probe_forms forms;
	struct probe_store *store;
	char text[512];

	takt_probe_forms_find(&arena, &forms);
	is_int(takt_probe_store_open(path, false, diag, &store), TAKT_OK, "opened");
	ok(takt_probe_store_read_classes(store, &forms, &sets), "the classes");
	takt_probe_store_close(store);
	check_text(&sets.narrow, "");
	check_text(&sets.narrow, "3*{any}");
	snprintf(text, sizeof(text), "2*{%s}+1*{%s & %s}", sets.narrow.entries[0].form->text,
		 sets.narrow.entries[1].form->text, sets.narrow.entries[2].form->text);
	check_text(&sets.narrow, text);
	for (size_t i = 0; i < TAKT_COUNT_OF(wrong); i++)
		ok(!takt_probe_class_uops_read(&sets.narrow, wrong[i], &uops), "not %s", wrong[i]);
	takt_arena_release(&arena);
	takt_diag_free(diag);
}

/* ---- one form ------------------------------------------------------------- */

static void check_form(const char *path)
{
	struct takt_lab_options options = {
		.machine = MACHINE, .time_only = true, .classes = true, .classes_from = path};
	struct takt_characterization *result;
	struct takt_diag *diag = takt_diag_new();
	struct takt_lab *lab;

	is_int(takt_lab_open(&options, diag, &lab), TAKT_OK, "a lab with known classes");
	is_int(takt_characterize(lab, "vpmulld ymm, ymm, ymm", false, diag, &result), TAKT_OK,
	       "a form");
	is_string(result->ports, "1*{vpmullw xmm, xmm, xmm}", "its ports");
	ok(result->experiment_count < 1000, "classes were not sought");
	takt_characterization_free(result);
	takt_lab_close(lab);
	options.machine = "sim:ZEN3";
	is_int(takt_lab_open(&options, diag, &lab), TAKT_BAD_INPUT, "another machine");
	options.classes_from = "/nonexistent";
	is_int(takt_lab_open(&options, diag, &lab), TAKT_BAD_INPUT, "no such file");
	takt_diag_free(diag);
}

int main(void)
{
	char path[] = "/tmp/takt-survey-ports-XXXXXX";
	const struct steps all_steps = {SIZE_MAX, SIZE_MAX};
	struct counted plain, some, all, again;

	close(mkstemp(path));
	unlink(path);
	plain = survey(path, false, all_steps);
	is_int((long long)plain.forms, FORM_COUNT, "forms");
	is_int((long long)plain.with_ports, 0, "none has ports");
	some = survey(path, true, (struct steps){100, SIZE_MAX});
	is_int((long long)some.with_ports, 0, "stopped before classes were known");
	some = survey(path, true, (struct steps){SIZE_MAX, 3});
	is_int((long long)some.with_ports, 3, "stopped after three");
	all = survey(path, true, all_steps);
	/* No class stands for the two µops of vpaddd zmm{k}{z}, zmm, zmm, which go to any vector
	 * pipe. */
	is_int((long long)all.with_ports, FORM_COUNT - 1, "all but one have ports");
	again = survey(path, true, all_steps);
	is_int((long long)again.experiments, (long long)all.experiments, "nothing is done again");
	check_report(path);
	check_texts(path);
	check_form(path);
	unlink(path);
	return tap_done();
}
