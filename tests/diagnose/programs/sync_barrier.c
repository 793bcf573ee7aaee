/* SPDX-License-Identifier: MIT */
/* pattern: synchronisation */
/* A barrier after each small step; mended: after all of them, as they depend on nothing. */
#include "team.h"

#define STEPS 4000
#define MENDED_STEPS 40
#define SIZE 64

static pthread_barrier_t barrier;
_Alignas(64) static uint32_t values[TEAM][SIZE];

static void *work(void *argument)
{
	uint32_t *own = values[(intptr_t)argument];
	uint32_t state = 1;

	for (int i = 0; i < STEPS; i++) {
		for (int j = 0; j < SIZE; j++)
			own[j] = own[j] * 3 + next_random(&state);
#ifdef MENDED
		if (i % (STEPS / MENDED_STEPS) == 0)
#endif
			pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(void)
{
	pthread_barrier_init(&barrier, 0, TEAM);
	run_team(work);
	return 0;
}
