/* SPDX-License-Identifier: MIT */
/* Starts the tracer as a process of its own, which ends as the program does. */
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/native/native.h"

extern char **environ;

bool native_can_run(const struct trace_guest *guest)
{
#ifdef __x86_64__
	return guest->machine == EM_X86_64;
#else
	(void)guest;
	return false;
#endif
}

#ifdef __x86_64__
/* End this process in the way that the status says. */
static _Noreturn void end_as(int status)
{
	const struct rlimit none = {0, 0};
	sigset_t signals;

	if (WIFSIGNALED(status)) {
		setrlimit(RLIMIT_CORE, &none); /* the program's core is written already */
		signal(WTERMSIG(status), SIG_DFL);
		sigemptyset(&signals);
		sigaddset(&signals, WTERMSIG(status));
		sigprocmask(SIG_UNBLOCK, &signals, NULL);
		raise(WTERMSIG(status));
	}
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 127);
}

enum takt_status native_start(struct trace_live *live, const char *path, char *const *argv,
			      const struct takt_trace_options *options, struct takt_diag *diag)
{
	static const char *const settings[] = {"TAKT_MARKER=emulate"};
	struct native_task task = {live->area,	  path, argv, NULL, !options->blocks_only,
				   options->parts};
	struct takt_arena arena = {0};

	task.variables = takt_environment_make(options->variables ? options->variables : environ,
					       settings, 1, &arena);
	live->area->follows = live->follows;
	live->process = fork();
	if (live->process == 0) {
		/* The program ends with its tracer (PTRACE_O_EXITKILL), and that with takt. */
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != live->area->takt)
			_exit(127);
		if (live->takes_stdout && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
			_exit(127);
		end_as(native_trace(&task));
	}
	takt_arena_release(&arena);
	if (live->process > 0)
		return TAKT_OK;
	takt_error(diag, "cannot make a process: %s", strerror(errno));
	return TAKT_UNAVAILABLE;
}
#else
enum takt_status native_start(struct trace_live *live, const char *path, char *const *argv,
			      const struct takt_trace_options *options, struct takt_diag *diag)
{
	(void)live, (void)path, (void)argv, (void)options;
	takt_error(diag, "programs can be stepped on x86-64 only");
	return TAKT_UNAVAILABLE;
}
#endif
