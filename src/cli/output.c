/* SPDX-License-Identifier: MIT */
/* Messages to standard error; results to standard output or a file, checked when closed. */
#include <errno.h>
#include <stdarg.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"

#define NEAREST_MAX 3

bool takt_say_error(const char *format, ...)
{
	va_list args;

	fputs("takt: error: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return false;
}

bool takt_say_note(const char *format, ...)
{
	va_list args;

	fputs("note: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return false;
}

const char *takt_say_noun(uint64_t count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Print the messages of `diag`; those that name no place in a file begin with "takt". */
void takt_say_diag(struct takt_diag *diag)
{
	const char *line = takt_diag_text(diag);

	while (*line) {
		size_t size = strcspn(line, "\n");

		if (begins(line, "error: ") || begins(line, "warning: "))
			fputs("takt: ", stderr);
		size += line[size] == '\n';
		fwrite(line, 1, size, stderr);
		line += size;
	}
	takt_diag_clear(diag);
}

void takt_say_nearest(const char *wanted, const char *const *names, size_t count)
{
	struct takt_text *text = takt_text_new();

	if (takt_nearest_names(wanted, names, count, NEAREST_MAX, text))
		takt_say_note("did you mean %s?", takt_text_data(text));
	takt_text_free(text);
}

/* ---- files ---- */

static bool stdout_failed;

/* True for devices, pipes and the like, which are written directly. */
static bool is_stream(const char *path)
{
	struct stat info;

	return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0 ||
	       (stat(path, &info) == 0 && !S_ISREG(info.st_mode));
}

bool takt_output_is_possible(const char *path)
{
	struct stat info;

	if (strcmp(path, "-") == 0)
		return true;
	if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
		errno = EISDIR;
	else if (is_stream(path) || takt_file_can_write(path))
		return true;
	return takt_say_error("cannot write '%s': %s", path, strerror(errno));
}

bool takt_output_open(const char *path, struct takt_output *ret_output)
{
	*ret_output = (struct takt_output){.file = stdout};
	if (!path || strcmp(path, "-") == 0)
		return true;
	ret_output->path = path;
	ret_output->file = NULL;
	if (is_stream(path)) {
		ret_output->file = fopen(path, "we");
	} else if (takt_file_can_write(path)) {
		ret_output->in_memory = true;
		ret_output->file =
			takt_memory_stream_open(&ret_output->data, &ret_output->size_bytes);
	}
	if (!ret_output->file)
		takt_say_error("cannot write '%s': %s", path, strerror(errno));
	return ret_output->file != NULL;
}

static bool write_file(struct takt_output *output)
{
	struct takt_diag *diag = takt_diag_new();
	bool good;

	takt_memory_stream_close(output->file);
	good = takt_file_write(output->path, output->data, output->size_bytes, diag) == TAKT_OK;
	takt_say_diag(diag);
	takt_diag_free(diag);
	free(output->data);
	output->data = NULL;
	return good;
}

/* True if the pipe has no reader any more. */
static bool is_closed_pipe(FILE *file)
{
	struct pollfd end = {.fd = fileno(file), .events = POLLOUT};

	return poll(&end, 1, 0) == 1 && (end.revents & POLLERR);
}

/* A closed pipe ends takt by the signal, like programs that do not handle it. */
static void end_by_closed_pipe(FILE *file)
{
	if (!is_closed_pipe(file))
		return;
	signal(SIGPIPE, SIG_DFL);
	raise(SIGPIPE);
}

void takt_say_stdout_failed(int cause)
{
	end_by_closed_pipe(stdout);
	takt_say_error("cannot write to standard output: %s", strerror(cause));
}

/* Flush a standard stream, which stays open: more may be written to it. */
static bool flush_standard(FILE *file)
{
	bool failed = fflush(file) != 0 || ferror(file);

	if (failed && file == stdout && !stdout_failed)
		takt_say_stdout_failed(errno);
	else if (failed)
		end_by_closed_pipe(file);
	stdout_failed |= failed && file == stdout;
	return !failed;
}

bool takt_output_close(struct takt_output *output)
{
	bool failed;
	int cause;

	if (!output->path)
		return flush_standard(output->file);
	if (output->in_memory)
		return write_file(output);
	failed = fflush(output->file) != 0 || ferror(output->file);
	cause = errno;
	if (failed)
		end_by_closed_pipe(output->file);
	if (fclose(output->file) != 0 && !failed) {
		failed = true;
		cause = errno;
	}
	if (failed)
		takt_say_error("cannot write '%s': %s", output->path, strerror(cause));
	return !failed;
}

bool takt_output_write(const char *path, const struct takt_text *text)
{
	struct takt_output output;

	if (!takt_output_open(path, &output))
		return false;
	fwrite(takt_text_data(text), 1, takt_text_size_bytes(text), output.file);
	return takt_output_close(&output);
}

bool takt_output_finish(void)
{
	if (stdout_failed)
		return false;
	/* EBADF: it was closed from the start, which was reported when it was written to. */
	if (fclose(stdout) == 0 || errno == EBADF)
		return true;
	takt_say_stdout_failed(errno);
	return false;
}

bool takt_output_report(const char *path, bool ran, const struct takt_text *text)
{
	struct takt_output output = {.file = stderr};

	if ((path || !ran) && !takt_output_open(path, &output))
		return false;
	if (output.file == stderr)
		fputc('\n', stderr);
	fputs(takt_text_data(text), output.file);
	return takt_output_close(&output);
}

int takt_help_print(const struct takt_command_doc *doc)
{
	struct takt_output output;

	if (!takt_output_open(NULL, &output))
		return TAKT_EXIT_BAD;
	for (const char *const *line = doc->help; *line; line++)
		fprintf(output.file, "%s\n", *line);
	return takt_output_close(&output) ? TAKT_EXIT_FINE : TAKT_EXIT_BAD;
}
