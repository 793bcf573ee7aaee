/* SPDX-License-Identifier: MIT */
/*
 * best value of things that fit into a bag
 * VARIANTS: UNROLL=0,2,4 VALUE=int,uint16_t BRANCH=0,1
 */
#include "kernel.h"

#define THINGS 24
#define ROOM 200
#ifndef VALUE
#define VALUE int
#endif
#ifndef BRANCH
#define BRANCH 0
#endif

DATA uint8_t weight[THINGS], value[THINGS];
DATA VALUE best[ROOM + 1];

INIT
{
	FILL_BYTES(weight, 1);
	FILL_BYTES(value, 2);
	FOR(i, 0, THINGS)
		weight[i] = 1 + weight[i] % 40;
}

KERNEL
{
	FOR(r, 0, ROOM + 1)
		best[r] = 0;
	FOR(i, 0, THINGS) {
		UNROLLED
		for (int r = ROOM; r >= weight[i]; r--) {
			VALUE with = (VALUE)(best[r - weight[i]] + value[i]);

#if BRANCH
			if (with > best[r])
				best[r] = with;
#else
			best[r] = MAX(best[r], with);
#endif
		}
	}
}

CHECK
{
	static int table[THINGS + 1][ROOM + 1];

	FOR(i, 0, THINGS)
		FOR(r, 0, ROOM + 1) {
			table[i + 1][r] = table[i][r];
			if (r >= weight[i])
				table[i + 1][r] = MAX(table[i][r], table[i][r - weight[i]] + value[i]);
		}
	FOR(r, 0, ROOM + 1)
		if (best[r] != (VALUE)table[THINGS][r])
			return false;
	return true;
}
