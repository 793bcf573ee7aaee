/* SPDX-License-Identifier: MIT */
/* pattern: true-sharing */
/* One counter for all; mended: each thread counts, and adds in the end. */
#include <stdatomic.h>

#include "team.h"

#define TURNS 200000

static _Atomic uint64_t hits;

static void *work(void *argument)
{
	uint32_t state = (uint32_t)(intptr_t)argument;
	uint64_t own = 0;

	for (int i = 0; i < TURNS; i++) {
		uint32_t value = next_random(&state);

#ifdef MENDED
		own += value;
#else
		atomic_fetch_add_explicit(&hits, value, memory_order_relaxed);
#endif
	}
	hits += own;
	return NULL;
}

int main(void)
{
	run_team(work);
	return hits == 0;
}
