/* SPDX-License-Identifier: MIT */
/* Two threads and one line: `false` counters side by side, `true` one counter, `apart`. */
#include <pthread.h>
#include <string.h>

#define TURNS 10000

static struct {
	_Alignas(64) volatile long left;
	volatile long right;
	_Alignas(64) volatile long other;
} counters;

static volatile long *chosen[2];

static void *count(void *own)
{
	volatile long *counter = *(volatile long **)own;

	for (int i = 0; i < TURNS; i++)
		(*counter)++;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	memset((void *)(size_t)&counters, 0, sizeof(counters));
	chosen[0] = &counters.left;
	chosen[1] = argc > 1 && strcmp(argv[1], "true") == 0	? &counters.left
		    : argc > 1 && strcmp(argv[1], "false") == 0 ? &counters.right
								: &counters.other;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, count, &chosen[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
