/* SPDX-License-Identifier: MIT */
/* Runs other programs and reads their output. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "evaluate/evaluate.h"

#define OUTPUT_BYTES_MAX ((size_t)1 << 26)

/* Open an unnamed file with the text of `input`, or /dev/null if that is empty; -1 on failure. */
static int open_input(const char *input)
{
	char path[] = "/tmp/takt-evaluate-XXXXXX";
	size_t size = input ? strlen(input) : 0;
	int file;

	if (size == 0)
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	file = mkostemp(path, O_CLOEXEC);
	if (file < 0)
		return -1;
	unlink(path);
	while (size > 0) {
		ssize_t written = write(file, input, size);

		if (written <= 0) {
			close(file);
			return -1;
		}
		input += written;
		size -= (size_t)written;
	}
	lseek(file, 0, SEEK_SET);
	return file;
}

/* Replace the child by the program. execvp() does not write to the strings. */
static void become(const char *const *argv, int input, int output)
{
	union {
		const char *const *given;
		char *const *wanted;
	} arguments = {.given = argv};

	dup2(input, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	setpgid(0, 0);
	execvp(argv[0], arguments.wanted);
	_exit(127);
}

/* Read until the program closes its output; false after an error or when the time is over. */
static bool listen_to(int pipe_end, double deadline, struct takt_text *output)
{
	struct pollfd poll_end = {.fd = pipe_end, .events = POLLIN};
	char buffer[4096];

	for (;;) {
		double left = deadline - takt_now_seconds();
		ssize_t got;
		int ready = left > 0 ? poll(&poll_end, 1, (int)(left * 1000) + 1) : 0;

		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0)
			return false;
		got = takt_read(pipe_end, buffer, sizeof(buffer));
		if (got <= 0)
			return got == 0;
		if (output->size_bytes < OUTPUT_BYTES_MAX)
			takt_text_add(output, buffer, (size_t)got);
	}
}

int takt_program_run(const char *const *argv, const char *input, double seconds,
		     struct takt_text *output)
{
	int ends[2], from, status = -1;
	pid_t pid;

	from = open_input(input);
	if (from < 0)
		return -1;
	if (pipe2(ends, O_CLOEXEC) != 0) {
		close(from);
		return -1;
	}
	pid = fork();
	if (pid == 0)
		become(argv, from, ends[1]);
	close(from);
	close(ends[1]);
	if (pid > 0) {
		if (!listen_to(ends[0], takt_now_seconds() + seconds, output))
			kill(-pid, SIGKILL);
		takt_wait(pid, &status);
	}
	close(ends[0]);
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
