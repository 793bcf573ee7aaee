/* SPDX-License-Identifier: MIT */
/* pattern: true-sharing */
/* A histogram that all add to; mended: one for each thread. */
#include <stdatomic.h>

#include "team.h"

#define TURNS 200000
#define BINS 16

_Alignas(64) static _Atomic uint32_t histogram[TEAM][BINS];

static void *work(void *argument)
{
	intptr_t thread = (intptr_t)argument;
	uint32_t state = 1 + (uint32_t)thread;
#ifdef MENDED
	_Atomic uint32_t *own = histogram[thread];
#else
	_Atomic uint32_t *own = histogram[0];
#endif

	for (int i = 0; i < TURNS; i++)
		atomic_fetch_add_explicit(&own[next_random(&state) % BINS], 1,
					  memory_order_relaxed);
	return NULL;
}

int main(void)
{
	run_team(work);
	return histogram[0][0] == 0;
}
