/* SPDX-License-Identifier: MIT */
/*
 * C = alpha A A' + beta C, the lower half
 * VARIANTS: REAL=double,float UNROLL=0,2,4 SWAP=0,1
 */
#include "kernel.h"

#define N 24
#ifndef SWAP
#define SWAP 0 /* of the two inner loops */
#endif

DATA REAL a[N][N], start[N][N], c[N][N];
static const REAL alpha = (REAL)1.5, beta = (REAL)1.2;

INIT
{
	FILL(a, 1);
	FILL(start, 2);
}

KERNEL
{
	FOR(i, 0, N) {
		FOR(j, 0, i + 1)
			c[i][j] = beta * start[i][j];
#if SWAP
		FOR(j, 0, i + 1)
			INNER(k, 0, N)
				c[i][j] += alpha * a[i][k] * a[j][k];
#else
		FOR(k, 0, N)
			INNER(j, 0, i + 1)
				c[i][j] += alpha * a[i][k] * a[j][k];
#endif
	}
}

CHECK
{
	static REAL wanted[N][N];

	FOR(i, 0, N)
		FOR(j, 0, i + 1) {
			double sum = 0;

			FOR(k, 0, N)
				sum += (double)a[i][k] * (double)a[j][k];
			wanted[i][j] = (REAL)((double)alpha * sum + (double)(beta * start[i][j]));
		}
	return SAME(c, wanted);
}
