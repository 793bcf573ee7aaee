/* SPDX-License-Identifier: MIT */
/*
 * each point becomes the mean of itself and its eight neighbours, in place
 * VARIANTS: REAL=double,float WAVE=0,1 UNROLL=0,2,4
 */
#include "kernel.h"

#define N 40
#define STEPS 4
#ifndef WAVE
#define WAVE 0 /* skewed: along the diagonals on which points do not depend on each other */
#endif

DATA REAL start[N][N], a[N][N];

INIT
{
	FILL(start, 1);
}

#define MEAN(a, i, j)                                                                      \
	((a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] +        \
	  a[i][j + 1] + a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1]) / 9)

KERNEL
{
	FOR(i, 0, N)
		FOR(j, 0, N)
			a[i][j] = start[i][j];
	FOR(t, 0, STEPS) {
#if WAVE
		FOR(front, 3, 3 * (N - 2) + 1) {
			int first = MAX(1, (front - (N - 2) + 1) / 2);
			int last = MIN(N - 2, (front - 1) / 2);

			INNER(i, first, last + 1)
				a[i][front - 2 * i] = MEAN(a, i, (front - 2 * i));
		}
#else
		FOR(i, 1, N - 1)
			INNER(j, 1, N - 1)
				a[i][j] = MEAN(a, i, j);
#endif
	}
}

CHECK
{
	static double now[N][N];
	static REAL wanted[N][N];

	FOR(i, 0, N)
		FOR(j, 0, N)
			now[i][j] = (double)start[i][j];
	FOR(t, 0, STEPS)
		FOR(i, 1, N - 1)
			FOR(j, 1, N - 1)
				now[i][j] = MEAN(now, i, j);
	FOR(i, 0, N)
		FOR(j, 0, N)
			wanted[i][j] = (REAL)now[i][j];
	return SAME(a, wanted);
}
