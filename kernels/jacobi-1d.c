/* SPDX-License-Identifier: MIT */
/*
 * each point becomes the mean of itself and its neighbours
 * VARIANTS: REAL=double,float UNROLL=0,2,4
 */
#include "kernel.h"

#define N 400
#define STEPS 20

DATA REAL start[N], a[N], b[N];

INIT
{
	FILL(start, 1);
}

KERNEL
{
	FOR(i, 0, N)
		a[i] = b[i] = start[i];
	FOR(t, 0, STEPS) {
		INNER(i, 1, N - 1)
			b[i] = (REAL)0.33333 * (a[i - 1] + a[i] + a[i + 1]);
		INNER(i, 1, N - 1)
			a[i] = (REAL)0.33333 * (b[i - 1] + b[i] + b[i + 1]);
	}
}

CHECK
{
	static REAL wanted[N];
	static double now[2 * STEPS + 1][N];

	FOR(i, 0, N)
		now[0][i] = (double)start[i];
	FOR(t, 0, 2 * STEPS)
		FOR(i, 0, N)
			now[t + 1][i] = i == 0 || i == N - 1
						? now[0][i]
						: 0.33333 * (now[t][i - 1] + now[t][i] + now[t][i + 1]);
	FOR(i, 0, N)
		wanted[i] = (REAL)now[2 * STEPS][i];
	return SAME(a, wanted);
}
