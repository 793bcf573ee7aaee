/* SPDX-License-Identifier: MIT */
#include <signal.h>

#include "trace/trace.h"

int takt_trace_spawn(char *const *argv, char *const *variables,
		     const posix_spawn_file_actions_t *actions, pid_t *ret_process)
{
	posix_spawnattr_t attributes;
	sigset_t signals;
	int error;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGQUIT);
	sigaddset(&signals, SIGPIPE);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &signals);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	error = posix_spawnp(ret_process, argv[0], actions, &attributes, argv, variables);
	posix_spawnattr_destroy(&attributes);
	return error;
}
