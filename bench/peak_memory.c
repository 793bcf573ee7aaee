/* SPDX-License-Identifier: MIT */
/*
 * Runs a command; the last line of stderr gets its processor time in seconds, that of the
 * processes it waited for, and its own peak resident set in KiB. That last one is read when the
 * command is about to exit, since what wait4 tells would be the largest of all its processes.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_STOP (SIGTRAP | PTRACE_EVENT_EXIT << 8)

static long read_peak(pid_t process)
{
	char path[64], line[256];
	long peak = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)process);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "VmHWM: %ld", &peak);
	if (file)
		fclose(file);
	return peak;
}

/* In seconds, of the process itself and of those it waited for. */
static void read_times(pid_t process, double ret_seconds[2])
{
	unsigned long user, system;
	long children_user, children_system;
	double ticks = (double)sysconf(_SC_CLK_TCK);
	char path[64], text[1024], *rest;
	size_t size;
	FILE *file;

	ret_seconds[0] = ret_seconds[1] = 0;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)process);
	file = fopen(path, "r");
	if (!file)
		return;
	size = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[size] = '\0';
	rest = strrchr(text, ')'); /* behind the name, which may contain anything */
	if (rest && sscanf(rest + 1, "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu %lu %ld %ld",
			   &user, &system, &children_user, &children_system) == 4) {
		ret_seconds[0] = (double)(user + system) / ticks;
		ret_seconds[1] = (double)(children_user + children_system) / ticks;
	}
}

int main(int argc, char **argv)
{
	double seconds[2] = {0};
	long peak = 0;
	pid_t child;
	int status;

	if (argc < 2)
		return 2;
	child = fork();
	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0 ||
	    ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)PTRACE_O_TRACEEXIT) < 0)
		return 1;
	ptrace(PTRACE_CONT, child, NULL, NULL);
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		int number = WSTOPSIG(status);

		if (status >> 8 == EXIT_STOP) {
			peak = read_peak(child);
			read_times(child, seconds);
		}
		ptrace(PTRACE_CONT, child, NULL, (void *)(long)(number == SIGTRAP ? 0 : number));
	}
	fprintf(stderr, "\n%.2f %.2f %ld\n", seconds[0], seconds[1], peak);
	return 0;
}
