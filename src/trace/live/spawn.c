/* SPDX-License-Identifier: MIT */
/* Starts programs as processes. */
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include "trace/trace.h"

extern char **environ;

static int add_files(posix_spawn_file_actions_t *actions, const struct trace_spawn_file *files,
		     size_t count)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++)
		/* dup2() onto itself clears the close-on-exec flag, in the child only. */
		error = files[i].path
				? posix_spawn_file_actions_addopen(actions, files[i].descriptor,
								   files[i].path, files[i].flags, 0)
				: posix_spawn_file_actions_adddup2(
					  actions,
					  files[i].flags ? files[i].flags - 1 : files[i].descriptor,
					  files[i].descriptor);
	return error;
}

static int spawn(char *const *argv, char *const *variables,
		 const posix_spawn_file_actions_t *actions, pid_t *ret_process)
{
	static const int defaults[] = {SIGINT, SIGQUIT, SIGPIPE, SIGXFSZ};
	posix_spawnattr_t attributes;
	sigset_t signals;
	int error = posix_spawnattr_init(&attributes);

	if (error)
		return error;
	sigemptyset(&signals);
	for (size_t i = 0; i < TAKT_COUNT_OF(defaults); i++)
		sigaddset(&signals, defaults[i]);
	error = posix_spawnattr_setsigdefault(&attributes, &signals);
	if (!error)
		error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	if (!error)
		error = posix_spawnp(ret_process, argv[0], actions, &attributes, argv,
				     variables ? variables : environ);
	posix_spawnattr_destroy(&attributes);
	return error;
}

int takt_trace_spawn(char *const *argv, char *const *variables,
		     const struct trace_spawn_file *files, size_t file_count, pid_t *ret_process)
{
	posix_spawn_file_actions_t actions;
	int error = posix_spawn_file_actions_init(&actions);

	if (error)
		return error;
	error = add_files(&actions, files, file_count);
	if (!error)
		error = spawn(argv, variables, &actions, ret_process);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}
