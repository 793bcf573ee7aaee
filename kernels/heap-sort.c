/* SPDX-License-Identifier: MIT */
/*
 * sorts by a heap
 * VARIANTS: KEY=int,int16_t,double,uint64_t
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
		start[i] = (KEY)(kernel_random(&seed) % 30000);
}

KERNEL
{
	FOR(i, 0, N)
		key[i] = start[i];
	for (int root = N / 2 - 1, count = N; count > 1;) {
		KEY value;
		int node, child;

		if (root >= 0) {
			node = root--;
			value = key[node];
		} else {
			value = key[--count];
			key[count] = key[0];
			node = 0;
		}
		while ((child = 2 * node + 1) < count) {
			child += child + 1 < count && key[child + 1] > key[child];
			if (!(key[child] > value))
				break;
			key[node] = key[child];
			node = child;
		}
		key[node] = value;
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
