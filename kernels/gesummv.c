/* SPDX-License-Identifier: MIT */
/*
 * y = alpha A x + beta B x
 * VARIANTS: REAL=double,float ORDER=0,1 TILE=0,8 JAM=1,2,4 FUSE=0,1
 */
#include "kernel.h"

#define N 40
#ifndef FUSE
#define FUSE 1 /* both products in one nest */
#endif

DATA REAL a[N][N], b[N][N], x[N], left[N], right[N], y[N];
static const REAL alpha = (REAL)1.5, beta = (REAL)1.2;

INIT
{
	FILL(a, 1);
	FILL(b, 2);
	FILL(x, 3);
}

#define LEFT(i, j) left[i] += a[i][j] * x[j];
#define RIGHT(i, j) right[i] += b[i][j] * x[j];
#define BOTH(i, j) LEFT(i, j) RIGHT(i, j)

KERNEL
{
	FOR(i, 0, N)
		left[i] = right[i] = 0;
#if FUSE
	NEST2(BOTH, i, N, j, N);
#else
	NEST2(LEFT, i, N, j, N);
	NEST2(RIGHT, i, N, j, N);
#endif
	FOR(i, 0, N)
		y[i] = alpha * left[i] + beta * right[i];
}

CHECK
{
	static REAL wanted[N];

	FOR(i, 0, N) {
		double sum = 0;

		FOR(j, 0, N)
			sum += ((double)alpha * (double)a[i][j] + (double)beta * (double)b[i][j]) *
			       (double)x[j];
		wanted[i] = (REAL)sum;
	}
	return SAME(y, wanted);
}
