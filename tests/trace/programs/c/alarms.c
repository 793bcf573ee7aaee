/* SPDX-License-Identifier: MIT */
/* Two hundred signals from a timer, wherever they come, in a loop that uses vectors and memory. */
#include <signal.h>
#include <string.h>
#include <sys/time.h>

static volatile sig_atomic_t caught;

static void handle(int number)
{
	(void)number;
	caught++;
}

int main(void)
{
	const struct itimerval often = {{0, 500}, {0, 500}};
	volatile char from[4096] = {1}, to[4096];

	signal(SIGALRM, handle);
	setitimer(ITIMER_REAL, &often, NULL);
	while (caught < 200)
		memcpy((char *)to, (const char *)from, sizeof(to));
	return to[0];
}
