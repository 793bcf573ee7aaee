/* SPDX-License-Identifier: MIT */
/* The child does a lot, and must not be seen. argv[1]: how many children. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int children = argc > 1 ? atoi(argv[1]) : 1, sum = 0;

	for (int i = 0; i < children; i++) {
		pid_t child = fork();
		int status;

		if (child == 0) {
			volatile unsigned count = 0;

			while (count < 3000000)
				count++;
			_exit(4);
		}
		waitpid(child, &status, 0);
		sum += WEXITSTATUS(status);
	}
	return sum;
}
