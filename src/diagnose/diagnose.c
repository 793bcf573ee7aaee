/* SPDX-License-Identifier: MIT */
/* takt_diagnose(): runs a program, gathers evidence and judges it. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "diagnose/counted.h"

/* Least CPU time of all threads of an undisturbed run, as a share of its duration. */
#define BUSY_SHARE 0.8

/* Find the largest number of threads asked for; 0: none was. */
static enum takt_status find_most(const struct takt_diagnose_options *options,
				  struct takt_diag *diag, uint32_t *ret_most)
{
	uint32_t counts[16], count = 0;

	*ret_most = 0;
	if (options->threads) {
		count = takt_diagnose_thread_counts(options->threads, diag, counts);
		if (!count)
			return TAKT_BAD_INPUT;
	}
	for (uint32_t i = 0; i < count; i++)
		if (counts[i] > *ret_most)
			*ret_most = counts[i];
	return TAKT_OK;
}

static enum takt_status gather(char *const *argv, const struct takt_diagnose_options *options,
			       struct takt_diag *diag, struct diagnose_seen *seen,
			       struct takt_trace_totals **ret_totals)
{
	enum takt_status status;
	uint32_t most;

	status = find_most(options, diag, &most);
	if (status != TAKT_OK)
		return status;
	return takt_diagnose_gather(takt_diagnose_arguments(argv, most, &seen->arena),
				    takt_diagnose_environment(options, most, &seen->arena), options,
				    diag, seen, ret_totals);
}

/*
 * Return the number of NUMA nodes of this machine as the kernel lists them; 1 if it lists none; 0,
 * with an error, if that cannot be read.
 */
static uint32_t host_nodes(struct takt_diag *diag)
{
	static const char path[] = "/sys/devices/system/node";
	DIR *directory = opendir(path);
	struct dirent *entry;
	uint32_t count = 0;
	int error = errno == ENOENT || errno == EACCES ? 0 : errno;

	if (directory) {
		for (errno = 0; (entry = readdir(directory)); errno = 0)
			count += strncmp(entry->d_name, "node", 4) == 0 &&
				 takt_is_digit(entry->d_name[4]);
		error = errno;
		closedir(directory);
	}
	if (error) {
		takt_error(diag, "cannot read '%s': %s", path, strerror(error));
		takt_note(diag, "'--numa-nodes=N' says how many memories there are");
		return 0;
	}
	return count ? count : 1;
}

TAKT_PRINTF(2, 3) static void add_note(struct diagnose_report *report, const char *format, ...)
{
	struct takt_diagnosis *diagnosis = &report->diagnosis;
	const char **notes =
		takt_arena_grow(&report->arena, diagnosis->notes, diagnosis->note_count,
				diagnosis->note_count + 1, sizeof(*notes));
	va_list args;

	va_start(args, format);
	notes[diagnosis->note_count++] = takt_arena_vprintf(&report->arena, format, args);
	va_end(args);
	diagnosis->notes = notes;
}

/*
 * True if other load disturbed the run: otherwise a thread that computes has its processor all the
 * time.
 */
static bool was_disturbed(const struct takt_timed_run *run)
{
	return run->cpu_seconds < BUSY_SHARE * run->seconds;
}

static void add_timed_notes(struct diagnose_report *report, const char *guest,
			    const struct takt_diagnose_options *options)
{
	const struct takt_diagnosis *diagnosis = &report->diagnosis;

	if (!options->no_timing && strcmp(guest, TAKT_HOST_ISA) != 0)
		add_note(report, "this machine cannot run the program itself: nothing is timed");
	else if (!options->no_timing && !diagnosis->run_count)
		add_note(report, "the program failed natively: nothing is timed");
	for (uint32_t i = 0; i < diagnosis->run_count; i++)
		if (was_disturbed(&diagnosis->runs[i])) {
			add_note(report,
				 "the program did not compute all the time: it slept, or other "
				 "programs used the processors; speedups mean little");
			return;
		}
}

static void add_missing(struct diagnose_report *report, const struct takt_trace_totals *totals)
{
	struct takt_text text = {0};
	char *copy, *line, *rest = NULL;

	takt_trace_write_missing(totals, &text);
	copy = takt_text_move(&text, &report->arena);
	for (line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		add_note(report, "%s", line);
}

static const char *say_killed(struct diagnose_report *report,
			      const struct takt_trace_totals *totals)
{
	struct takt_text text = {0};

	takt_trace_write_killed(totals, &text);
	return takt_text_move(&text, &report->arena);
}

static void add_notes(struct diagnose_report *report, const struct diagnose_seen *seen,
		      const struct diagnose_measure *measure,
		      const struct takt_diagnose_options *options,
		      const struct takt_trace_totals *totals)
{
	if (options->backend == TAKT_DIAGNOSE_AUTO)
		add_note(report, "by emulation: this machine has no counters that may be used, or "
				 "cannot run the program");
	add_note(report, "cycles, misses and mispredicted branches are those of a model; only "
			 "figures marked 'timed' were measured on this machine");
	if (takt_diagnose_trust_skips(&measure->trust))
		add_note(report,
			 "the trust table holds volumes for the caches "
			 "of %s, which say nothing about this core's",
			 measure->trust.table->core);
	if (measure->nodes > 1 && seen->thread_count > 1)
		add_note(report,
			 "threads are taken to be on %u nodes in blocks, "
			 "as by OMP_PROC_BIND=close",
			 measure->nodes);
	if (seen->left_out)
		add_note(report,
			 "%llu %s missing in the counts of lines: "
			 "the table for them was full",
			 (unsigned long long)seen->left_out,
			 takt_noun(seen->left_out, "access is", "accesses are"));
	if (totals->unknown_insns)
		add_note(report, "%llu %s unknown to the model",
			 (unsigned long long)totals->unknown_insns,
			 takt_noun(totals->unknown_insns, "executed instruction is",
				   "executed instructions are"));
	add_missing(report, totals);
	add_timed_notes(report, seen->guest->name, options);
	if (seen->thread_count > ORACLE_BLOCK_THREADS)
		add_note(report, "the work of threads after the first 32 was not analyzed");
}

static void fill_runs(struct diagnose_report *report, const struct takt_timed_run *runs,
		      uint32_t count)
{
	struct takt_timed_run *kept = TAKT_NEW_ARRAY(&report->arena, count, struct takt_timed_run);

	if (count)
		memcpy(kept, runs, count * sizeof(*kept));
	report->diagnosis.runs = kept;
	report->diagnosis.run_count = count;
}

static void fill(struct diagnose_report *report, char *const *argv,
		 const struct diagnose_seen *seen, const struct takt_trace_totals *totals)
{
	struct takt_diagnosis *diagnosis = &report->diagnosis;

	fill_runs(report, seen->runs, seen->run_count);
	diagnosis->program = takt_arena_string(&report->arena, argv[0]);
	diagnosis->backend = "emulate";
	diagnosis->guest = seen->guest->name;
	diagnosis->core = takt_arena_string(&report->arena, takt_model_name(seen->model));
	if (takt_model_choice(seen->model))
		diagnosis->core_choice =
			takt_arena_string(&report->arena, takt_model_choice(seen->model));
	diagnosis->insns = totals->all.insns;
	diagnosis->cycles = seen->cycles;
	diagnosis->thread_count = totals->thread_count;
	diagnosis->exit_status = totals->exit_status;
	diagnosis->signal = totals->signal;
	diagnosis->killed = say_killed(report, totals);
}

static enum takt_status time_runs(char *const *argv, const struct takt_diagnose_options *options,
				  struct diagnose_seen *seen, struct takt_diag *diag)
{
	struct takt_timed_run *runs;
	enum takt_status status;

	if (options->no_timing || strcmp(seen->guest->name, TAKT_HOST_ISA) != 0)
		return TAKT_OK;
	status = takt_diagnose_time(argv, options, &seen->arena, diag, &runs, &seen->run_count);
	if (status == TAKT_OK)
		seen->runs = runs;
	return status;
}

static struct takt_diagnosis *judge(char *const *argv, const struct diagnose_seen *seen,
				    const struct diagnose_measure *measure,
				    const struct takt_diagnose_options *options,
				    const struct takt_trace_totals *totals)
{
	struct diagnose_report *report = takt_xcalloc(1, sizeof(*report));

	fill(report, argv, seen, totals);
	if (takt_model_doubt(seen->model))
		add_note(report, "%s", takt_model_doubt(seen->model));
	takt_diagnose_judge(seen, measure, options, report);
	add_notes(report, seen, measure, options, totals);
	return &report->diagnosis;
}

static enum takt_status emulate(char *const *argv, const struct takt_diagnose_options *options,
				struct diagnose_measure *measure, struct takt_diag *diag,
				struct takt_diagnosis **ret_diagnosis)
{
	struct diagnose_seen seen = {.run_count = 0};
	struct takt_trace_totals *totals = NULL;
	enum takt_status status = takt_diagnose_find_model(argv, options, &seen, diag);

	if (status == TAKT_OK)
		status = takt_diagnose_trust_open(options->trust, "emulate", seen.guest->name,
						  takt_model_name(seen.model), diag,
						  &measure->trust);
	if (status == TAKT_OK)
		status = gather(argv, options, diag, &seen, &totals);
	if (status == TAKT_OK)
		status = time_runs(argv, options, &seen, diag);
	if (status == TAKT_OK)
		*ret_diagnosis = judge(argv, &seen, measure, options, totals);
	takt_trace_totals_free(totals);
	takt_arena_release(&seen.arena);
	return status;
}

/* ---- by counters ---- */

/* Count the program's run with the most threads. */
static enum takt_status count(char *const *argv, const struct takt_diagnose_options *options,
			      const struct diagnose_groups *groups, struct takt_diag *diag,
			      struct takt_count_result **ret_result)
{
	struct takt_arena arena = {0};
	enum takt_status status;
	uint32_t most;

	status = find_most(options, diag, &most);
	if (status != TAKT_OK)
		return status;
	status = takt_diagnose_pmu(takt_diagnose_arguments(argv, most, &arena),
				   takt_diagnose_environment(options, most, &arena), options,
				   groups, diag, ret_result);
	takt_arena_release(&arena);
	return status;
}

static void fill_counted(struct diagnose_report *report, char *const *argv,
			 const struct counted *counted, const struct takt_count_result *result)
{
	report->diagnosis = (struct takt_diagnosis){
		.backend = "pmu",
		.program = takt_arena_string(&report->arena, argv[0]),
		.guest = TAKT_HOST_ISA,
		.core = takt_arena_string(&report->arena, counted->core),
		.insns = isnan(counted->insns) ? 0 : (uint64_t)counted->insns,
		.cycles = isnan(counted->cycles) ? 0 : (uint64_t)counted->cycles,
		.thread_count = result->thread_count,
		.foreign_lines = NAN,
		.unplaced_lines = NAN,
		.exit_status = result->exit_status,
		.signal = result->signal,
		.killed = say_killed(report, &(struct takt_trace_totals){.signal = result->signal}),
	};
	add_note(report,
		 "counted by the processor, with events of %s; counters "
		 "know no places: '--backend=emulate' names them",
		 counted->family);
	for (uint32_t i = 0; i < result->note_count; i++)
		add_note(report, "%s", result->notes[i]);
}

static enum takt_status judge_result(char *const *argv, const struct takt_diagnose_options *options,
				     struct diagnose_measure *measure,
				     const struct takt_count_result *result, struct takt_diag *diag,
				     struct takt_diagnosis **ret_diagnosis)
{
	struct diagnose_report *report = takt_xcalloc(1, sizeof(*report));
	struct takt_timed_run *runs = NULL;
	struct counted counted;
	uint32_t run_count = 0;
	enum takt_status status = takt_diagnose_counted(result, &report->arena, diag, &counted);

	if (status == TAKT_OK)
		status = takt_diagnose_trust_open(options->trust, "pmu", TAKT_HOST_ISA,
						  counted.core, diag, &measure->trust);
	if (status == TAKT_OK && !options->no_timing)
		status = takt_diagnose_time(argv, options, &report->arena, diag, &runs, &run_count);
	if (status != TAKT_OK) {
		takt_diagnosis_free(&report->diagnosis);
		return status;
	}
	fill_counted(report, argv, &counted, result);
	fill_runs(report, runs, run_count);
	takt_diagnose_judge_counted(&counted, measure, options, report);
	add_timed_notes(report, TAKT_HOST_ISA, options);
	*ret_diagnosis = &report->diagnosis;
	return TAKT_OK;
}

static enum takt_status by_counters(char *const *argv, const struct takt_diagnose_options *options,
				    struct diagnose_measure *measure,
				    const struct diagnose_groups *groups, struct takt_diag *diag,
				    struct takt_diagnosis **ret_diagnosis)
{
	struct takt_count_result *result;
	enum takt_status status = count(argv, options, groups, diag, &result);

	if (status != TAKT_OK)
		return status;
	status = judge_result(argv, options, measure, result, diag, ret_diagnosis);
	takt_count_result_free(result);
	return status;
}

/* ---- choice of the backend ---- */

static bool runs_here(char *const *argv, struct takt_arena *arena)
{
	const struct trace_guest *guest;
	const char *path;

	return takt_trace_guest_open(argv[0], arena, NULL, &path, &guest) == TAKT_OK &&
	       strcmp(guest->name, TAKT_HOST_ISA) == 0;
}

static enum takt_status diagnose(char *const *argv, const struct takt_diagnose_options *options,
				 struct diagnose_measure *measure, struct takt_arena *arena,
				 struct takt_diag *diag, struct takt_diagnosis **ret_diagnosis)
{
	struct diagnose_groups groups = {.count = 0};

	if (options->backend == TAKT_DIAGNOSE_PMU ||
	    (options->backend == TAKT_DIAGNOSE_AUTO && runs_here(argv, arena)))
		groups = takt_diagnose_pmu_groups(options, arena);
	if (options->backend == TAKT_DIAGNOSE_EMULATE ||
	    (options->backend == TAKT_DIAGNOSE_AUTO && !groups.count))
		return emulate(argv, options, measure, diag, ret_diagnosis);
	return by_counters(argv, options, measure, &groups, diag, ret_diagnosis);
}

enum takt_status takt_diagnose_options_check(const struct takt_diagnose_options *options,
					     struct takt_diag *diag)
{
	struct diagnose_thresholds thresholds;
	uint32_t most;
	enum takt_status status = takt_diagnose_thresholds_read(
		options->thresholds, options->threshold_count, diag, &thresholds);

	return status == TAKT_OK ? find_most(options, diag, &most) : status;
}

enum takt_status takt_diagnose(char *const *argv, const struct takt_diagnose_options *options,
			       struct takt_diag *diag, struct takt_diagnosis **ret_diagnosis)
{
	struct diagnose_measure measure = {
		.nodes = options->numa_nodes ? options->numa_nodes : host_nodes(diag),
	};
	struct takt_arena arena = {0};
	enum takt_status status = takt_diagnose_thresholds_read(
		options->thresholds, options->threshold_count, diag, &measure.thresholds);

	if (status != TAKT_OK)
		return status;
	if (!measure.nodes)
		return TAKT_UNAVAILABLE;
	status = diagnose(argv, options, &measure, &arena, diag, ret_diagnosis);
	takt_arena_release(&arena);
	return status;
}

void takt_diagnosis_free(struct takt_diagnosis *diagnosis)
{
	TAKT_FREE_OWNER(struct diagnose_report, diagnosis);
}
