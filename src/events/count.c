/* SPDX-License-Identifier: MIT */
/* takt_count(): chooses the backend and the plan. */
#include <math.h>
#include <string.h>

#include "events/backend.h"
#include "events/timed.h"

/* Report options of one backend that the other one would silently ignore. */
static bool options_are_fine(char *const *argv, const struct takt_count_options *options,
			     struct takt_diag *diag)
{
	bool emulates = options->backend == TAKT_COUNT_EMULATE;
	const char *wrong = NULL;

	if (emulates)
		wrong = options->cpus			? "pinning to CPUs"
			: options->per_cpu		? "counting per CPU"
			: options->attach_pid		? "attaching to a process"
			: options->interval_seconds > 0 ? "a timeline"
							: NULL;
	else
		wrong = options->log_path ? "a log" : options->timed ? "a run for its time" : NULL;
	if (wrong) {
		takt_error(diag, "%s is for the backend '%s'", wrong, emulates ? "pmu" : "emulate");
		takt_note(diag, "add '--backend=%s'", emulates ? "pmu" : "emulate");
		if (!emulates && options->log_path)
			takt_note(diag, "a program follows '--': takt count -- PROGRAM");
		return false;
	}
	if (!argv && !options->log_path && !options->attach_pid && !options->per_cpu) {
		takt_error(diag, "no program to count");
		return false;
	}
	return true;
}

/*
 * Return the family of events that all processors of this machine's vendor count, for cores that
 * are unknown or have no family of their own.
 */
static const char *makers_family(void)
{
	struct takt_file file;
	bool is_amd;

	if (strcmp(TAKT_HOST_ISA, "aarch64") == 0)
		return "arm";
	if (takt_file_open("/proc/cpuinfo", NULL, &file) != TAKT_OK)
		return "intel";
	is_amd = memmem(file.data, file.size_bytes, "AuthenticAMD", 12) != NULL;
	takt_file_close(&file);
	return is_amd ? "amd" : "intel";
}

/*
 * Make a plan for counters, with the core's family. The core is this machine's unless the user
 * named one.
 */
static enum takt_status plan_for_counters(const struct takt_count_options *options,
					  struct takt_arena *arena, struct takt_diag *diag,
					  struct events_plan *ret_plan)
{
	const struct takt_model *model = options->model;

	if (!model && options->open_model) {
		model = options->open_model(options->model_context, TAKT_HOST_ISA);
		if (!model)
			return TAKT_NOT_FOUND;
	}
	return takt_events_plan_new(options, options->model ? NULL : makers_family(), model, arena,
				    diag, ret_plan);
}

bool takt_events_can_count(const struct takt_count_options *options, struct takt_diag *diag)
{
	struct takt_arena arena = {0};
	struct events_plan plan;
	bool can;

	can = plan_for_counters(options, &arena, diag, &plan) == TAKT_OK &&
	      takt_pmu_can_count(&plan, &arena, diag);
	takt_arena_release(&arena);
	return can;
}

static enum takt_status count_events(char *const *argv, const struct takt_count_options *options,
				     struct takt_arena *arena, struct takt_diag *diag,
				     struct takt_count_result **ret_result)
{
	struct events_counts counts = {.seconds = NAN, .line_bytes = TAKT_LINE_BYTES};
	struct events_plan plan;
	enum takt_status status;

	if (options->backend == TAKT_COUNT_EMULATE) {
		status = takt_events_plan_new(options, "emulate", NULL, arena, diag, &plan);
		if (status == TAKT_OK)
			status = takt_events_emulate(argv, &plan, arena, diag, &counts);
	} else {
		status = plan_for_counters(options, arena, diag, &plan);
		if (status == TAKT_OK)
			status = takt_pmu_count(argv, &plan, arena, diag, &counts);
	}
	if (status == TAKT_OK)
		*ret_result = takt_events_result_new(&plan, &counts);
	return status;
}

enum takt_status takt_count(char *const *argv, const struct takt_count_options *options,
			    struct takt_diag *diag, struct takt_count_result **ret_result)
{
	struct takt_arena arena = {0};
	enum takt_status status;

	if (!options_are_fine(argv, options, diag))
		return TAKT_BAD_INPUT;
	status = count_events(argv, options, &arena, diag, ret_result);
	takt_arena_release(&arena);
	return status;
}
