/* SPDX-License-Identifier: MIT */
#include "events/timed.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

off_t takt_events_input_offset(void)
{
	return lseek(STDIN_FILENO, 0, SEEK_CUR);
}

static int spawn(char *const *argv, char *const *variables, bool empty_input, pid_t *ret_process)
{
	const struct trace_spawn_file files[] = {
		{STDOUT_FILENO, "/dev/null", O_WRONLY},
		{STDERR_FILENO, "/dev/null", O_WRONLY},
		{STDIN_FILENO, "/dev/null", O_RDONLY},
	};

	return takt_trace_spawn(argv, variables, files, empty_input ? 3 : 2, ret_process);
}

enum takt_status takt_events_time(char *const *argv, char *const *variables, off_t input,
				  struct takt_diag *diag, struct events_timed *ret_timed)
{
	bool rewound = input >= 0 && lseek(STDIN_FILENO, input, SEEK_SET) == input;
	double begin = takt_now_seconds();
	pid_t process, ended;
	int status, error = spawn(argv, variables, !rewound, &process);

	if (error) {
		takt_error(diag, "cannot run '%s': %s", argv[0], strerror(error));
		return TAKT_UNAVAILABLE;
	}
	ended = takt_wait(process, &status);
	if (ended < 0) {
		takt_error(diag, "cannot wait for '%s': %s", argv[0], strerror(errno));
		return TAKT_UNAVAILABLE;
	}
	*ret_timed = (struct events_timed){
		.seconds = takt_now_seconds() - begin,
		.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
		.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
		.input_was_empty = !rewound,
	};
	return TAKT_OK;
}
