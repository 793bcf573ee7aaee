/* SPDX-License-Identifier: MIT */
/* Implements takt_trace_run(), which runs a command line and returns totals. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "isa/cpu.h"
#include "trace/live/live.h"
#include "trace/native/native.h"
#include "trace/sinks.h"

/* State of a run. */
struct run {
	const struct takt_trace_options *options;
	struct trace_observer *observer;
	const struct trace_guest *guest;
	struct trace_live live;
	struct trace_dictionary dictionary;
	struct trace_sinks sinks;
	struct trace_sequencer sequencer;
	struct trace_pace pace;
	struct takt_trace_totals *totals;
	struct trace_fault fault; /* valid if totals->fault is set */
	const char *path;	  /* the program's file */
	char *const *argv;
	off_t input;	    /* offset of standard input before the run; negative: it has none */
	char *native_cause; /* set if the program has to run again, natively; or NULL */
};

static char *join_words(const char *const *words, uint32_t count)
{
	struct takt_text text = {0};

	for (uint32_t i = 0; i < count; i++)
		takt_text_printf(&text, "%s%s", i ? " " : "", words[i]);
	return text.data ? text.data : takt_xstrdup("");
}

/* Complete the list of programs with what is known of the first process only. */
static void list_processes(struct run *run)
{
	struct takt_trace_totals *totals = run->totals;
	struct takt_trace_process *list;
	uint32_t last = 0;

	live_list_programs(&run->live, totals);
	list = (struct takt_trace_process *)(uintptr_t)totals->process_list;
	for (uint32_t i = 0; i < totals->process_count; i++) {
		bool first = list[i].begin == TAKT_TRACE_BEGIN_START ||
			     (list[i].begin == TAKT_TRACE_BEGIN_FORK && !*list[i].command);

		totals->became_other |= list[i].end == TAKT_TRACE_END_LOST;
		if (list[i].begin == TAKT_TRACE_BEGIN_EXEC && list[i].parent == last)
			last = i;
		if (!first)
			continue;
		free((void *)(uintptr_t)list[i].command);
		list[i].command = join_words(totals->command, totals->command_count);
	}
	if (totals->process_count && list[last].end != TAKT_TRACE_END_LOST) {
		list[last].end = totals->signal ? TAKT_TRACE_END_SIGNAL : TAKT_TRACE_END_EXIT;
		list[last].exit_status = totals->exit_status;
	}
	takt_trace_totals_sum_processes(totals);
}

/* ---- from qemu to the processor itself ---- */

/* True if a program that qemu could not run may run natively. */
static bool may_run_natively(const struct run *run)
{
	return run->options->backend == TAKT_TRACE_BACKEND_AUTO && !run->live.native &&
	       native_can_run(run->guest) && !run->options->check;
}

/* True unless others have seen something of the program: its system calls, or the log's begin. */
static bool may_run_again(const struct run *run)
{
	return !run->live.takes_stdout && !atomic_load(&run->live.area->acted);
}

/*
 * If qemu could not execute an instruction that this machine can, set `native_cause` so that the
 * program runs again.
 */
static bool turns_native(struct run *run, struct takt_diag *diag)
{
	const struct takt_trace_fault *fault;

	if (!may_run_natively(run))
		return false;
	fault = takt_trace_fault_describe(&run->dictionary, &run->fault);
	if (!fault->insn || !fault->lacking || !takt_cpu_runs(fault->extension)) {
		takt_trace_fault_free(fault);
		return false;
	}
	if (!may_run_again(run)) {
		takt_note(diag, "the program was not begun again on this machine's processor, as "
				"others may have seen what it did; '--backend=native' runs it "
				"there");
	} else {
		struct takt_text text = {0};

		takt_text_printf(&text, "qemu cannot execute '%s' (%s)", fault->insn,
				 fault->extension);
		run->native_cause = text.data;
	}
	takt_trace_fault_free(fault);
	return run->native_cause != NULL;
}

static bool find_fault(struct run *run, int status)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGILL &&
	       takt_trace_fault_find(&run->sequencer, &run->fault);
}

/* ---- parts ---- */

/* Report which of the wanted functions no program has; false if there are any. */
static bool all_functions_exist(const struct run *run, struct takt_diag *diag)
{
	const struct takt_trace_parts *parts = run->options->parts;
	uint32_t found = atomic_load(&run->live.area->functions_found);
	bool all = true;

	for (uint32_t i = 0; parts && i < parts->function_count; i++) {
		if (found >> i & 1)
			continue;
		all = false;
		takt_error(diag,
			   "no program that ran has a function '%s', nor has a library that "
			   "was loaded when it began",
			   parts->functions[i]);
		takt_note(diag, "the profile of a run without '--step' has the functions' names; "
				"a stripped program has none");
	}
	return all;
}

static void fill_parts(struct run *run)
{
	const struct feed_area *area = run->live.area;
	struct takt_trace_seen *seen;

	if (!run->options->parts)
		return;
	seen = takt_xcalloc(1, sizeof(*seen));
	seen->parts = atomic_load(&area->part_count);
	if (!run->options->parts->function_count)
		seen->window_insns = run->options->parts->window_insns;
	seen->unseen_seconds = (double)atomic_load(&area->unseen_ns) / 1e9;
	run->totals->seen = seen;
}

static void fill_totals(struct run *run, int status, bool has_fault)
{
	struct takt_trace_totals *totals = run->totals;

	takt_trace_sequencer_end(&run->sequencer);
	if (run->live.places)
		takt_trace_places_find_lines(run->live.places);
	takt_trace_places_free(run->live.places); /* makes room for the result */
	run->live.places = NULL;
	takt_trace_sinks_finish(&run->sinks, totals);
	totals->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	totals->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	if (has_fault)
		totals->fault = takt_trace_fault_describe(&run->dictionary, &run->fault);
	/* A log does not say what ran the program, and its report is to be the same as the run's.
	 */
	totals->backend = run->live.native ? "native" : NULL;
	totals->checked_insns = run->live.checked_insns;
	totals->processes = atomic_load(&run->live.area->processes);
	list_processes(run);
	fill_parts(run);
}

static enum takt_status start(struct run *run, char *const *command, struct takt_diag *diag)
{
	const struct takt_trace_options *options = run->options;

	if (run->live.native)
		return native_start(&run->live, run->path, run->argv, options, diag);
	return takt_trace_live_start(&run->live, command, options->variables, diag);
}

static enum takt_status follow(struct run *run, char *const *command, struct takt_diag *diag)
{
	const struct trace_log_header header = {run->guest->name, !run->options->blocks_only};
	enum takt_status status = TAKT_OK;
	bool has_fault;
	int wait_status;

	if (run->options->log_path) {
		run->live.takes_stdout = strcmp(run->options->log_path, "-") == 0;
		status = takt_trace_log_create(run->options->log_path, &header, diag,
					       &run->live.log);
		if (status == TAKT_OK)
			takt_trace_log_add_command(run->live.log, run->totals->command,
						   run->totals->command_count);
	}
	if (status == TAKT_OK)
		status = start(run, command, diag);
	if (status == TAKT_OK)
		status = takt_trace_live_read(&run->live, run->options->signal, diag, &wait_status);
	if (status == TAKT_OK) {
		has_fault = find_fault(run, wait_status);
		if (has_fault && turns_native(run, diag)) {
			takt_trace_log_abandon(run->live.log);
			return TAKT_OK;
		}
		fill_totals(run, wait_status, has_fault);
		if (!all_functions_exist(run, diag))
			status = TAKT_BAD_INPUT;
	}
	if (run->live.log && status == TAKT_OK) {
		if (run->totals->fault)
			takt_trace_log_add_fault(run->live.log, &run->fault);
		takt_trace_log_add_lines(run->live.log, &run->dictionary);
		return takt_trace_log_close(run->live.log, run->totals, diag);
	}
	takt_trace_log_abandon(run->live.log);
	return status;
}

static enum takt_status trace_guest(struct run *run, char *const *command, struct takt_diag *diag)
{
	enum takt_status status;

	run->totals->guest = run->guest->name;
	run->totals->blocks_only = run->options->blocks_only;
	run->live.sequencer = &run->sequencer;
	run->live.pace = &run->pace;
	trace_pace_init(&run->pace, run->options, &run->sinks.counter);
	takt_trace_dictionary_init(&run->dictionary, run->guest);
	takt_trace_sinks_init(&run->sinks, run->options);
	run->sinks.observer = run->observer;
	status = takt_trace_sinks_begin(&run->sinks, &run->dictionary, diag);
	if (run->options->profile || run->options->log_path || run->observer ||
	    run->sinks.layouts || run->options->dependences)
		run->live.places =
			takt_trace_places_new(&run->dictionary, run->options->named_file);
	takt_trace_sequencer_init(&run->sequencer, &run->dictionary, run->sinks.first,
				  !run->options->blocks_only);
	if (status == TAKT_OK)
		status = follow(run, command, diag);
	takt_trace_sequencer_release(&run->sequencer);
	takt_trace_places_free(run->live.places);
	takt_trace_sinks_release(&run->sinks);
	takt_trace_dictionary_release(&run->dictionary);
	return status;
}

static enum takt_status run_guest(struct run *run, struct takt_arena *arena, struct takt_diag *diag)
{
	enum takt_status status = takt_trace_live_open(diag, &run->live);
	struct trace_guest_program program = {
		.guest = run->guest, .path = run->path, .argv = run->argv};
	char **command = NULL;

	if (status != TAKT_OK)
		return status;
	run->live.follows = !run->options->no_children;
	run->live.native = run->native_cause || run->options->backend == TAKT_TRACE_BACKEND_NATIVE;
	run->totals->native_cause = run->native_cause;
	run->native_cause = NULL;
	program.plugin_arguments =
		takt_arena_printf(arena, "accesses=%s,count=%s,feed=%d,slot=0",
				  run->options->blocks_only ? "off" : "on",
				  run->options->check ? "on" : "off", run->live.descriptor);
	if (!run->live.native)
		status = takt_trace_guest_command(&program, arena, diag, &command);
	if (status == TAKT_OK) {
		if (command)
			takt_trace_live_set_launch(&run->live, command);
		status = trace_guest(run, command, diag);
	}
	takt_trace_live_close(&run->live);
	return status;
}

/* Run the program, and once more natively if qemu cannot execute it. */
static enum takt_status run_program(struct run *run, struct takt_arena *arena,
				    struct takt_diag *diag)
{
	enum takt_status status =
		takt_trace_guest_open(run->argv[0], arena, diag, &run->path, &run->guest);

	if (status == TAKT_OK && run->options->backend == TAKT_TRACE_BACKEND_NATIVE &&
	    !native_can_run(run->guest)) {
		takt_error(diag, "'%s' is for %s, which this machine cannot run natively",
			   run->path, run->guest->name);
		takt_note(diag, "'--backend=qemu' runs it");
		return TAKT_UNAVAILABLE;
	}
	if (status == TAKT_OK && run->options->parts &&
	    (run->options->backend != TAKT_TRACE_BACKEND_NATIVE || run->options->log_path)) {
		takt_error(diag, "parts of a program are traced natively and without a log only");
		return TAKT_BAD_INPUT;
	}
	run->input = lseek(STDIN_FILENO, 0, SEEK_CUR);
	if (status == TAKT_OK)
		status = run_guest(run, arena, diag);
	if (status != TAKT_OK || !run->native_cause)
		return status;
	takt_note(diag, "%s, so the program was begun again on this machine's processor",
		  run->native_cause);
	if (run->input >= 0 && lseek(STDIN_FILENO, run->input, SEEK_SET) < 0)
		takt_warning(diag, "cannot read standard input again: %s", strerror(errno));
	return run_guest(run, arena, diag);
}

enum takt_status takt_trace_observe(char *const *argv, const struct takt_trace_options *options,
				    struct trace_observer *observer, struct takt_diag *diag,
				    struct takt_trace_totals **ret_totals)
{
	static const struct takt_trace_options none;
	struct takt_arena arena = {0};
	/* Too large for the stack: it holds the state of all rings. */
	struct run *run = takt_xcalloc(1, sizeof(*run));
	enum takt_status status;
	const char **words;
	uint32_t count = 0;

	run->options = options ? options : &none;
	run->observer = observer;
	run->argv = argv;
	run->totals = takt_xcalloc(1, sizeof(*run->totals));
	while (argv[count])
		count++;
	words = takt_xcalloc(count + (size_t)1, sizeof(*words));
	for (uint32_t i = 0; i < count; i++)
		words[i] = argv[i];
	takt_trace_totals_set_command(run->totals, words, count);
	free(words);
	status = run_program(run, &arena, diag);
	takt_arena_release(&arena);
	if (status == TAKT_OK)
		*ret_totals = run->totals;
	else
		takt_trace_totals_free(run->totals);
	free(run);
	return status;
}

enum takt_status takt_trace_run(char *const *argv, const struct takt_trace_options *options,
				struct takt_diag *diag, struct takt_trace_totals **ret_totals)
{
	return takt_trace_observe(argv, options, NULL, diag, ret_totals);
}
