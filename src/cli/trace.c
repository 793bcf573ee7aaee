/* SPDX-License-Identifier: MIT */
/* takt trace */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command_docs.h"

#define TOP_MAX 1000000
#define WINDOW_USUAL 64
#define WINDOW_MOST 4096
#define MILLIONS_MAX 1000000000L
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

/* Of a replay, which ends; what is sent again ends takt itself. */
static void note_end(int number)
{
	signal_to_pass = number;
}

static void end_early(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = note_end, .sa_flags = (int)SA_RESETHAND};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &action, NULL);
}

/* takt outlives what it traces: whatever ends the program, its report is written. */
static void outlive(void)
{
	static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_sigaction = note_signal, .sa_flags = SA_SIGINFO};

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
	default:
		takt_write_timeline_text(timeline, &options, text);
		break;
	}
}

/* To a file of its own, or to standard output if the report did not go there. */
static bool write_timeline(const struct takt_arguments *arguments,
			   const struct takt_trace_totals *totals)
{
	struct takt_output output;
	struct takt_text *text;

	if (!takt_output_open(arguments->values[OPTION_TRACE_TIMELINE_OUTPUT], &output))
		return false;
	text = takt_text_new();
	add_timeline(arguments, totals->timeline, text);
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
	bool fine = true, timeline = totals->timeline != NULL;

	if (takt_arguments_choice(arguments, OPTION_TRACE_FORMAT) == 0)
		takt_write_trace_text(totals, &options, text);
	else
		takt_write_trace_json(totals, text);
	if (path || !ran)
		fine = takt_output_open(path, &output);
	if (fine) {
		if (output.file == stderr)
			fputc('\n', stderr);
		if (timeline && output.file == stdout &&
		    !arguments->values[OPTION_TRACE_TIMELINE_OUTPUT]) {
			add_timeline(arguments, totals->timeline, text);
			timeline = false;
		}
		fputs(takt_text_data(text), output.file);
		if (output.file != stderr)
			fine = takt_output_close(&output);
	}
	takt_text_free(text);
	if (timeline)
		fine = write_timeline(arguments, totals) && fine;
	if (!totals->timeline && arguments->values[OPTION_TRACE_TIMELINE])
		takt_say_note("the thread did not come to where the timeline begins");
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
	struct takt_trace_window window;
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

static bool read_checkpoint(const struct takt_arguments *arguments,
			    struct takt_trace_options *options)
{
	long millions = 0;

	if (!takt_arguments_integer(arguments, OPTION_TRACE_CHECKPOINT_EVERY, 1, MILLIONS_MAX,
				    &millions))
		return false;
	options->checkpoint_insns = (uint64_t)millions * 1000000;
	if (options->checkpoint_path && !arguments->operand_count) {
		takt_say_error("'--checkpoint' is for logs");
		takt_say_note("write one with '-o FILE', and give that to takt trace");
		return false;
	}
	if (options->checkpoint_insns && !options->checkpoint_path) {
		takt_say_error("'--checkpoint-every' says how often, but not where to");
		takt_say_note("add '--checkpoint=FILE'");
		return false;
	}
	return true;
}

/* FROM or FROM:COUNT. */
static bool read_window(const struct takt_arguments *arguments, struct wanted *wanted)
{
	const char *value = arguments->values[OPTION_TRACE_TIMELINE];
	unsigned long long from, count = WINDOW_USUAL;
	long thread = 0;
	char *end;

	if (!value)
		return true;
	errno = 0;
	from = strtoull(value, &end, 10);
	if (*end == ':')
		count = strtoull(end + 1, &end, 10);
	if (*value < '0' || *value > '9' || *end || errno || !count || count > WINDOW_MOST) {
		takt_say_error("'--timeline=%s' is not FROM or FROM:COUNT", value);
		takt_say_note("two numbers of instructions; COUNT is 1 to %d", WINDOW_MOST);
		return false;
	}
	if (!takt_arguments_integer(arguments, OPTION_TRACE_TIMELINE_THREAD, 0, INT_MAX, &thread))
		return false;
	if (!wanted->options.core || wanted->core.sample || wanted->options.checkpoint_path) {
		takt_say_error("a timeline needs a core that simulates all, in one go");
		takt_say_note("leave out '--count-only', '--sample' and '--checkpoint'");
		return false;
	}
	wanted->window = (struct takt_trace_window){(uint32_t)thread, (uint32_t)count, from};
	wanted->options.window = &wanted->window;
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
		.checkpoint_path = arguments->values[OPTION_TRACE_CHECKPOINT],
		.signal = &signal_to_pass,
	}};
	if (!read_checkpoint(arguments, &wanted->options))
		return false;
	for (size_t i = 0; i < arguments->given_count; i++)
		if (arguments->given[i].id == OPTION_TRACE_REGION)
			wanted->regions[wanted->options.region_count++] =
				arguments->given[i].value;
	return read_core(arguments, isa, diag, wanted) && read_window(arguments, wanted);
}

static int replay(const struct takt_arguments *arguments, struct takt_diag *diag)
{
	const char *path = arguments->operands[0], *isa;
	struct takt_trace_totals *totals;
	struct wanted wanted;
	int stopped_by = 0;
	bool fine = takt_trace_log_isa(path, diag, &isa) == TAKT_OK &&
		    read_wanted(arguments, isa, diag, &wanted);

	if (!fine)
		return TAKT_EXIT_BAD;
	end_early();
	takt_trace_progress_begin(&wanted.options);
	fine = takt_trace_replay(path, &wanted.options, diag, &totals) == TAKT_OK;
	takt_trace_progress_end(&wanted.options);
	if (fine) {
		fine = report(arguments, totals, false) && checks(totals) &&
		       takt_diag_error_count(diag) == 0;
		stopped_by = totals->stopped_by;
		takt_trace_totals_free(totals);
	}
	takt_model_close(wanted.model);
	if (stopped_by)
		return SIGNALLED + stopped_by;
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
	bool ran;

	if (!fine)
		return TAKT_EXIT_BAD;
	outlive();
	/* On the terminal that the program writes to, it would tear what that writes. */
	if (!isatty(STDOUT_FILENO))
		takt_trace_progress_begin(&wanted.options);
	ran = takt_trace_run(program, &wanted.options, diag, &totals) == TAKT_OK;
	takt_trace_progress_end(&wanted.options);
	if (ran) {
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
	if (!usage_is_fine(&arguments, has_program) ||
	    !takt_arguments_integer(&arguments, OPTION_TRACE_TOP, 0, TOP_MAX, &(long){0}))
		return TAKT_EXIT_USAGE;
	diag = takt_diag_new();
	exit_status =
		has_program ? run(&arguments, argv + own + 1, diag) : replay(&arguments, diag);
	takt_say_diag(diag);
	takt_diag_free(diag);
	return exit_status;
}
