/* SPDX-License-Identifier: MIT */
/* Ten faults that a handler catches; with "raise", ten signals that interrupt nothing. */
#include <setjmp.h>
#include <signal.h>
#include <string.h>

static sigjmp_buf back;
static volatile int caught;

static void handle(int number)
{
	caught++;
	if (number == SIGSEGV)
		siglongjmp(back, 1);
}

int main(int argc, char **argv)
{
	int *volatile nowhere = (int *)8;

	(void)argv;
	signal(SIGSEGV, handle);
	signal(SIGUSR1, handle);
	for (volatile int i = 0; i < 10; i++) {
		if (argc > 1)
			raise(SIGUSR1);
		else if (sigsetjmp(back, 1) == 0)
			*nowhere = 1;
	}
	return caught;
}
