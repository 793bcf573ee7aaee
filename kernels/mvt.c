/* SPDX-License-Identifier: MIT */
/*
 * x1 = x1 + A l, x2 = x2 + A' r
 * VARIANTS: REAL=double,float ORDER=0,1 TILE=0,8 JAM=1,2,4 FUSE=0,1
 */
#include "kernel.h"

#define N 48
#ifndef FUSE
#define FUSE 0 /* both products in one nest */
#endif

DATA REAL a[N][N], start[2][N], left[N], right[N], x[2][N];

INIT
{
	FILL(a, 1);
	FILL(start, 2);
	FILL(left, 3);
	FILL(right, 4);
}

#define FIRST(i, j) x[0][i] += a[i][j] * left[j];
#define SECOND(i, j) x[1][i] += a[j][i] * right[j];
#define BOTH(i, j) FIRST(i, j) SECOND(i, j)

KERNEL
{
	FOR(i, 0, N) {
		x[0][i] = start[0][i];
		x[1][i] = start[1][i];
	}
#if FUSE
	NEST2(BOTH, i, N, j, N);
#else
	NEST2(FIRST, i, N, j, N);
	NEST2(SECOND, i, N, j, N);
#endif
}

CHECK
{
	static REAL wanted[2][N];

	FOR(i, 0, N) {
		double first = (double)start[0][i], second = (double)start[1][i];

		FOR(j, 0, N) {
			first += (double)a[i][j] * (double)left[j];
			second += (double)a[j][i] * (double)right[j];
		}
		wanted[0][i] = (REAL)first;
		wanted[1][i] = (REAL)second;
	}
	return SAME(x, wanted);
}
