/* SPDX-License-Identifier: MIT */
/* Measures all forms, one after the other, and stores them in the database. */
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "characterize/survey/survey_pass.h"

/* A machine that is this much slower than before is disturbed: the form is measured again. */
#define SENTINEL_SLACK 1.02
#define SENTINEL_NOPS 60u
#define ATTEMPTS_MAX 3

/* ---- noise ---------------------------------------------------------------- */

/*
 * True if code without dependences takes the usual time; other load on the sibling thread slows it.
 */
static bool is_quiet(struct survey *survey)
{
	struct probe_code code = {.size_bytes = 0};
	struct probe_outcome outcome;

	for (unsigned i = 0; i < SENTINEL_NOPS; i++)
		takt_probe_add_tool(survey->lab->probe, &code, PROBE_NOP, PROBE_BASE,
				    TAKT_LOC_NONE);
	if (!takt_probe_run_loop(survey->lab->probe, &code, "sentinel", &outcome))
		return true;
	if (!(outcome.cycles >= survey->sentinel_cycles))
		survey->sentinel_cycles = outcome.cycles;
	return outcome.cycles <= survey->sentinel_cycles * SENTINEL_SLACK;
}

static double throughput_again(struct survey *survey, const struct probe_form *form)
{
	struct probe_throughput again;
	const char *reason;

	return takt_probe_throughput(survey->lab->probe, form, &again, &reason) ? again.cycles
										: NAN;
}

/*
 * Return the relative difference of two measurements of a throughput, and keep the lower figure. If
 * the two differ too much, a third decides: the middle one is kept, and the difference to the
 * nearer one is returned.
 */
static double find_spread(struct survey *survey, const struct probe_form *form, double first,
			  double *throughput)
{
	double again, low, middle, high;

	if (survey->lab->model) /* the simulator would give the same figure */
		return 0;
	low = fmin(*throughput, first);
	high = fmax(*throughput, first);
	*throughput = low;
	if (high - low <= PROBE_SPREAD_MAX * low)
		return (high - low) / low;
	again = throughput_again(survey, form);
	if (isnan(again))
		return (high - low) / low;
	middle = fmax(low, fmin(again, high));
	low = fmin(low, again);
	high = fmax(high, again);
	*throughput = middle;
	return fmin(middle - low, high - middle) / middle;
}

/* ---- one form ------------------------------------------------------------- */

static void write_latencies(const struct takt_characterization *record, struct takt_text *text)
{
	for (size_t i = 0; i < record->latency_count; i++) {
		const struct takt_pair_latency *pair = &record->latencies[i];

		takt_text_printf(text, "%s%s>%s:%.2f", i ? ";" : "", pair->source,
				 pair->destination, pair->least);
		if (pair->most > pair->least)
			takt_text_printf(text, "-%.2f", pair->most);
	}
}

static enum takt_status add_variants(struct survey *survey, const char *form,
				     const struct takt_variant *variants, size_t count,
				     uint64_t experiments)
{
	return takt_probe_store_add_variants(survey->store, form, variants, count, experiments,
					     survey->diag);
}

/* A form that is stored without its variants gets them in the next run. */
static enum takt_status add_record(struct survey *survey, const struct probe_form *form,
				   const struct takt_characterization *record, double throughput,
				   double spread)
{
	struct takt_text latencies = {0};
	enum takt_status status;

	write_latencies(record, &latencies);
	status = takt_probe_store_add_measured(
		survey->store,
		&(struct probe_row){.form = form->text,
				    .reason = "",
				    .throughput = throughput,
				    .chain = record->chain_cycles,
				    .uops = record->uops,
				    .ports_cycles = record->ports_cycles,
				    .spread = spread,
				    .ports = record->ports,
				    .doubt = record->ports_doubt,
				    .latencies = takt_text_data(&latencies),
				    .experiments = record->experiment_count},
		record->runs, record->run_count, survey->diag);
	takt_text_release(&latencies);
	if (status != TAKT_OK || !record->variants_complete)
		return status;
	return add_variants(survey, form->text, record->variants, record->variant_count,
			    record->variant_experiment_count);
}

static enum takt_status add_measured(struct survey *survey, const struct probe_form *form,
				     const struct takt_characterization *record, double first)
{
	double throughput = record->throughput_cycles;
	double spread = find_spread(survey, form, first, &throughput);

	return add_record(survey, form, record, throughput, spread);
}

static enum takt_status add_failure(struct survey *survey, const char *form, const char *reason)
{
	enum takt_status status;

	status = takt_probe_store_add(survey->store,
				      &(struct probe_row){.form = form,
							  .reason = reason,
							  .throughput = NAN,
							  .chain = NAN,
							  .uops = NAN,
							  .ports_cycles = NAN,
							  .spread = NAN,
							  .ports = "",
							  .doubt = "",
							  .latencies = ""},
				      survey->diag);
	return status == TAKT_OK ? add_variants(survey, form, NULL, 0, 0) : status;
}

/*
 * Characterize a form that is supposed to have certain figures by few experiments. Return NULL if
 * it has another throughput, or other latencies while the machine is busy.
 */
static struct takt_characterization *confirm(struct survey *survey, const struct probe_form *form)
{
	const struct probe_expected *expected = survey->lab->probe->expected;
	struct takt_characterization *record;

	if (!expected ||
	    takt_characterize(survey->lab, form->text, false, NULL, &record) != TAKT_OK)
		return NULL;
	if (takt_probe_throughputs_agree(record->throughput_cycles, expected->throughput) &&
	    (takt_survey_confirms(expected, record) || is_quiet(survey)))
		return record;
	takt_characterization_free(record);
	return NULL;
}

/*
 * Measure a form, and repeat it until the machine is as quiet afterwards as before, or the attempts
 * are used up.
 */
static enum takt_status survey_form_wholly(struct survey *survey, const struct probe_form *form)
{
	for (unsigned attempt = 1;; attempt++) {
		struct probe_throughput throughput;
		struct takt_characterization *record;
		enum takt_status status;
		const char *reason;
		bool quiet = is_quiet(survey);

		if (!takt_probe_throughput(survey->lab->probe, form, &throughput, &reason))
			return add_failure(survey, form->text, reason);
		status = takt_characterize(survey->lab, form->text, false, NULL, &record);
		if (status != TAKT_OK && attempt < ATTEMPTS_MAX)
			continue;
		if (status != TAKT_OK)
			return add_failure(survey, form->text, "runs only now and then");
		quiet &= is_quiet(survey);
		if (quiet || attempt == ATTEMPTS_MAX)
			status = add_measured(survey, form, record, throughput.cycles);
		takt_characterization_free(record);
		if (quiet || attempt == ATTEMPTS_MAX)
			return status;
	}
}

/* Measure a form in the shortest way that its supposed figures allow. */
static enum takt_status survey_form(struct survey *survey, const struct probe_form *form)
{
	struct probe_lab *lab = survey->lab->probe;
	struct takt_characterization *record;
	struct probe_expected expected;
	enum takt_status status;

	lab->expected = takt_survey_expected(survey, form, &expected, NULL) ? &expected : NULL;
	record = confirm(survey, form);
	if (record) {
		double off = record->throughput_cycles / expected.throughput - 1;

		status = add_record(survey, form, record, record->throughput_cycles, fabs(off));
		takt_characterization_free(record);
	} else {
		status = survey_form_wholly(survey, form);
	}
	lab->expected = NULL;
	return status;
}

/* ---- variants of a form that has been measured ---------------------------- */

/* Earlier results of a form, from the database. */
struct earlier {
	struct takt_arena arena;
	struct probe_known known;
	struct takt_pair_latency latencies[PROBE_LATENCIES_MAX];
	bool failed;
};

static void read_earlier(void *context, const struct probe_row *row)
{
	struct earlier *earlier = context;
	const char *text = row->latencies;
	struct probe_pair pair;
	size_t count = 0;

	while (count < PROBE_LATENCIES_MAX && takt_probe_pair_next(&text, &pair))
		earlier->latencies[count++] = (struct takt_pair_latency){
			.source = takt_arena_string(&earlier->arena, pair.source),
			.destination = takt_arena_string(&earlier->arena, pair.destination),
			.least = pair.least,
			.most = pair.most};
	earlier->failed = *row->reason != '\0';
	earlier->known = (struct probe_known){.throughput = row->throughput,
					      .chained = row->chain,
					      .latencies = earlier->latencies,
					      .latency_count = count};
}

/*
 * Measure a form's variants, if possible while the machine is quiet. False if it was too busy for
 * some of them.
 */
static bool measure_variants(struct survey *survey, const struct probe_form *form,
			     const struct probe_known *known, struct probe_variants *ret_variants)
{
	struct probe_lab *lab = survey->lab->probe;
	bool quiet = false, complete = false;

	for (unsigned attempt = 1; attempt <= ATTEMPTS_MAX && !(quiet && complete); attempt++) {
		uint64_t busy_before;

		quiet = is_quiet(survey);
		busy_before = lab->busy_runs;
		takt_probe_variants(lab, form, known, ret_variants);
		complete = lab->busy_runs == busy_before;
		quiet &= is_quiet(survey);
	}
	return complete;
}

static enum takt_status store_variants(struct survey *survey, const char *form,
				       const struct probe_variants *found, uint64_t experiments,
				       struct takt_arena *arena)
{
	struct takt_variant variants[PROBE_VARIANTS_MAX];

	for (unsigned i = 0; i < found->count; i++)
		variants[i] = takt_probe_variant_record(&found->list[i], arena);
	return add_variants(survey, form, variants, found->count, experiments);
}

static enum takt_status survey_variants(struct survey *survey, const struct probe_form *form)
{
	struct probe_variants found = {.count = 0};
	struct earlier earlier = {.failed = false};
	uint64_t runs = survey->lab->probe->runs;
	enum takt_status status;
	bool complete = true;

	takt_arena_init(&earlier.arena);
	status = takt_probe_store_visit(survey->store, form->text, read_earlier, &earlier,
					survey->diag);
	if (status == TAKT_OK && !earlier.failed)
		complete = measure_variants(survey, form, &earlier.known, &found);
	if (status == TAKT_OK && complete)
		status = store_variants(survey, form->text, &found, survey->lab->probe->runs - runs,
					&earlier.arena);
	takt_arena_release(&earlier.arena);
	return status;
}

/* Measure the variants of the machine, which are stored under an empty form name. */
static enum takt_status survey_machine(struct survey *survey)
{
	struct probe_variants found = {.count = 0};
	uint64_t runs = survey->lab->probe->runs;

	if (takt_probe_store_has_variants(survey->store, ""))
		return TAKT_OK;
	found.count = takt_probe_transition(survey->lab->probe, &found.list[0]);
	return store_variants(survey, "", &found, survey->lab->probe->runs - runs,
			      &survey->lab->probe->arena);
}

/* ---- all of them ---------------------------------------------------------- */

static bool is_named(const struct takt_survey_options *options, const char *form)
{
	size_t after;

	TAKT_BISECT(after, options->name_count, strcmp(options->names[after], form) <= 0);
	return after && strcmp(options->names[after - 1], form) == 0;
}

static bool is_chosen(const struct survey *survey, const struct survey_pass *pass, size_t index)
{
	const struct takt_survey_options *options = survey->options;
	const struct probe_form *form = &survey->lab->probe->forms.forms[index];

	return (!options->step || index % options->step == 0) &&
	       (!options->names || is_named(options, form->text)) &&
	       (!options->plain || !takt_probe_plain_form(&survey->lab->probe->forms, form)) &&
	       (!options->forms || fnmatch(options->forms, form->text, 0) == 0) &&
	       (!pass->is_wanted || pass->is_wanted(survey, form));
}

static void start_pass(struct survey *survey, const struct survey_pass *pass)
{
	const struct probe_forms *forms = &survey->lab->probe->forms;
	size_t done = 0, total = 0;

	for (size_t i = 0; i < forms->count; i++) {
		if (!is_chosen(survey, pass, i))
			continue;
		total++;
		done += pass->is_done(survey, &forms->forms[i]);
	}
	takt_probe_progress_start(&survey->progress, pass->subject, done, total);
}

enum takt_status takt_survey_pass(struct survey *survey, const struct survey_pass *pass)
{
	const struct probe_forms *forms = &survey->lab->probe->forms;

	start_pass(survey, pass);
	for (size_t i = 0; i < forms->count && !survey->stopped; i++) {
		const struct probe_form *form = &forms->forms[i];
		enum takt_status status;

		if (!is_chosen(survey, pass, i) || pass->is_done(survey, form))
			continue;
		status = pass->run(survey, form);
		if (status != TAKT_OK)
			return status;
		survey->stopped = !takt_probe_progress_step(&survey->progress, survey->lab, form);
	}
	return TAKT_OK;
}

/* ---- the first pass ------------------------------------------------------- */

static bool is_measured(const struct survey *survey, const struct probe_form *form)
{
	return takt_probe_store_has(survey->store, form->text) &&
	       (survey->lab->without_variants ||
		takt_probe_store_has_variants(survey->store, form->text));
}

static enum takt_status measure(struct survey *survey, const struct probe_form *form)
{
	return takt_probe_store_has(survey->store, form->text) ? survey_variants(survey, form)
							       : survey_form(survey, form);
}

static enum takt_status run(struct survey *survey)
{
	static const struct survey_pass forms = {
		.subject = "forms", .is_done = is_measured, .run = measure};
	bool wants_classes = survey->lab->wants_classes;
	enum takt_status status;

	survey->lab->keeps_experiments = true;
	/* Classes have a pass of their own, once all throughputs are known. */
	survey->lab->wants_classes = false;
	status = takt_survey_pass(survey, &forms);
	survey->lab->keeps_experiments = false;
	survey->lab->wants_classes = wants_classes;
	if (status == TAKT_OK && !survey->stopped && wants_classes &&
	    !survey->lab->probe->machine->has_counters)
		status = takt_survey_ports(survey);
	return status;
}

/* Report a pattern that no form matches, with which nothing would be measured. */
static enum takt_status check_pattern(const struct probe_forms *forms, const char *pattern,
				      struct takt_diag *diag)
{
	for (size_t i = 0; pattern && i < forms->count; i++)
		if (fnmatch(pattern, forms->forms[i].text, 0) == 0)
			return TAKT_OK;
	if (!pattern)
		return TAKT_OK;
	takt_error(diag, "no form that this machine executes matches '%s'", pattern);
	takt_note(diag, "forms are written like 'add r64, r64', and patterns like 'add *'");
	return TAKT_NOT_FOUND;
}

enum takt_status takt_survey(struct takt_lab *lab, const struct takt_survey_options *options,
			     struct takt_diag *diag)
{
	struct survey survey = {
		.lab = lab, .options = options, .diag = diag, .sentinel_cycles = INFINITY};
	enum takt_status status = check_pattern(&lab->probe->forms, options->forms, diag);

	if (status == TAKT_OK)
		status = takt_probe_store_open(options->path, true, diag, &survey.store);
	if (status != TAKT_OK)
		return status;
	if (options->expected)
		status = takt_probe_store_open(options->expected, false, diag, &survey.expected);
	if (status == TAKT_OK)
		status = takt_probe_store_claim(survey.store, lab->probe->machine->name, diag);
	if (status == TAKT_OK && !lab->without_variants)
		status = survey_machine(&survey);
	if (status == TAKT_OK)
		status = run(&survey);
	takt_probe_store_close(survey.store);
	takt_probe_store_close(survey.expected);
	return status;
}
