/* SPDX-License-Identifier: MIT */
/* takt trace */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command_docs.h"

#define TOP_MAX 1000000
#define SYSCALL_CYCLES_MAX 1000000000L
#define SIGNALLED 128 /* the exit status of what a signal ended, as in shells */

/* For the program to get: what takt was sent. Signals' handlers can reach nothing else. */
static volatile int signal_to_pass;

/* What the terminal sends, the program gets from it too. */
static void note_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code != SI_KERNEL)
		signal_to_pass = number;
}

/* A replay has no program that the terminal could have sent it to as well. */
static void note_any_signal(int number, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	signal_to_pass = number;
}

/* takt outlives what it traces: whatever ends the program, its report is written. */
static void outlive(void (*note)(int number, siginfo_t *info, void *context))
{
	static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &action, NULL);
	signal(SIGCHLD, SIG_DFL); /* if it is ignored, no exit status is told */
}

static struct takt_trace_write_options write_options(const struct takt_arguments *arguments)
{
	long top = 20;

	/* Was read before. */
	if (!takt_arguments_integer(arguments, OPTION_TRACE_TOP, 0, TOP_MAX, &top))
		top = 0;
	return (struct takt_trace_write_options){
		.threads = arguments->values[OPTION_TRACE_THREADS] != NULL,
		.by = (enum takt_trace_by)takt_arguments_choice(arguments, OPTION_TRACE_BY),
		.top = (uint32_t)top,
	};
}

static bool write_folded(const char *path, const struct takt_trace_totals *totals)
{
	struct takt_output output;
	struct takt_text *text;

	if (!path || !totals->profile)
		return true;
	if (!takt_output_open(path, &output))
		return false;
	text = takt_text_new();
	takt_write_trace_folded(totals->profile, text);
	fputs(takt_text_data(text), output.file);
	takt_text_free(text);
	return takt_output_close(&output);
}

static bool report(const struct takt_arguments *arguments, const struct takt_trace_totals *totals,
		   bool ran)
{
	const char *path = arguments->values[OPTION_TRACE_REPORT];
	struct takt_text *text = takt_text_new();
	const struct takt_trace_write_options options = write_options(arguments);
	struct takt_output output = {.file = stderr};
	bool fine = true;

	if (takt_arguments_choice(arguments, OPTION_TRACE_FORMAT) == 0)
		takt_write_trace_text(totals, &options, text);
	else
		takt_write_trace_json(totals, text);
	if (path || !ran)
		fine = takt_output_open(path, &output);
	if (fine) {
		if (output.file == stderr)
			fputc('\n', stderr);
		fputs(takt_text_data(text), output.file);
		if (output.file != stderr)
			fine = takt_output_close(&output);
	}
	takt_text_free(text);
	return write_folded(arguments->values[OPTION_TRACE_FOLDED], totals) && fine;
}

static bool checks(const struct takt_trace_totals *totals)
{
	return !totals->checked_insns || totals->checked_insns == totals->all.insns +
									  totals->all.repeats +
									  totals->all.interrupted;
}

/* What the command line asks for; the model is the holder's to close. */
struct wanted {
	struct takt_trace_options options;
	struct takt_trace_core core;
	struct takt_model *model; /* NULL: none */
	const char *regions[TAKT_GIVEN_MAX];
};

static bool read_core(const struct takt_arguments *arguments, const char *isa,
		      struct takt_diag *diag, struct wanted *wanted)
{
	const char *const *values = arguments->values;
	long syscall_cycles = 0, seed = 1;

	if (values[OPTION_TRACE_COUNT_ONLY])
		return true;
	if (!takt_arguments_integer(arguments, OPTION_TRACE_SYSCALL_CYCLES, 1, SYSCALL_CYCLES_MAX,
				    &syscall_cycles) ||
	    !takt_arguments_integer(arguments, OPTION_TRACE_SEED, 0, LONG_MAX, &seed) ||
	    !takt_core_open_isa(values[OPTION_TRACE_ARCH], values[OPTION_TRACE_MODEL], isa, diag,
				&wanted->model))
		return false;
	wanted->core = (struct takt_trace_core){
		.model = wanted->model,
		.cache = values[OPTION_TRACE_CACHE] != NULL,
		.branch = values[OPTION_TRACE_BRANCH] != NULL,
		.sample = values[OPTION_TRACE_SAMPLE] != NULL,
		.seed = (uint64_t)seed,
		.syscall_cycles = (uint32_t)syscall_cycles,
	};
	wanted->options.core = &wanted->core;
	return true;
}

/* `isa`: of the program. */
static bool read_wanted(const struct takt_arguments *arguments, const char *isa,
			struct takt_diag *diag, struct wanted *wanted)
{
	*wanted = (struct wanted){.options = {
		.profile = !arguments->values[OPTION_TRACE_NO_PROFILE],
		.regions = wanted->regions,
		.blocks_only = arguments->values[OPTION_TRACE_BLOCKS_ONLY] != NULL,
		.check = arguments->values[OPTION_TRACE_CHECK] != NULL,
		.log_path = arguments->values[OPTION_TRACE_OUTPUT],
		.signal = &signal_to_pass,
	}};
	for (size_t i = 0; i < arguments->given_count; i++)
		if (arguments->given[i].id == OPTION_TRACE_REGION)
			wanted->regions[wanted->options.region_count++] =
				arguments->given[i].value;
	return read_core(arguments, isa, diag, wanted);
}

static int replay(const struct takt_arguments *arguments, struct takt_diag *diag)
{
	const char *path = arguments->operands[0], *isa;
	struct takt_trace_totals *totals;
	struct wanted wanted;
	bool fine = takt_trace_log_isa(path, diag, &isa) == TAKT_OK &&
		    read_wanted(arguments, isa, diag, &wanted);

	if (!fine)
		return TAKT_EXIT_BAD;
	outlive(note_any_signal);
	fine = takt_trace_replay(path, &wanted.options, diag, &totals) == TAKT_OK;
	if (fine) {
		fine = report(arguments, totals, false) && checks(totals);
		takt_trace_totals_free(totals);
	}
	takt_model_close(wanted.model);
	if (fine && signal_to_pass)
		return SIGNALLED + signal_to_pass;
	return fine ? TAKT_EXIT_FINE : TAKT_EXIT_BAD;
}

static int run(const struct takt_arguments *arguments, char **program, struct takt_diag *diag)
{
	struct takt_trace_totals *totals;
	struct wanted wanted;
	const char *isa;
	bool fine = takt_trace_program_isa(program[0], diag, &isa) == TAKT_OK &&
		    read_wanted(arguments, isa, diag, &wanted);
	int status = TAKT_EXIT_BAD;

	if (!fine)
		return TAKT_EXIT_BAD;
	outlive(note_signal);
	if (takt_trace_run(program, &wanted.options, diag, &totals) == TAKT_OK) {
		fine = report(arguments, totals, true) && checks(totals);
		status = totals->signal ? SIGNALLED + totals->signal : totals->exit_status;
		takt_trace_totals_free(totals);
	}
	takt_model_close(wanted.model);
	return status == 0 && !fine ? TAKT_EXIT_BAD : status;
}

/* Index of the "--" that ends takt's own arguments; argc if there is none. */
static int find_program(int argc, char **argv)
{
	int i = 0;

	while (i < argc && strcmp(argv[i], "--") != 0)
		i++;
	return i;
}

static bool usage_is_fine(const struct takt_arguments *arguments, bool has_program)
{
	if (arguments->operand_count == (has_program ? 0 : 1))
		return true;
	if (has_program)
		takt_say_error("'%s' is neither an option nor behind '--'", arguments->operands[0]);
	else
		takt_say_error("one log or '-- PROGRAM' is needed");
	takt_say_note("takt trace [OPTION]… -- PROGRAM [ARGUMENT]…, or takt trace [OPTION]… LOG");
	return false;
}

/* What the profile is asked for must not be silently left out. */
static bool profile_is_fine(const struct takt_arguments *arguments)
{
	static const unsigned needing[] = {OPTION_TRACE_FOLDED, OPTION_TRACE_REGION,
					   OPTION_TRACE_BY};

	for (size_t i = 0; i < sizeof(needing) / sizeof(needing[0]); i++)
		if (arguments->values[OPTION_TRACE_NO_PROFILE] && arguments->values[needing[i]]) {
			takt_say_error("'--%s' and '--no-profile' exclude each other",
				       arguments->names[needing[i]]);
			return false;
		}
	return takt_arguments_integer(arguments, OPTION_TRACE_TOP, 0, TOP_MAX, &(long){0});
}

int takt_trace_main(int argc, char **argv)
{
	int own = find_program(argc, argv), exit_status;
	bool has_program = own + 1 < argc;
	struct takt_arguments arguments;
	struct takt_diag *diag;

	if (!takt_arguments_parse(&takt_trace_doc, own, argv, &arguments))
		return TAKT_EXIT_USAGE;
	if (arguments.values[OPTION_TRACE_HELP])
		return takt_help_print(&takt_trace_doc);
	if (!usage_is_fine(&arguments, has_program) || !profile_is_fine(&arguments))
		return TAKT_EXIT_USAGE;
	diag = takt_diag_new();
	exit_status =
		has_program ? run(&arguments, argv + own + 1, diag) : replay(&arguments, diag);
	takt_say_diag(diag);
	takt_diag_free(diag);
	return exit_status;
}
