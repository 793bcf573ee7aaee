/* SPDX-License-Identifier: MIT */
/* pattern: numa */
/* Vectors that the first thread fills for all; mended: each thread its own part. */
#include <stdlib.h>

#include "team.h"

#define COUNT (1 << 18)

static uint32_t *vector;

/* Work enough for each element that memory is not what limits it. */
static uint32_t shuffle(uint32_t value)
{
	for (int i = 0; i < 4; i++) {
		value ^= value << 13;
		value ^= value >> 17;
		value ^= value << 5;
	}
	return value;
}

__attribute__((noinline)) static void fill(int begin, int end)
{
	for (int i = begin; i < end; i++)
		vector[i] = shuffle((uint32_t)i);
}

__attribute__((noinline)) static void update(int begin, int end)
{
	for (int i = begin; i < end; i++)
		vector[i] = shuffle(vector[i]);
}

static void *work(void *argument)
{
	int begin = (int)(intptr_t)argument * (COUNT / TEAM), end = begin + COUNT / TEAM;

#ifdef MENDED
	fill(begin, end);
#endif
	update(begin, end);
	return NULL;
}

int main(void)
{
	vector = aligned_alloc(4096, COUNT * sizeof(*vector));
#ifndef MENDED
	fill(0, COUNT);
#endif
	run_team(work);
	return 0;
}
