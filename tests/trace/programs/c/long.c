/* SPDX-License-Identifier: MIT */
/* Runs for some seconds under trace; then writes argv[1]. Without it: until a signal comes. */
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	volatile unsigned long count = 0;

	while (argc < 2 || count < 60000000)
		count++;
	return open(argv[1], O_CREAT | O_WRONLY, 0600) < 0;
}
