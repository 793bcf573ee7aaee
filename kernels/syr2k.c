/* SPDX-License-Identifier: MIT */
/*
 * C = alpha A B' + alpha B A' + beta C, the lower half
 * VARIANTS: REAL=double,float UNROLL=0,2,4 SWAP=0,1
 */
#include "kernel.h"

#define N 24
#ifndef SWAP
#define SWAP 0 /* of the two inner loops */
#endif

DATA REAL a[N][N], b[N][N], start[N][N], c[N][N];
static const REAL alpha = (REAL)1.5, beta = (REAL)1.2;

INIT
{
	FILL(a, 1);
	FILL(b, 2);
	FILL(start, 3);
}

KERNEL
{
	FOR(i, 0, N) {
		FOR(j, 0, i + 1)
			c[i][j] = beta * start[i][j];
#if SWAP
		FOR(j, 0, i + 1)
			INNER(k, 0, N)
				c[i][j] += a[j][k] * alpha * b[i][k] + b[j][k] * alpha * a[i][k];
#else
		FOR(k, 0, N)
			INNER(j, 0, i + 1)
				c[i][j] += a[j][k] * alpha * b[i][k] + b[j][k] * alpha * a[i][k];
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
				sum += (double)a[i][k] * (double)b[j][k] +
				       (double)b[i][k] * (double)a[j][k];
			wanted[i][j] = (REAL)((double)alpha * sum + (double)(beta * start[i][j]));
		}
	return SAME(c, wanted);
}
