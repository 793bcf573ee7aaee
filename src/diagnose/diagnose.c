/* SPDX-License-Identifier: MIT */
/* takt_diagnose: runs, looks, judges. */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/diagnose.h"

/* What the machine takt runs on executes. */
#if defined(__aarch64__)
#define HOST "aarch64"
#elif defined(__riscv)
#define HOST "riscv64"
#else
#define HOST "x86-64"
#endif

#define BUSY_SHARE 0.8 /* of the time that a run takes, the CPU time of all its threads */

/* Tells the program how many threads are wanted, and sets the environment right again. */
struct told {
	const char *name;
	char *before;
	bool was_set;
};

static struct told tell_threads(const struct takt_diagnose_options *options, uint32_t threads)
{
	struct told told = {.name = options->threads_variable ? options->threads_variable
							      : "OMP_NUM_THREADS"};
	const char *value = getenv(told.name);
	char number[16];

	if (!threads)
		return (struct told){0};
	told.was_set = value != NULL;
	told.before = value ? strdup(value) : NULL;
	snprintf(number, sizeof(number), "%u", threads);
	setenv(told.name, number, 1);
	return told;
}

static void untell_threads(struct told *told)
{
	if (told->name && told->was_set && told->before)
		setenv(told->name, told->before, 1);
	else if (told->name)
		unsetenv(told->name);
	free(told->before);
}

/* With the largest of the numbers asked for. */
static enum takt_status gather(char *const *argv, const struct takt_diagnose_options *options,
			       struct takt_diag *diag, struct diagnose_seen *seen,
			       struct takt_trace_totals **ret_totals)
{
	uint32_t counts[16], count = 0, most = 0;
	enum takt_status status;
	struct told told;

	if (options->threads) {
		count = takt_diagnose_thread_counts(options->threads, diag, counts);
		if (!count)
			return TAKT_BAD_INPUT;
	}
	for (uint32_t i = 0; i < count; i++)
		if (counts[i] > most)
			most = counts[i];
	told = tell_threads(options, most);
	status = takt_diagnose_gather(takt_diagnose_arguments(argv, most, &seen->arena), options,
				      diag, seen, ret_totals);
	untell_threads(&told);
	return status;
}

/* Memories of this machine, as the kernel lists them; 1 if it does not. */
static uint32_t host_nodes(void)
{
	DIR *directory = opendir("/sys/devices/system/node");
	struct dirent *entry;
	uint32_t count = 0;

	while (directory && (entry = readdir(directory)))
		count += strncmp(entry->d_name, "node", 4) == 0 && entry->d_name[4] >= '0' &&
			 entry->d_name[4] <= '9';
	if (directory)
		closedir(directory);
	return count ? count : 1;
}

static void add_note(struct diagnose_report *report, const char *note)
{
	const char **notes =
		TAKT_NEW_ARRAY(&report->arena, report->diagnosis.note_count + 1, const char *);

	if (report->diagnosis.note_count)
		memcpy(notes, report->diagnosis.notes,
		       report->diagnosis.note_count * sizeof(*notes));
	notes[report->diagnosis.note_count++] = note;
	report->diagnosis.notes = notes;
}

/* A thread that computes has its processor all the time, unless others compete for it. */
static bool was_disturbed(const struct takt_timed_run *run)
{
	return run->cpu_seconds < BUSY_SHARE * run->seconds;
}

static void add_timed_notes(struct diagnose_report *report, const struct diagnose_seen *seen,
			    const struct takt_diagnose_options *options)
{
	if (!options->no_timing && strcmp(seen->guest->name, HOST) != 0)
		add_note(report, "this machine cannot run the program itself: nothing is timed");
	else if (!options->no_timing && !seen->run_count)
		add_note(report, "the program failed natively: nothing is timed");
	for (uint32_t i = 0; i < seen->run_count; i++)
		if (was_disturbed(&seen->runs[i])) {
			add_note(report,
				 "the program was kept from computing for a part of the time: "
				 "it slept, or others had the processors; speedups mean little");
			return;
		}
}

static void add_notes(struct diagnose_report *report, const struct diagnose_seen *seen,
		      const struct diagnose_measure *measure,
		      const struct takt_diagnose_options *options,
		      const struct takt_trace_totals *totals)
{
	add_note(report,
		 "cycles, misses and wrong branches are those of a model; only figures marked "
		 "'timed' are of this machine");
	if (takt_diagnose_trust_skips(&measure->trust))
		add_note(report,
			 takt_arena_printf(&report->arena,
					   "the trust table's volumes are of the caches of %s: of "
					   "these nothing is known",
					   measure->trust.table->core));
	if (measure->nodes > 1 && seen->thread_count > 1)
		add_note(report, takt_arena_printf(&report->arena,
						   "threads are taken to be on %u nodes in blocks, "
						   "as by OMP_PROC_BIND=close",
						   measure->nodes));
	if (seen->left_out)
		add_note(report,
			 takt_arena_printf(&report->arena,
					   "%llu accesses are missing in lines and strides: "
					   "there was no room for more",
					   (unsigned long long)seen->left_out));
	if (totals->unknown_insns)
		add_note(report,
			 takt_arena_printf(&report->arena,
					   "%llu instructions that ran are unknown to the model",
					   (unsigned long long)totals->unknown_insns));
	if (totals->became_other)
		add_note(report, "the program became another one by exec: that was not looked at");
	add_timed_notes(report, seen, options);
	if (seen->thread_count > ORACLE_BLOCK_THREADS)
		add_note(report, "work of threads beyond the first 32 was not looked at");
}

static void fill(struct diagnose_report *report, char *const *argv,
		 const struct diagnose_seen *seen, const struct takt_trace_totals *totals)
{
	struct takt_diagnosis *diagnosis = &report->diagnosis;
	struct takt_timed_run *runs =
		TAKT_NEW_ARRAY(&report->arena, seen->run_count, struct takt_timed_run);

	if (seen->run_count)
		memcpy(runs, seen->runs, seen->run_count * sizeof(*runs));
	diagnosis->program = takt_arena_copy(&report->arena, argv[0], strlen(argv[0]));
	diagnosis->backend = "emulate";
	diagnosis->guest = seen->guest->name;
	diagnosis->core = takt_arena_printf(&report->arena, "%s", takt_model_name(seen->model));
	diagnosis->insns = totals->all.insns;
	diagnosis->cycles = seen->cycles;
	diagnosis->thread_count = totals->thread_count;
	diagnosis->runs = runs;
	diagnosis->run_count = seen->run_count;
	diagnosis->exit_status = totals->exit_status;
	diagnosis->signal = totals->signal;
}

static enum takt_status time_runs(char *const *argv, const struct takt_diagnose_options *options,
				  struct diagnose_seen *seen, struct takt_diag *diag)
{
	struct takt_timed_run *runs;
	enum takt_status status;

	if (options->no_timing || strcmp(seen->guest->name, HOST) != 0)
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

enum takt_status takt_diagnose(char *const *argv, const struct takt_diagnose_options *options,
			       struct takt_diag *diag, struct takt_diagnosis **ret_diagnosis)
{
	struct diagnose_measure measure = {
		.nodes = options->numa_nodes ? options->numa_nodes : host_nodes(),
	};
	enum takt_status status = takt_diagnose_thresholds_read(
		options->thresholds, options->threshold_count, diag, &measure.thresholds);

	return status == TAKT_OK ? emulate(argv, options, &measure, diag, ret_diagnosis) : status;
}

void takt_diagnosis_free(struct takt_diagnosis *diagnosis)
{
	struct diagnose_report *report = (struct diagnose_report *)diagnosis;

	if (!report)
		return;
	takt_arena_release(&report->arena);
	free(report);
}
