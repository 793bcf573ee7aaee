/* SPDX-License-Identifier: MIT */
/*
 * sorts by a bitonic network
 * VARIANTS: UNROLL=0,2,4 KEY=int,float,uint8_t
 */
#include "kernel.h"

#define N 128
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
	FOR(i, 0, N)
		key[i] = start[i];
	for (int size = 2; size <= N; size *= 2)
		for (int half = size / 2; half > 0; half /= 2)
			INNER(i, 0, N) {
				int other = i ^ half;

				if (other > i) {
					KEY low = MIN(key[i], key[other]), high = MAX(key[i], key[other]);

					key[i] = i & size ? high : low;
					key[other] = i & size ? low : high;
				}
			}
}

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
