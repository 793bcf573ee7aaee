/* SPDX-License-Identifier: MIT */
/* Times native runs of the program. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "diagnose/diagnose.h"

#define ROUNDS_USUAL 3u
/* Duration of the runs with one number of threads after which no further round begins. */
#define SECONDS_MAX 20.0
#define LOOK_NANOSECONDS 2000000
#define THREADS_MAX 4096

uint32_t takt_diagnose_thread_counts(const char *list, struct takt_diag *diag, uint32_t counts[16])
{
	uint32_t count = 0;

	for (const char *at = list; count < 16; at++) {
		char *end;
		long number = strtol(at, &end, 10);

		if (end == at || number < 1 || number > THREADS_MAX || (*end && *end != ','))
			break;
		counts[count++] = (uint32_t)number;
		if (!*end)
			return count;
		at = end;
	}
	takt_error(diag, "'%s' is no list of numbers of threads", list);
	takt_note(diag, "write numbers such as '1,2,4': at most 16, each at most %d", THREADS_MAX);
	return 0;
}

char **takt_diagnose_arguments(char *const *argv, uint32_t threads, struct takt_arena *arena)
{
	static const char hole[] = "{threads}";
	size_t count = 0;
	char **made;

	while (argv[count])
		count++;
	made = TAKT_NEW_ARRAY(arena, count + 1, char *);
	for (size_t i = 0; i < count; i++) {
		const char *at = strstr(argv[i], hole);

		made[i] = threads && at ? takt_arena_printf(arena, "%.*s%u%s", (int)(at - argv[i]),
							    argv[i], threads, at + sizeof(hole) - 1)
					: takt_arena_string(arena, argv[i]);
	}
	return made;
}

char **takt_diagnose_environment(const struct takt_diagnose_options *options, uint32_t threads,
				 struct takt_arena *arena)
{
	const char *name =
		options->threads_variable ? options->threads_variable : "OMP_NUM_THREADS";
	const char *setting = takt_arena_printf(arena, "%s=%u", name, threads);

	return takt_environment_make(NULL, &setting, threads ? 1 : 0, arena);
}

/* ---- a run ---- */

/* Return the number of threads of a process; 0 if that cannot be read. */
static uint32_t thread_count(pid_t process)
{
	char path[64], line[256];
	unsigned count = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)process);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file) && sscanf(line, "Threads: %u", &count) != 1)
		continue;
	fclose(file);
	return count;
}

static bool start(char *const *argv, char *const *variables, pid_t *ret_process)
{
	/*
	 * The timed runs read nothing and their output is discarded: one run that does both is
	 * enough.
	 */
	static const struct trace_spawn_file files[] = {
		{STDIN_FILENO, "/dev/null", O_RDONLY},
		{STDOUT_FILENO, "/dev/null", O_WRONLY},
		{STDERR_FILENO, "/dev/null", O_WRONLY},
	};

	return takt_trace_spawn(argv, variables, files, TAKT_COUNT_OF(files), ret_process) == 0;
}

static double seconds_of(const struct timeval *time)
{
	return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

/* Run the program once; false if it could not run, or was told to stop. */
static bool run_once(char *const *argv, char *const *variables, volatile int *signal,
		     struct takt_timed_run *run)
{
	static const struct timespec pause = {0, LOOK_NANOSECONDS};
	double begin = takt_now_seconds(), cpu;
	struct rusage usage;
	pid_t process, ended;
	int status;

	if (!start(argv, variables, &process))
		return false;
	while ((ended = wait4(process, &status, WNOHANG, &usage)) == 0 ||
	       (ended < 0 && errno == EINTR)) {
		uint32_t count = thread_count(process);

		if (count > run->most_threads)
			run->most_threads = count;
		if (signal && *signal)
			kill(process, *signal);
		nanosleep(&pause, NULL);
	}
	if (ended != process || !WIFEXITED(status) || (signal && *signal))
		return false;
	cpu = seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime);
	if (run->seconds > 0 && takt_now_seconds() - begin >= run->seconds)
		return true;
	run->seconds = takt_now_seconds() - begin;
	run->cpu_seconds = cpu;
	return true;
}

static bool run_rounds(char *const *argv, const struct takt_diagnose_options *options,
		       uint32_t threads, struct takt_arena *arena, struct takt_timed_run *run)
{
	uint32_t rounds = options->rounds ? options->rounds : ROUNDS_USUAL;
	char **arguments = takt_diagnose_arguments(argv, threads, arena);
	char **variables = takt_diagnose_environment(options, threads, arena);
	double begin = takt_now_seconds();

	*run = (struct takt_timed_run){.threads = threads};
	for (uint32_t i = 0; i < rounds && takt_now_seconds() - begin < SECONDS_MAX; i++)
		if (!run_once(arguments, variables, options->signal, run))
			return false;
	return true;
}

enum takt_status takt_diagnose_time(char *const *argv, const struct takt_diagnose_options *options,
				    struct takt_arena *arena, struct takt_diag *diag,
				    struct takt_timed_run **ret_runs, uint32_t *ret_count)
{
	uint32_t counts[16] = {0}, count = 1;

	if (options->threads)
		count = takt_diagnose_thread_counts(options->threads, diag, counts);
	if (!count)
		return TAKT_BAD_INPUT;
	*ret_runs = TAKT_NEW_ARRAY(arena, count, struct takt_timed_run);
	*ret_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (!run_rounds(argv, options, counts[i], arena, &(*ret_runs)[i]))
			break;
		(*ret_count)++;
	}
	return TAKT_OK;
}
