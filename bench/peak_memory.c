/* SPDX-License-Identifier: MIT */
/* Runs a command and prints its peak resident set in KiB as the last word of stderr. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct rusage usage;
	pid_t child;
	int status;

	if (argc < 2)
		return 2;
	child = fork();
	if (child == 0) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) < 0)
		return 1;
	fprintf(stderr, "\n%ld\n", usage.ru_maxrss);
	return 0;
}
