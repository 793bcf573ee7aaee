/* SPDX-License-Identifier: MIT */
/* takt serve: the page in which code is edited and analyzed; and one request's answer. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command_docs.h"
#include "takt-lab/serve.h"

#define PORT_MOST 65535
#define TIME_MOST 3600.0
#define TIME_USUAL 10.0
#define INPUT_BYTES_MAX ((size_t)16 << 20)

/* ---- one answer ------------------------------------------------------------------ */

/* Read standard input to its end; false, reported, if it is too long or cannot be read. */
static bool read_input(char **ret_data, size_t *ret_size)
{
	char *data = takt_allocate(INPUT_BYTES_MAX + 1, 1);
	size_t size = 0;

	for (;;) {
		ssize_t got = read(STDIN_FILENO, data + size, INPUT_BYTES_MAX + 1 - size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0 || size + (size_t)got > INPUT_BYTES_MAX) {
			*ret_data = data;
			*ret_size = size;
			if (got == 0)
				return true;
			if (got < 0)
				takt_say_error("cannot read standard input: %s", strerror(errno));
			else
				takt_say_error("standard input has more than 16 MiB");
			return false;
		}
		size += (size_t)got;
	}
}

static int answer(const char *target, double time_seconds)
{
	struct takt_text *text = takt_text_new();
	struct takt_output output;
	char *data = NULL;
	size_t size;
	bool fine;

	takt_serve_confine(time_seconds);
	fine = read_input(&data, &size) && takt_output_open(NULL, &output);
	if (fine) {
		fine = takt_serve_answer(target, data, size, text);
		fputs(takt_text_data(text), output.file);
		fputc('\n', output.file);
		fine = takt_output_close(&output) && fine;
	}
	free(data);
	takt_text_free(text);
	return fine ? TAKT_EXIT_FINE : TAKT_EXIT_BAD;
}

/* ---- the server --------------------------------------------------------------------- */

/* Print the address at once, although standard output may be a pipe. */
static bool print_address(const struct takt_server *server)
{
	struct takt_output output;

	if (!takt_output_open(NULL, &output))
		return false;
	fprintf(output.file, "%s\n", takt_server_address(server));
	return takt_output_close(&output);
}

static bool serve(const struct takt_serve_options *options, bool opens, struct takt_diag *diag)
{
	struct takt_server *server = NULL;
	sigset_t ends;
	int signal_number;
	bool fine;

	/* Threads of the server inherit the mask, so that these reach sigwait() only. */
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	if (takt_server_open(options, diag, &server) != TAKT_OK)
		return false;
	fine = print_address(server);
	if (fine) {
		takt_say_note("who knows this address can have code analyzed here%s; end with "
			      "Ctrl-C",
			      options->can_measure ? " and run in the sandbox" : "");
		if (opens && takt_server_show(server, diag) != TAKT_OK)
			takt_say_diag(diag);
		sigwait(&ends, &signal_number);
	}
	takt_server_close(server);
	return fine;
}

static bool read_options(const struct takt_arguments *arguments, struct takt_serve_options *options)
{
	double seconds = TIME_USUAL;

	if (arguments->operand_count)
		return takt_say_error("'takt serve' has no operands, but there is '%s'",
				      arguments->operands[0]);
	if (!takt_arguments_integer(arguments, OPTION_SERVE_PORT, 0, PORT_MOST, &options->port) ||
	    !takt_arguments_positive(arguments, OPTION_SERVE_TIME_LIMIT, &seconds))
		return false;
	if (seconds > TIME_MOST)
		return takt_say_error("'--time-limit' is at most %.0f seconds", TIME_MOST);
	options->time_seconds = seconds;
	options->can_measure = arguments->values[OPTION_SERVE_MEASURE] != NULL;
	options->can_compile = !arguments->values[OPTION_SERVE_NO_COMPILE];
	return true;
}

int takt_serve_main(struct takt_arguments *arguments)
{
	static const unsigned answering[] = {OPTION_SERVE_ANSWER, OPTION_SERVE_TIME_LIMIT};
	struct takt_serve_options options = {.port = 0};
	struct takt_diag *diag;
	bool fine;

	if (!read_options(arguments, &options) ||
	    (arguments->values[OPTION_SERVE_ANSWER] &&
	     !takt_arguments_only(arguments, "takt serve --answer", answering,
				  TAKT_COUNT_OF(answering))))
		return TAKT_EXIT_USAGE;
	if (arguments->values[OPTION_SERVE_ANSWER])
		return answer(arguments->values[OPTION_SERVE_ANSWER], options.time_seconds);
	diag = takt_diag_new();
	fine = serve(&options, arguments->values[OPTION_SERVE_OPEN] != NULL, diag);
	takt_say_diag(diag);
	takt_diag_free(diag);
	return fine ? TAKT_EXIT_FINE : TAKT_EXIT_BAD;
}
