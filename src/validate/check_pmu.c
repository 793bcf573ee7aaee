/* SPDX-License-Identifier: MIT */
/*
 * Validates the processor's counters: events with the meaning of one of the oracle's, on kernels,
 * or on any program that is run under both. Counters see interrupts, so each figure is measured
 * several times.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "validate/check.h"
#include "validate/meanings.h"

#define TIMES 10u
#define INSTRUCTIONS 5000000u /* instructions in the difference of two runs, approximately */
#define TRIPS 64u
/*
 * Repetitions over lines that two threads share, 64 lines in each; what is counted depends on
 * chance.
 */
#define ORDER_REPEATS 20000u
#define ORDER_TIMES 3u

/* ---- runs ---- */

/*
 * Count an event in a run, without the kernel's work, which does not follow from the program's
 * instructions.
 */
static bool count(struct check *check, char *const *argv, const char *event, const char *cpus,
		  struct takt_diag *diag, double *ret_count)
{
	const char *const of_user = takt_arena_printf(&check->list->arena, "%s:u", event);
	const struct takt_count_options options = {
		.backend = TAKT_COUNT_PMU,
		.groups = &of_user,
		.group_count = 1,
		.cpus = cpus,
		.model = check->options->model,
	};
	struct takt_count_result *result;

	if (takt_count(argv, &options, diag, &result) != TAKT_OK)
		return false;
	*ret_count = result->sum_count && result->event_count ? result->sums[0].events[0] : 0;
	takt_count_result_free(result);
	return true;
}

/* True if the machine can count the event. */
static bool has_event(struct check *check, char *const *argv, const char *event)
{
	struct takt_diag *diag = takt_diag_new();
	double counted;
	bool fine = count(check, argv, event, NULL, diag, &counted);

	takt_diag_free(diag);
	return fine;
}

static bool goes_on(struct check *check, const char *what)
{
	if (check->options->progress && !check->options->progress(check->options->context, what))
		check->stopped = true;
	return !check->stopped;
}

/* Count, several times, how much more twice as many repetitions count. */
static bool count_differences(struct check *check, struct program *program, const char *event,
			      double differences[TIMES])
{
	char *argv[] = {check->path, NULL};
	uint64_t repeats = program->threads[0].repeats;

	for (uint32_t twice = 0; twice < 2; twice++) {
		program->threads[0].repeats = repeats << twice;
		if (takt_kernel_program_write(program, check->path, check->diag) != TAKT_OK)
			return false;
		for (uint32_t i = 0; i < TIMES; i++) {
			double counted;

			if (!count(check, argv, event, NULL, check->diag, &counted))
				return false;
			differences[i] = twice ? counted - differences[i] : counted;
		}
	}
	program->threads[0].repeats = repeats;
	return true;
}

/* ---- kernels ---- */

/*
 * Check an event on a kernel with data in `level`, or with little data if the level does not matter
 * (KERNEL_LEVELS).
 */
static bool check_kernel(struct check *check, const struct check_meaning *meaning,
			 const struct kernel_request *request, enum kernel_level level)
{
	struct kernel_code *code = takt_xcalloc(1, sizeof(*code));
	const char *reason,
		*level_name = level < KERNEL_LEVELS ? takt_kernel_level_names[level] : "";
	uint64_t bytes, repeats;
	struct oracle_counts expected, once;
	double differences[TIMES], wanted, scale;
	struct program program;
	char name[KERNEL_NAME_MAX];
	bool fine = true;

	takt_kernel_name(request, name);
	takt_kernel_emit(request, code);
	bytes = level == KERNEL_LEVELS
			? (uint64_t)code->trip_bytes * TRIPS
			: takt_kernel_level_bytes(&check->caches, level, 1, &reason) /
				  takt_check_cached(code);
	takt_kernel_program_make(request, code, bytes, 1, &program);
	takt_kernel_expect(code, program.threads[0].stream_bytes, 1, &once);
	repeats = INSTRUCTIONS / once.insns + 1;
	program.threads[0].repeats = repeats;
	takt_kernel_expect(code, program.threads[0].stream_bytes, repeats, &expected);
	wanted = level == KERNEL_LEVELS
			 ? takt_meaning_value(meaning, &expected)
			 : takt_check_volume(check, code, &program, meaning->meaning, level) *
				   (double)repeats / meaning->per;
	scale = (double)expected.insns;
	if (bytes)
		fine = count_differences(check, &program, meaning->event, differences);
	for (uint32_t i = 0; bytes && fine && i < TIMES; i++)
		ADD_CASE(check, .event = meaning->event, .kernel = name, .level = level_name,
			 .expected = wanted, .counted = differences[i], .scale = scale);
	free(code);
	return fine;
}

/* Check that an event counts more, the more lines two processors share. */
static bool check_order(struct check *check, const char *event)
{
	char *argv[] = {check->path, NULL}, cpus[32];
	uint32_t *list = takt_xcalloc(KERNEL_CPUS_MAX, sizeof(*list));
	bool enough = takt_kernel_cpus(list) > 1, fine = true;

	snprintf(cpus, sizeof(cpus), "%u,%u", list[0], list[1]);
	free(list);
	if (!enough) {
		takt_trust_list_note(check->list, "no sharing of lines: there is one processor");
		return true;
	}
	for (size_t i = 0; i < CHECK_RATES && fine; i++) {
		struct program program;

		fine = takt_check_make_order(check, takt_check_rates[i], 0, ORDER_REPEATS,
					     &program) == TAKT_OK &&
		       takt_kernel_program_write(&program, check->path, check->diag) == TAKT_OK;
		for (uint32_t k = 0; k < ORDER_TIMES && fine; k++) {
			double counted;

			fine = count(check, argv, event, cpus, check->diag, &counted);
			if (fine)
				takt_trust_list_sample(check->list, event, takt_check_rates[i],
						       counted);
		}
	}
	return fine;
}

static bool check_event(struct check *check, const struct check_meaning *meaning)
{
	bool modelled = takt_meaning_is_volume(meaning);

	if (!goes_on(check, meaning->event))
		return false;
	if (meaning->flags & MEANING_ORDER)
		return check_order(check, meaning->event);
	for (uint32_t i = 0; i < check->request_count; i++) {
		const struct kernel_request *request = &check->requests[i];

		if (!modelled && !check_kernel(check, meaning, request, KERNEL_LEVELS))
			return false;
		for (unsigned level = 0; modelled && level < KERNEL_LEVELS; level++)
			if (check->levels[level] && takt_check_has_volumes(check, request) &&
			    !check_kernel(check, meaning, request, (enum kernel_level)level))
				return false;
	}
	return true;
}

static bool write_any(struct check *check)
{
	struct kernel_code *code = takt_xcalloc(1, sizeof(*code));
	struct program program;
	enum takt_status status;

	takt_kernel_emit(&check->requests[0], code);
	takt_kernel_program_make(&check->requests[0], code, 1, 1, &program);
	status = takt_kernel_program_write(&program, check->path, check->diag);
	free(code);
	return status == TAKT_OK;
}

/* Report why this machine lacks an event that all processors of its kind have. */
static bool report_none(struct check *check, char *const *argv)
{
	const char *event = KERNEL_HOST == KERNEL_AARCH64 ? "INST_RETIRED" : "INST_RETIRED.ANY_P";
	double counted;

	if (count(check, argv, event, NULL, check->diag, &counted)) {
		takt_error(check->diag, "none of the events that can be validated exists here");
		takt_note(check->diag, "'takt count --list' shows what there is");
	}
	return false;
}

bool takt_check_pmu(struct check *check)
{
	char *argv[] = {check->path, NULL};
	uint32_t events = 0;

	if (check->request_count == 0 || !write_any(check))
		return false;
	for (size_t i = 0; i < takt_meaning_count; i++) {
		if (!has_event(check, argv, takt_meanings[i].event))
			continue;
		events++;
		if (!check_event(check, &takt_meanings[i]))
			return false;
	}
	return events || report_none(check, argv);
}

/* ---- any program ---- */

static void look(void *context, const struct oracle *oracle,
		 const struct trace_dictionary *dictionary)
{
	struct oracle_counts *sum = context;

	(void)dictionary;
	for (uint32_t i = 0; i < takt_oracle_thread_count(oracle); i++) {
		const struct oracle_counts *one = takt_oracle_thread(oracle, i);

#define X(field, ...) sum->field += one->field;
		ORACLE_EVENT_LIST(X)
#undef X
	}
}

static uint64_t count_faults(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_CHILDREN, &usage) != 0)
		return 0;
	return (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
}

/*
 * Check an event on the program. On x86-64, the return from a page fault or an interrupt retires as
 * one more instruction of the program; on AArch64, that instruction is one of the kernel's.
 */
static bool check_program_event(struct check *check, const struct check_meaning *meaning,
				const struct oracle_counts *expected)
{
	if (!goes_on(check, meaning->event))
		return false;
	for (uint32_t i = 0; i < TIMES; i++) {
		uint64_t faults = count_faults();
		double counted, wanted = takt_meaning_value(meaning, expected);

		if (!count(check, check->options->argv, meaning->event, NULL, check->diag,
			   &counted))
			return false;
		faults = count_faults() - faults;
		if (KERNEL_HOST == KERNEL_X86 && strcmp(meaning->meaning, "INSTRUCTIONS") == 0)
			wanted += (double)faults;
		ADD_CASE(check, .event = meaning->event, .kernel = check->options->argv[0],
			 .level = "", .expected = wanted, .counted = counted,
			 .scale = (double)expected->insns);
	}
	return true;
}

bool takt_check_program(struct check *check)
{
	static const struct takt_trace_options trace;
	char *const *argv = check->options->argv;
	struct oracle_counts expected = {.insns = 0};
	const struct emulate_options options = {
		.trace = &trace, .look = look, .context = &expected};
	struct takt_trace_totals *totals;
	uint32_t events = 0;

	if (!goes_on(check, argv[0]) ||
	    takt_emulate(argv, &options, check->diag, &totals) != TAKT_OK)
		return false;
	takt_trace_totals_free(totals);
	if (expected.insns == 0) {
		takt_error(check->diag, "'%s' ran no instruction under qemu", argv[0]);
		return false;
	}
	takt_trust_list_note(check->list,
			     "expected: what takt counted under qemu; instructions with the "
			     "program's page faults, but without interrupts, which counters "
			     "see as one more each. A C library may choose other code there");
	for (size_t i = 0; i < takt_meaning_count; i++) {
		if (takt_meaning_is_volume(&takt_meanings[i]) || takt_meanings[i].flags ||
		    !has_event(check, argv, takt_meanings[i].event))
			continue;
		events++;
		if (!check_program_event(check, &takt_meanings[i], &expected))
			return false;
	}
	return events || report_none(check, argv);
}
