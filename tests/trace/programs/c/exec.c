/* SPDX-License-Identifier: MIT */
/* Becomes argv[1], or returns 9 if it cannot. */
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc > 1)
		execv(argv[1], argv + 1);
	return 9;
}
