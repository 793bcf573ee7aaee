/* SPDX-License-Identifier: MIT */
/* takt diagnose: finds known patterns of bad performance in a program's run. */
#include <string.h>

#include "cli/command_docs.h"
#include "cli/trace.h"
#include "takt-lab/limits.h"

#define ROUNDS_MAX 100

#define NODES_MAX 4096

struct wanted {
	struct takt_diagnose_options options;
	struct takt_trust *trust; /* NULL if it was not given */
	struct takt_core_request request;
	const char *thresholds[TAKT_GIVEN_MAX];
};

/* Find the highest memory bandwidth of all kernels; false if the file is unreadable or has none. */
static bool read_bench(const char *path, struct takt_diag *diag, double *ret_gbs)
{
	struct takt_machine_limits *limits;

	if (!path)
		return true;
	if (takt_machine_limits_read(path, diag, &limits) != TAKT_OK)
		return false;
	for (uint32_t i = 0; i < limits->count; i++) {
		const struct takt_machine_limit *item = &limits->items[i];

		if (item->kind == TAKT_LIMIT_BANDWIDTH && strcmp(item->level, "MEM") == 0 &&
		    item->value > *ret_gbs)
			*ret_gbs = item->value;
	}
	takt_machine_limits_free(limits);
	if (*ret_gbs > 0)
		return true;
	takt_say_error("'%s' has no bandwidth of memory", path);
	return takt_say_note("'takt bench --what=bandwidth --levels=MEM -o FILE.csv' measures it");
}

static bool read_wanted(const struct takt_arguments *arguments, struct takt_diag *diag,
			struct wanted *wanted)
{
	const char *const *values = arguments->values;

	*wanted = (struct wanted){
		.request =
			{
				.arch = values[OPTION_DIAGNOSE_ARCH],
				.model_dir = values[OPTION_DIAGNOSE_MODEL],
				.diag = diag,
			},
		.options = {
			.backend = (enum takt_diagnose_backend)takt_arguments_choice(
				arguments, OPTION_DIAGNOSE_BACKEND),
			.model = takt_core_open_requested,
			.context = &wanted->request,
			.threads = values[OPTION_DIAGNOSE_THREADS],
			.threads_variable = values[OPTION_DIAGNOSE_THREADS_VARIABLE],
			.thresholds = wanted->thresholds,
			.no_timing = values[OPTION_DIAGNOSE_NO_TIMING] != NULL,
			.all_figures = values[OPTION_DIAGNOSE_ALL_FIGURES] != NULL,
			.sample = values[OPTION_DIAGNOSE_SAMPLE] != NULL,
			.signal = &takt_trace_signal,
		}};
	wanted->options.threshold_count = (uint32_t)takt_arguments_all(
		arguments, OPTION_DIAGNOSE_THRESHOLD, wanted->thresholds);
	return takt_arguments_integer(arguments, OPTION_DIAGNOSE_ROUNDS, 1, ROUNDS_MAX,
				      &wanted->options.rounds) &&
	       takt_arguments_integer(arguments, OPTION_DIAGNOSE_NUMA_NODES, 1, NODES_MAX,
				      &wanted->options.numa_nodes) &&
	       takt_arguments_positive(arguments, OPTION_DIAGNOSE_MEMORY_BANDWIDTH,
				       &wanted->options.memory_gbs);
}

static bool read_trust(const char *path, struct takt_diag *diag, struct wanted *wanted)
{
	if (path && takt_trust_read(path, diag, &wanted->trust) != TAKT_OK)
		return false;
	wanted->options.trust = wanted->trust;
	return true;
}

static bool read_files(const struct takt_arguments *arguments, struct takt_diag *diag,
		       struct wanted *wanted)
{
	return read_bench(arguments->values[OPTION_DIAGNOSE_BENCH], diag,
			  &wanted->options.memory_gbs) &&
	       read_trust(arguments->values[OPTION_DIAGNOSE_TRUST], diag, wanted);
}

static bool report(const struct takt_arguments *arguments, const struct takt_diagnosis *diagnosis)
{
	const char *path = arguments->values[OPTION_DIAGNOSE_REPORT];
	bool html = takt_arguments_html(arguments, OPTION_DIAGNOSE_FORMAT), fine;
	struct takt_text *text = takt_text_new();

	takt_write_diagnosis(diagnosis,
			     takt_arguments_choice(arguments, OPTION_DIAGNOSE_FORMAT)
				     ? TAKT_FORMAT_JSON
				     : TAKT_FORMAT_TEXT,
			     text);
	if (html)
		takt_page_wrap((struct takt_page){.kind = "diagnose"}, &text);
	fine = takt_output_report(path, true, text);
	takt_text_free(text);
	return fine;
}

static int run(const struct takt_arguments *arguments, char *const *program)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_diagnosis *diagnosis;
	int status = TAKT_EXIT_BAD;
	struct wanted wanted;

	if (!read_wanted(arguments, diag, &wanted) ||
	    takt_diagnose_options_check(&wanted.options, diag) != TAKT_OK) {
		takt_say_diag(diag);
		takt_diag_free(diag);
		return TAKT_EXIT_USAGE;
	}
	takt_trace_outlive();
	if (read_files(arguments, diag, &wanted) &&
	    takt_diagnose(program, &wanted.options, diag, &diagnosis) == TAKT_OK) {
		bool fine = report(arguments, diagnosis);

		if (diagnosis->signal)
			takt_say_error("the program was %s", diagnosis->killed);
		status = diagnosis->signal ? TAKT_EXIT_SIGNALLED + diagnosis->signal
					   : diagnosis->exit_status;
		if (status == TAKT_EXIT_FINE && !fine)
			status = TAKT_EXIT_BAD;
		takt_diagnosis_free(diagnosis);
	}
	takt_say_diag(diag);
	takt_diag_free(diag);
	takt_trust_free(wanted.trust);
	takt_model_close(wanted.request.model);
	return status;
}

static int list_thresholds(const struct takt_arguments *arguments)
{
	struct takt_threshold_listing listing = takt_thresholds();
	struct takt_text *text = takt_text_new();
	bool fine;

	if (takt_arguments_choice(arguments, OPTION_DIAGNOSE_FORMAT))
		takt_write_thresholds_json(&listing, text);
	else
		takt_write_thresholds(text);
	fine = takt_output_report(NULL, false, text);
	takt_text_free(text);
	return fine ? TAKT_EXIT_FINE : TAKT_EXIT_BAD;
}

/* Refuse options that would be ignored. */
static bool all_have_effect(const struct takt_arguments *arguments)
{
	static const unsigned listing[] = {OPTION_DIAGNOSE_LIST_THRESHOLDS, OPTION_DIAGNOSE_FORMAT};
	static const unsigned timed[] = {OPTION_DIAGNOSE_THREADS, OPTION_DIAGNOSE_ROUNDS};
	static const unsigned threads[] = {OPTION_DIAGNOSE_THREADS};
	static const unsigned bandwidth[] = {OPTION_DIAGNOSE_MEMORY_BANDWIDTH};

	if (arguments->values[OPTION_DIAGNOSE_LIST_THRESHOLDS])
		return takt_arguments_only(arguments, "takt diagnose --list-thresholds", listing,
					   TAKT_COUNT_OF(listing)) &&
		       takt_arguments_no_operands(arguments, "takt diagnose --list-thresholds");
	return takt_arguments_exclude(arguments, OPTION_DIAGNOSE_NO_TIMING, timed,
				      TAKT_COUNT_OF(timed)) &&
	       takt_arguments_need(arguments, OPTION_DIAGNOSE_THREADS_VARIABLE, threads,
				   TAKT_COUNT_OF(threads)) &&
	       takt_arguments_exclude(arguments, OPTION_DIAGNOSE_BENCH, bandwidth,
				      TAKT_COUNT_OF(bandwidth));
}

int takt_diagnose_main(struct takt_arguments *arguments)
{
	takt_arguments_take_format(arguments, OPTION_DIAGNOSE_FORMAT, OPTION_DIAGNOSE_REPORT);
	if (!takt_arguments_text_or_json(arguments, OPTION_DIAGNOSE_LIST_THRESHOLDS,
					 OPTION_DIAGNOSE_FORMAT) ||
	    !all_have_effect(arguments))
		return TAKT_EXIT_USAGE;
	if (arguments->values[OPTION_DIAGNOSE_LIST_THRESHOLDS])
		return list_thresholds(arguments);
	if (!arguments->program || arguments->operand_count) {
		if (arguments->operand_count)
			takt_say_error("'%s' is neither an option nor after '--'",
				       arguments->operands[0]);
		else
			takt_say_error("no program");
		takt_say_note("takt diagnose [OPTION]… -- PROGRAM [ARGUMENT]…");
		return TAKT_EXIT_USAGE;
	}
	return run(arguments, arguments->program);
}
