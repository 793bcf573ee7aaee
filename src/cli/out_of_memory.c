/* SPDX-License-Identifier: MIT */
/* Memory of the command: what ends it when there is none, or when a mapped file is cut short. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

_Noreturn void takt_end_without_memory(size_t size_bytes)
{
	static const char message[] =
		"takt: error: out of memory\n"
		"note: raise the limit ('ulimit -v', the container's or the job's), end other "
		"programs, or give takt less at a time\n";

	(void)size_bytes;
	/* No buffers are flushed, no exit handlers run: they may need memory, or be a parent's. */
	if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
		_exit(TAKT_EXIT_BAD);
	_exit(TAKT_EXIT_BAD);
}

/* End takt where it reads a mapped file beyond its new end. Other bus errors are crashes. */
static void end_without_file(int number, siginfo_t *info, void *context)
{
	static const char message[] =
		"takt: error: a file was cut short while it was read, or its disk failed\n"
		"note: give takt a copy of the file that nothing writes to\n";

	(void)context;
	if (info->si_code != BUS_ADRERR) {
		signal(number, SIG_DFL);
		return; /* to what raised it, which does so again */
	}
	takt_partial_files_remove();
	if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
		_exit(TAKT_EXIT_BAD);
	_exit(TAKT_EXIT_BAD);
}

void takt_handle_bus_errors(void)
{
	struct sigaction action = {.sa_sigaction = end_without_file, .sa_flags = SA_SIGINFO};

	sigaction(SIGBUS, &action, NULL);
}

void *takt_allocate(size_t count, size_t size_bytes)
{
	void *memory = calloc(count ? count : 1, size_bytes ? size_bytes : 1);

	if (!memory)
		takt_end_without_memory(size_bytes);
	return memory;
}

void *takt_reallocate(void *old, size_t count, size_t size_bytes)
{
	void *memory = reallocarray(old, count ? count : 1, size_bytes ? size_bytes : 1);

	if (!memory)
		takt_end_without_memory(size_bytes);
	return memory;
}

char *takt_copy_string(const char *text)
{
	size_t size_bytes = strlen(text) + 1;

	return memcpy(takt_allocate(size_bytes, 1), text, size_bytes);
}

FILE *takt_memory_stream_open(char **data, size_t *size_bytes)
{
	FILE *file = open_memstream(data, size_bytes);

	if (!file)
		takt_end_without_memory(0);
	return file;
}

/* Out of memory is the only error that such a stream can have. */
void takt_memory_stream_close(FILE *file)
{
	bool failed = ferror(file);

	if (fclose(file) != 0 || failed)
		takt_end_without_memory(0);
}
