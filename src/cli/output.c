/* SPDX-License-Identifier: MIT */
/* Messages to standard error; results to standard output or a file, checked when closed. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "cli/cli.h"

#define NEAREST_MAX 3

void takt_say_error(const char *format, ...)
{
	va_list args;

	fputs("takt: error: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

void takt_say_note(const char *format, ...)
{
	va_list args;

	fputs("note: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* A message without a place has the tool's name there. */
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

bool takt_output_open(const char *path, struct takt_output *ret_output)
{
	struct takt_output output = {.file = stdout};

	if (path && strcmp(path, "-") != 0) {
		output = (struct takt_output){.file = fopen(path, "w"), .path = path};
		if (!output.file) {
			takt_say_error("cannot write '%s': %s", path, strerror(errno));
			return false;
		}
	}
	*ret_output = output;
	return true;
}

bool takt_output_close(struct takt_output *output)
{
	bool failed = fflush(output->file) != 0 || ferror(output->file);
	int cause = errno;

	if (fclose(output->file) != 0 && !failed) {
		failed = true;
		cause = errno;
	}
	if (failed && output->path)
		takt_say_error("cannot write '%s': %s", output->path, strerror(cause));
	else if (failed)
		takt_say_error("cannot write to standard output: %s", strerror(cause));
	return !failed;
}

bool takt_output_report(const char *path, bool ran, const struct takt_text *text)
{
	struct takt_output output = {.file = stderr};

	if ((path || !ran) && !takt_output_open(path, &output))
		return false;
	if (output.file == stderr)
		fputc('\n', stderr);
	fputs(takt_text_data(text), output.file);
	return output.file == stderr || takt_output_close(&output);
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
