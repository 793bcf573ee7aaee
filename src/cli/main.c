/* SPDX-License-Identifier: MIT */
/* takt: runs the command that the first argument names. */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/command_docs.h"

static const struct command {
	const struct takt_command_doc *doc;
	int (*run)(struct takt_arguments *arguments);
	bool runs_program; /* what follows "--" is a program with its arguments */
} commands[] = {
	{&takt_analyze_doc, takt_analyze_main, false},
	{&takt_deps_doc, takt_deps_main, false},
	{&takt_predict_doc, takt_predict_main, false},
	{&takt_measure_doc, takt_measure_main, false},
	{&takt_characterize_doc, takt_characterize_main, false},
	{&takt_evaluate_doc, takt_evaluate_main, false},
	{&takt_trace_doc, takt_trace_main, true},
	{&takt_count_doc, takt_count_main, true},
	{&takt_diff_doc, takt_diff_main, true},
	{&takt_validate_doc, takt_validate_main, false},
	{&takt_bench_doc, takt_bench_main, false},
	{&takt_diagnose_doc, takt_diagnose_main, true},
	{&takt_model_doc, takt_model_main, false},
	{&takt_serve_doc, takt_serve_main, false},
};

#define COMMAND_COUNT TAKT_COUNT_OF(commands)

static size_t find_command(const char *name)
{
	const char *names[COMMAND_COUNT];
	size_t i;

	for (i = 0; i < COMMAND_COUNT; i++) {
		names[i] = commands[i].doc->name;
		if (strcmp(name, names[i]) == 0)
			return i;
	}
	takt_say_error("unknown command '%s'", name);
	takt_say_nearest(name, names, COMMAND_COUNT);
	takt_say_note("'takt help' lists the commands");
	return COMMAND_COUNT;
}

static int print_version(void)
{
	struct takt_output output;

	if (!takt_output_open(NULL, &output))
		return TAKT_EXIT_BAD;
	fputs("takt " TAKT_VERSION "\n", output.file);
	return takt_output_close(&output) ? TAKT_EXIT_FINE : TAKT_EXIT_BAD;
}

static int help(const char *name)
{
	size_t command;

	if (!name)
		return takt_help_print(&takt_takt_doc);
	command = find_command(name);
	return command < COMMAND_COUNT ? takt_help_print(commands[command].doc) : TAKT_EXIT_USAGE;
}

/* Run `takt --version` and the like: options without a command. */
static int run_options(int argc, char **argv)
{
	struct takt_arguments arguments;
	bool version;

	if (!takt_arguments_parse(&takt_takt_doc, argc, argv, &arguments))
		return TAKT_EXIT_USAGE;
	version = arguments.values[OPTION_TAKT_VERSION];
	takt_arguments_release(&arguments);
	return version ? print_version() : help(NULL);
}

/*
 * Open the standard streams that are closed: the next file opened would get their descriptor, and
 * be read or written in their place. Standard input becomes empty, and writing to the others
 * fails, so that lost output is reported.
 */
static bool open_standard_streams(void)
{
	for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
		if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != descriptor)
			return false;
	return true;
}

/* True for `--arch=help` and `-mcpu=help`. */
static bool asks_for_cores(const struct takt_arguments *arguments)
{
	for (size_t i = 0; i < arguments->given_count; i++) {
		const struct takt_given *given = &arguments->given[i];
		const char *name = arguments->names[given->id];

		if ((strcmp(name, "arch") == 0 || strcmp(name, "mcpu") == 0) &&
		    strcmp(given->value, "help") == 0)
			return true;
	}
	return false;
}

/* List the cores where llvm-mca lists its processors, and return its exit status. */
static int list_cores(void)
{
	struct takt_text *text = takt_text_new();

	takt_model_write_list(text);
	fputs(takt_text_data(text), stderr);
	takt_text_free(text);
	takt_say_note("'takt model list --llvm' lists the processors of LLVM's tables");
	return TAKT_EXIT_BAD;
}

/* Report an output that cannot be written now, and not after minutes of work. */
static bool outputs_are_possible(const struct takt_arguments *arguments)
{
	for (size_t i = 0; i < arguments->given_count; i++) {
		const struct takt_given *given = &arguments->given[i];
		const char *name = arguments->names[given->id];

		if ((strcmp(name, "output") == 0 || strcmp(name, "report") == 0) &&
		    !takt_output_is_possible(given->value))
			return false;
	}
	return true;
}

static int run_parsed(const struct command *command, struct takt_arguments *arguments)
{
	if (takt_arguments_have(arguments, "help"))
		return takt_help_print(command->doc);
	if (takt_arguments_have(arguments, "version"))
		return print_version();
	if (asks_for_cores(arguments))
		return list_cores();
	/* 'takt model learn' has a directory there, which it makes at its beginning. */
	if (command->run != takt_model_main && !outputs_are_possible(arguments))
		return TAKT_EXIT_BAD;
	return command->run(arguments);
}

static int run_command(const struct command *command, int argc, char **argv)
{
	struct takt_arguments arguments;
	int own = argc, status;

	if (command->runs_program)
		for (own = 0; own < argc && strcmp(argv[own], "--") != 0;)
			own++;
	if (!takt_arguments_parse(command->doc, own, argv, &arguments)) {
		/* Operands are moved to the front: one came before the option, perhaps a program
		 * before its own. */
		if (command->runs_program && own == argc && argv[0][0] != '-')
			takt_say_note("a program follows '--': takt %s -- %s", command->doc->name,
				      argv[0]);
		return TAKT_EXIT_USAGE;
	}
	if (own + 1 < argc)
		arguments.program = argv + own + 1;
	status = run_parsed(command, &arguments);
	takt_arguments_release(&arguments);
	return status;
}

static int run(int argc, char **argv)
{
	size_t command;

	if (argc < 2) {
		takt_say_error("no command");
		takt_say_note("'takt help' lists the commands");
		return TAKT_EXIT_USAGE;
	}
	if (argv[1][0] == '-')
		return run_options(argc - 1, argv + 1);
	if (strcmp(argv[1], "version") == 0)
		return print_version();
	if (strcmp(argv[1], "help") == 0)
		return help(argv[2]);
	command = find_command(argv[1]);
	return command < COMMAND_COUNT ? run_command(&commands[command], argc - 2, argv + 2)
				       : TAKT_EXIT_USAGE;
}

int main(int argc, char **argv)
{
	int status;

	if (!open_standard_streams())
		return TAKT_EXIT_BAD;
	takt_set_out_of_memory_handler(takt_end_without_memory);
	takt_handle_bus_errors();
	/* Numbers have a decimal point, even if a preloaded library set another locale. */
	setlocale(LC_ALL, "C");
	/*
	 * Writing to a closed pipe, or beyond the limit of a file's size, then fails like on a full
	 * disk, and is reported.
	 */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	/* If the signal were inherited as ignored, waiting for a process would fail. */
	signal(SIGCHLD, SIG_DFL);
	takt_page_set_command(argc, argv);
	status = run(argc, argv);
	return takt_output_finish() || status != TAKT_EXIT_FINE ? status : TAKT_EXIT_BAD;
}
