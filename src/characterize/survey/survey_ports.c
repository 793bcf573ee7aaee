/* SPDX-License-Identifier: MIT */
/*
 * Infers ports from timing in two passes: first of plain forms, then of forms that use the ports of
 * a plain one, such as masked ones; for those it is enough to confirm that they do.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "characterize/survey/survey_pass.h"
#include "characterize/survey/survey_write.h"

/* ---- classes -------------------------------------------------------------- */

/* Find the classes, those that are supposed to exist first. */
static bool find_classes(struct survey *survey)
{
	struct takt_lab *lab = survey->lab;
	struct probe_class_sets supposed;
	bool found;

	if (survey->expected &&
	    takt_probe_store_read_classes(survey->expected, &lab->probe->forms, &supposed))
		lab->probe->supposed = &supposed;
	found = takt_lab_find_classes(lab);
	lab->probe->supposed = NULL;
	return found;
}

static enum takt_status know_classes(struct survey *survey)
{
	struct takt_lab *lab = survey->lab;

	if (lab->classes_known)
		return TAKT_OK;
	lab->classes_known =
		takt_probe_store_read_classes(survey->store, &lab->probe->forms, &lab->classes);
	if (lab->classes_known)
		return TAKT_OK;
	survey->stopped = !find_classes(survey);
	if (survey->stopped)
		return TAKT_OK;
	return takt_probe_store_add_classes(survey->store, &lab->classes, survey->diag);
}

/* ---- known figures of a form ---------------------------------------------- */

struct known {
	struct probe_throughput throughput;
	char *ports; /* NULL: none that are certain */
};

static void read_known(void *context, const struct probe_row *row)
{
	struct known *known = context;

	known->throughput =
		(struct probe_throughput){.cycles = row->throughput, .chained = row->chain};
	if (!*row->reason && !*row->doubt && !isnan(row->ports_cycles))
		known->ports = takt_xstrdup(row->ports);
}

static enum takt_status find_known(const struct survey *survey, const struct probe_form *form,
				   struct known *ret_known)
{
	*ret_known = (struct known){.throughput = {.cycles = NAN, .chained = NAN}};
	return takt_probe_store_visit(survey->store, form->text, read_known, ret_known,
				      survey->diag);
}

/* ---- forms whose ports say nothing of the model ------------------------------ */

/* The core that was played in the expected survey, and the ports that its classes have there. */
struct survey_reference {
	const struct takt_model *model;
	struct takt_port_list ports;
	struct probe_class_ports classes;
};

static enum takt_status find_reference(struct survey *survey, struct survey_reference *reference)
{
	*reference = (struct survey_reference){.model = survey->options->expected_of};
	if (!reference->model || !survey->expected)
		return TAKT_OK;
	takt_model_ports(reference->model, &reference->ports);
	survey->reference = reference;
	return takt_probe_class_ports_find(survey->expected, reference->model, &reference->ports,
					   &survey->lab->probe->forms, survey->diag,
					   &reference->classes);
}

struct soundness {
	const struct survey *survey;
	bool is_sound;
};

static void find_soundness(void *context, const struct probe_row *row)
{
	struct soundness *soundness = context;
	const struct survey_reference *reference = soundness->survey->reference;
	struct takt_timing_storage storage;
	struct takt_timing timing;
	const struct probe_form *form = takt_probe_row_timing(
		reference->model, &soundness->survey->lab->probe->forms, row, &storage, &timing);

	soundness->is_sound = form && !*row->reason &&
			      takt_probe_ports_are_sound(&reference->ports, &reference->classes,
							 form, row, &timing);
}

/* True unless the expected survey shows that the form's ports are of no use. */
static bool is_useful(const struct survey *survey, const struct probe_form *form)
{
	struct soundness soundness = {.survey = survey};

	return !survey->reference ||
	       (takt_probe_store_visit(survey->expected, form->text, find_soundness, &soundness,
				       survey->diag) == TAKT_OK &&
		soundness.is_sound);
}

/* ---- one form ------------------------------------------------------------- */

/*
 * Give the form the plain form's ports. False if its time or its µops differ, or the plain form's
 * ports are unknown.
 */
static bool follow(struct survey *survey, const struct probe_form *form,
		   const struct probe_form *plain, const struct probe_throughput *throughput,
		   struct probe_class_uops *ret_uops)
{
	const struct probe_classes *classes = takt_probe_classes_of(&survey->lab->classes, form);
	struct known known;
	bool follows =
		find_known(survey, plain, &known) == TAKT_OK && known.ports &&
		takt_probe_throughputs_agree(throughput->cycles, known.throughput.cycles) &&
		takt_probe_class_uops_read(classes, known.ports, ret_uops) &&
		takt_probe_class_uops_fit(survey->lab->probe, classes, form, throughput, ret_uops);

	free(known.ports);
	return follows;
}

/* Give the form its supposed ports. False if its time does not fit them, or there are none. */
static bool confirm(struct survey *survey, const struct probe_form *form,
		    const struct probe_throughput *throughput, struct probe_class_uops *ret_uops)
{
	const struct probe_classes *classes = takt_probe_classes_of(&survey->lab->classes, form);
	struct probe_expected expected;
	char *ports = NULL;
	bool confirmed =
		takt_survey_expected(survey, form, &expected, &ports) && ports &&
		takt_probe_throughputs_agree(throughput->cycles, expected.throughput) &&
		takt_probe_class_uops_read(classes, ports, ret_uops) &&
		takt_probe_class_uops_fit(survey->lab->probe, classes, form, throughput, ret_uops);

	free(ports);
	return confirmed;
}

static void find_ports(struct survey *survey, const struct probe_form *form,
		       const struct probe_throughput *throughput, struct probe_class_uops *ret_uops)
{
	const struct probe_form *plain = takt_probe_plain_form(&survey->lab->probe->forms, form);
	const struct probe_classes *classes = takt_probe_classes_of(&survey->lab->classes, form);

	*ret_uops = (struct probe_class_uops){
		.doubt = "the simulator's experiments do not find the model's own ports"};
	if (!is_useful(survey, form) || confirm(survey, form, throughput, ret_uops))
		return;
	if (!plain || !follow(survey, form, plain, throughput, ret_uops))
		takt_probe_class_uops(survey->lab->probe, classes, form, throughput, ret_uops);
}

static enum takt_status run(struct survey *survey, const struct probe_form *form)
{
	const struct probe_classes *classes = takt_probe_classes_of(&survey->lab->classes, form);
	uint64_t runs = survey->lab->probe->runs;
	struct probe_class_uops uops;
	struct takt_text text = {0};
	struct known known;
	enum takt_status status = find_known(survey, form, &known);

	free(known.ports);
	if (status != TAKT_OK)
		return status;
	find_ports(survey, form, &known.throughput, &uops);
	takt_probe_class_uops_write(classes, &uops, &text);
	status = takt_probe_store_add_ports(
		survey->store,
		&(struct probe_row){.form = form->text,
				    .ports = takt_text_data(&text),
				    .doubt = uops.doubt ? uops.doubt : "",
				    .ports_cycles = takt_probe_class_uops_cycles(classes, &uops),
				    .experiments = survey->lab->probe->runs - runs},
		survey->diag);
	takt_text_release(&text);
	return status;
}

/* ---- all of them ---------------------------------------------------------- */

static bool is_plain(const struct survey *survey, const struct probe_form *form)
{
	return !takt_probe_plain_form(&survey->lab->probe->forms, form);
}

static bool is_not_plain(const struct survey *survey, const struct probe_form *form)
{
	return !is_plain(survey, form);
}

static bool is_done(const struct survey *survey, const struct probe_form *form)
{
	return takt_probe_store_has_ports(survey->store, form->text);
}

enum takt_status takt_survey_ports(struct survey *survey)
{
	static const struct survey_pass plain = {"plain forms' ports", is_plain, is_done, run};
	static const struct survey_pass others = {"other forms' ports", is_not_plain, is_done, run};
	struct survey_reference reference;
	enum takt_status status = know_classes(survey);

	if (status == TAKT_OK)
		status = find_reference(survey, &reference);
	survey->lab->probe->certain_only = survey->options->certain_only;
	if (status == TAKT_OK && !survey->stopped)
		status = takt_survey_pass(survey, &plain);
	if (status == TAKT_OK && !survey->stopped)
		status = takt_survey_pass(survey, &others);
	survey->reference = NULL;
	survey->lab->probe->certain_only = false;
	return status;
}
