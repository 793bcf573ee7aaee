/* SPDX-License-Identifier: MIT */
/*
 * lengths of the shortest paths between all pairs of nodes
 * VARIANTS: LENGTH=int,uint16_t,float UNROLL=0,2,4 BRANCH=0,1
 */
#include "kernel.h"

#define N 32
#ifndef LENGTH
#define LENGTH int
#endif
#ifndef BRANCH
#define BRANCH 0 /* store what became shorter only */
#endif

DATA LENGTH start[N][N], path[N][N];

INIT
{
	uint32_t seed = 1;

	FOR(i, 0, N)
		FOR(j, 0, N)
			start[i][j] = (LENGTH)(i == j ? 0 : 1 + kernel_random(&seed) % 1000);
}

KERNEL
{
	FOR(i, 0, N)
		FOR(j, 0, N)
			path[i][j] = start[i][j];
	FOR(k, 0, N)
		FOR(i, 0, N)
			INNER(j, 0, N) {
#if BRANCH
				if (path[i][k] + path[k][j] < path[i][j])
					path[i][j] = (LENGTH)(path[i][k] + path[k][j]);
#else
				LENGTH by_k = (LENGTH)(path[i][k] + path[k][j]);

				path[i][j] = MIN(path[i][j], by_k);
#endif
			}
}

/* Relaxes edges until nothing changes. */
CHECK
{
	static LENGTH wanted[N][N];
	bool changed = true;

	memcpy(wanted, start, sizeof(wanted));
	while (changed) {
		changed = false;
		FOR(i, 0, N)
			FOR(j, 0, N)
				FOR(k, 0, N)
					if (wanted[i][j] + start[j][k] < wanted[i][k]) {
						wanted[i][k] = (LENGTH)(wanted[i][j] + start[j][k]);
						changed = true;
					}
	}
	return EQUAL(path, wanted);
}
