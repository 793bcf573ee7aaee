/* SPDX-License-Identifier: MIT */
/* pattern: synchronisation */
/* A lock for each addition, though each thread has its own sum; mended: one for each thread. */
#include "team.h"

#define TURNS 30000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	_Alignas(64) uint64_t sum;
} totals[TEAM];

static void *work(void *argument)
{
	uint32_t state = (uint32_t)(intptr_t)argument;
	uint64_t own = 0;

	for (int i = 0; i < TURNS; i++) {
		uint32_t value = 0;

		for (int j = 0; j < 20; j++)
			value += next_random(&state);
#ifdef MENDED
		own += value;
#else
		pthread_mutex_lock(&lock);
		totals[(intptr_t)argument].sum += value;
		pthread_mutex_unlock(&lock);
#endif
	}
	pthread_mutex_lock(&lock);
	totals[(intptr_t)argument].sum += own;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	run_team(work);
	return totals[0].sum == 0;
}
