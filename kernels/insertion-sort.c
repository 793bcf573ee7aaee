/* SPDX-License-Identifier: MIT */
/*
 * sorts by insertion
 * VARIANTS: KEY=int,uint8_t,double
 */
#include "kernel.h"

#define N 64
#ifndef KEY
#define KEY int
#endif

DATA KEY start[N], key[N];

INIT
{
	uint32_t seed = 1;

	FOR(i, 0, N)
		start[i] = (KEY)(kernel_random(&seed) % 250);
}

KERNEL
{
	FOR(i, 0, N) {
		KEY value = start[i];
		int place = i;

		for (; place > 0 && key[place - 1] > value; place--)
			key[place] = key[place - 1];
		key[place] = value;
	}
}

/* Each one's place is the number of those before it in order. */
CHECK
{
	FOR(i, 0, N) {
		int place = 0;

		FOR(j, 0, N)
			place += start[j] < start[i] || (!(start[j] > start[i]) && j < i);
		if (key[place] < start[i] || key[place] > start[i])
			return false;
	}
	return true;
}
