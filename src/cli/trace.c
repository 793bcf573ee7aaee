/* SPDX-License-Identifier: MIT */
/* takt trace: simulates a program's run under qemu: its cycles, and their causes. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/command_docs.h"
#include "cli/trace.h"

#define TOP_MAX 1000000
#define ANNOTATED_USUAL 3
/* Seconds that a replay has after a signal to write its checkpoint and report. */
#define END_SECONDS_MAX 60

/* The signal sent to takt, which is passed to the program. Handlers can only reach a global. */
volatile int takt_trace_signal;

/* Note a signal. Those from the terminal (SI_KERNEL) reach the program directly. */
static void note_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code != SI_KERNEL)
		takt_trace_signal = number;
}

/* End a replay that did not finish in time after a signal. */
static void end_now(int number)
{
	(void)number;
	_exit(TAKT_EXIT_SIGNALLED + takt_trace_signal);
}

/* Note a signal, which ends a replay in order. A second one, or an alarm, ends takt at once. */
static void note_end(int number)
{
	takt_trace_signal = number;
	alarm(END_SECONDS_MAX);
}

void takt_trace_end_early(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = note_end, .sa_flags = (int)SA_RESETHAND};

	for (size_t i = 0; i < TAKT_COUNT_OF(numbers); i++)
		sigaction(numbers[i], &action, NULL);
	action.sa_handler = end_now;
	sigaction(SIGALRM, &action, NULL);
}

/* takt outlives the program that it traces: its report is written however the program ends. */
void takt_trace_outlive(void)
{
	static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_sigaction = note_signal, .sa_flags = SA_SIGINFO};

	for (size_t i = 0; i < TAKT_COUNT_OF(numbers); i++)
		sigaction(numbers[i], &action, NULL);
	/* If the signal were ignored, the program's exit status would be lost. */
	signal(SIGCHLD, SIG_DFL);
}

static struct takt_trace_write_options write_options(const struct takt_arguments *arguments)
{
	uint32_t top = 20;

	/* The option was checked before. */
	if (!takt_arguments_integer(arguments, OPTION_TRACE_TOP, 0, TOP_MAX, &top))
		top = 0;
	return (struct takt_trace_write_options){
		.threads = arguments->values[OPTION_TRACE_THREADS] != NULL,
		.by = (enum takt_trace_by)takt_arguments_choice(arguments, OPTION_TRACE_BY),
		.top = top,
	};
}

static bool write_folded(const char *path, const struct takt_trace_totals *totals)
{
	struct takt_text *text;
	bool fine;

	if (!path || !totals->profile)
		return true;
	text = takt_text_new();
	takt_write_trace_folded(totals->profile, text);
	fine = takt_output_write(path, text);
	takt_text_free(text);
	return fine;
}

static void add_timeline(const struct takt_arguments *arguments,
			 const struct takt_timeline *timeline, struct takt_text *text)
{
	const struct takt_write_options options = {.columns = 0};

	switch (takt_arguments_choice(arguments, OPTION_TRACE_TIMELINE_FORMAT)) {
	case 1:
		takt_write_timeline_perfetto(timeline, text);
		break;
	case 2:
		takt_write_timeline_konata(timeline, text);
		break;
	case 3:
		takt_write_timeline_json(timeline, text);
		break;
	default:
		takt_write_timeline_text(timeline, &options, text);
		break;
	}
}

/* Write the timeline to its file, or to standard output if the report did not go there. */
static bool write_timeline(const struct takt_arguments *arguments,
			   const struct takt_trace_totals *totals)
{
	struct takt_text *text = takt_text_new();
	bool fine;

	add_timeline(arguments, totals->timeline, text);
	fine = takt_output_write(arguments->values[OPTION_TRACE_TIMELINE_OUTPUT], text);
	takt_text_free(text);
	return fine;
}

/* True if the log goes to standard output ("-o -"), where nothing else may be written then. */
static bool logs_to_stdout(const struct takt_arguments *arguments)
{
	const char *path = arguments->values[OPTION_TRACE_OUTPUT];

	return path && strcmp(path, "-") == 0;
}

/* Add the code of the functions that cost most, if it is wanted. */
static void add_code(const struct takt_arguments *arguments, const struct takt_trace_totals *totals,
		     struct takt_text *text)
{
	struct takt_annotation *annotation = NULL;
	uint32_t functions = ANNOTATED_USUAL;

	if (!arguments->values[OPTION_TRACE_ANNOTATE])
		return;
	/* The option was checked before. */
	if (!*arguments->values[OPTION_TRACE_ANNOTATE] ||
	    takt_arguments_integer(arguments, OPTION_TRACE_ANNOTATE, 1, TOP_MAX, &functions))
		annotation = takt_annotate(totals, functions);
	if (annotation)
		takt_write_annotation_text(annotation, text);
	takt_annotation_free(annotation);
}

bool takt_trace_report(const struct takt_arguments *arguments,
		       const struct takt_trace_totals *totals, bool ran)
{
	const char *path = arguments->values[OPTION_TRACE_REPORT];
	struct takt_text *text = takt_text_new();
	const struct takt_trace_write_options options = write_options(arguments);
	bool fine, apart = ran || path || arguments->values[OPTION_TRACE_TIMELINE_OUTPUT];

	if (takt_arguments_html(arguments, OPTION_TRACE_FORMAT))
		takt_trace_page(totals, arguments->values[OPTION_TRACE_MODEL], &options, text);
	else if (takt_arguments_choice(arguments, OPTION_TRACE_FORMAT))
		takt_write_trace_json(totals, text);
	else {
		takt_write_trace_text(totals, &options, text);
		add_code(arguments, totals, text);
	}
	if (totals->timeline && !apart)
		add_timeline(arguments, totals->timeline, text);
	fine = takt_output_report(path, ran || logs_to_stdout(arguments), text);
	takt_text_free(text);
	if (totals->timeline && apart)
		fine = write_timeline(arguments, totals) && fine;
	if (!totals->timeline && arguments->values[OPTION_TRACE_TIMELINE])
		takt_say_note("the thread ended before the timeline begins");
	return write_folded(arguments->values[OPTION_TRACE_FOLDED], totals) && fine;
}

bool takt_trace_checks(const struct takt_trace_totals *totals)
{
	if (totals->memo && totals->memo->wrong) {
		takt_say_error("a remembered piece of the program gave another result when it was "
			       "simulated again");
		return takt_say_note(
			"this is an error in takt: please report it; '--no-memo' simulates "
			"everything");
	}
	return !totals->checked_insns || totals->checked_insns == totals->all.insns +
									  totals->all.repeats +
									  totals->all.interrupted;
}

void takt_trace_say_killed(const struct takt_trace_totals *totals)
{
	struct takt_text *text;

	if (!totals->signal)
		return;
	text = takt_text_new();
	takt_trace_write_killed(totals, text);
	takt_say_error("the program was %s", takt_text_data(text));
	takt_text_free(text);
}

static int run(const struct takt_arguments *arguments, char **program, struct takt_diag *diag)
{
	struct takt_trace_totals *totals;
	struct takt_trace_wanted wanted;
	int status = TAKT_EXIT_BAD;
	bool fine = false, ran;

	if (!takt_trace_wanted_read(arguments, diag, &wanted))
		return TAKT_EXIT_USAGE;
	takt_trace_outlive();
	/* If the program writes to this terminal, a progress line would corrupt its output. */
	if (!isatty(STDOUT_FILENO))
		takt_trace_progress_begin(&wanted.options);
	ran = takt_trace_run(program, &wanted.options, diag, &totals) == TAKT_OK;
	takt_trace_progress_end(&wanted.options);
	if (ran) {
		fine = takt_trace_report(arguments, totals, true) && takt_trace_checks(totals);
		takt_trace_say_killed(totals);
		status =
			totals->signal ? TAKT_EXIT_SIGNALLED + totals->signal : totals->exit_status;
		takt_trace_totals_free(totals);
	}
	takt_model_close(wanted.request.model);
	return status == 0 && !fine ? TAKT_EXIT_BAD : status;
}

static bool stdout_is_fine(const struct takt_arguments *arguments)
{
	static const unsigned writing[] = {OPTION_TRACE_REPORT, OPTION_TRACE_FOLDED,
					   OPTION_TRACE_TIMELINE_OUTPUT};

	if (!logs_to_stdout(arguments))
		return true;
	for (size_t i = 0; i < TAKT_COUNT_OF(writing); i++) {
		const char *path = arguments->values[writing[i]];

		if (!path || strcmp(path, "-") != 0)
			continue;
		return takt_say_error("'--output=-' and '--%s=-' cannot both have standard output",
				      arguments->names[writing[i]]);
	}
	if (arguments->values[OPTION_TRACE_TIMELINE] &&
	    !arguments->values[OPTION_TRACE_TIMELINE_OUTPUT])
		return takt_say_error(
			"with '--output=-' the timeline needs '--timeline-output=FILE'");
	if (isatty(STDOUT_FILENO)) {
		takt_say_error("standard output is a terminal, and a log is not text");
		return takt_say_note("takt trace -o - -- PROGRAM | takt trace -");
	}
	return true;
}

static bool usage_is_fine(const struct takt_arguments *arguments)
{
	const char *const *values = arguments->values;

	if (!takt_trace_backend_is_fine(arguments))
		return false;
	if (arguments->program && (values[OPTION_TRACE_FROM] || values[OPTION_TRACE_BINARY] ||
				   values[OPTION_TRACE_ISA] || values[OPTION_TRACE_SYNTAX]))
		return takt_say_error("--from, --binary, --isa and --syntax are for a FILE");
	if (arguments->operand_count == (arguments->program ? 0 : 1))
		return stdout_is_fine(arguments);
	if (arguments->program)
		takt_say_error("'%s' is neither an option nor after '--'", arguments->operands[0]);
	else
		takt_say_error("one FILE or '-- PROGRAM' is needed");
	return takt_say_note(
		"takt trace [OPTION]… -- PROGRAM [ARGUMENT]…, or takt trace [OPTION]… FILE");
}

/* Report options that need a profile, if there is none: they must not be ignored silently. */
static bool profile_is_fine(const struct takt_arguments *arguments)
{
	static const unsigned needing[] = {OPTION_TRACE_FOLDED, OPTION_TRACE_REGION,
					   OPTION_TRACE_BY, OPTION_TRACE_ANNOTATE};

	if (!takt_arguments_exclude(arguments, OPTION_TRACE_NO_PROFILE, needing,
				    TAKT_COUNT_OF(needing)) ||
	    !takt_arguments_text_only(arguments, OPTION_TRACE_ANNOTATE, OPTION_TRACE_FORMAT) ||
	    (arguments->values[OPTION_TRACE_ANNOTATE] &&
	     *arguments->values[OPTION_TRACE_ANNOTATE] &&
	     !takt_arguments_integer(arguments, OPTION_TRACE_ANNOTATE, 1, TOP_MAX, &(long){0})))
		return false;
	return takt_arguments_integer(arguments, OPTION_TRACE_TOP, 0, TOP_MAX, &(long){0});
}

/* An output whose name is that of a report is the report, as for every command, and no log. */
static bool read_outputs(struct takt_arguments *arguments)
{
	const char *output = arguments->values[OPTION_TRACE_OUTPUT];
	const char **report = &arguments->values[OPTION_TRACE_REPORT];

	takt_arguments_take_format(arguments, OPTION_TRACE_FORMAT, OPTION_TRACE_REPORT);
	if (!takt_arguments_is_report(arguments, OPTION_TRACE_FORMAT, output))
		return true;
	if (*report) {
		takt_say_error("'--output=%s' and '--report=%s' both name a report", output,
			       *report);
		return takt_say_note("the name of a log ends neither in '.html' nor in '.json'");
	}
	takt_arguments_take_format(arguments, OPTION_TRACE_FORMAT, OPTION_TRACE_OUTPUT);
	*report = output;
	arguments->names[OPTION_TRACE_REPORT] = arguments->names[OPTION_TRACE_OUTPUT];
	memcpy(arguments->typed[OPTION_TRACE_REPORT], arguments->typed[OPTION_TRACE_OUTPUT],
	       TAKT_TYPED_MAX_BYTES);
	arguments->values[OPTION_TRACE_OUTPUT] = NULL;
	return true;
}

int takt_trace_main(struct takt_arguments *arguments)
{
	int exit_status;
	struct takt_diag *diag;

	if (!read_outputs(arguments) || !usage_is_fine(arguments) || !profile_is_fine(arguments))
		return TAKT_EXIT_USAGE;
	diag = takt_diag_new();
	if (arguments->program)
		exit_status = run(arguments, arguments->program, diag);
	else
		exit_status = takt_trace_replay_main(arguments, diag);
	takt_say_diag(diag);
	takt_diag_free(diag);
	return exit_status;
}
