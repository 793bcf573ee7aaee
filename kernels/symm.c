/* SPDX-License-Identifier: MIT */
/*
 * C = alpha A B + beta C, A symmetric, of which only the lower half is stored
 * VARIANTS: REAL=double,float UNROLL=0,2,4 FUSE=0,1
 */
#include "kernel.h"

#define N 24
#ifndef FUSE
#define FUSE 0 /* both uses of an element in one loop */
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
	FOR(i, 0, N)
		FOR(j, 0, N)
			c[i][j] = beta * start[i][j] + alpha * a[i][i] * b[i][j];
	FOR(i, 0, N)
		FOR(k, 0, i) {
#if FUSE
			INNER(j, 0, N) {
				c[k][j] += alpha * a[i][k] * b[i][j];
				c[i][j] += alpha * a[i][k] * b[k][j];
			}
#else
			INNER(j, 0, N)
				c[k][j] += alpha * a[i][k] * b[i][j];
			INNER(j, 0, N)
				c[i][j] += alpha * a[i][k] * b[k][j];
#endif
		}
}

CHECK
{
	static REAL wanted[N][N];

	FOR(i, 0, N)
		FOR(j, 0, N) {
			double sum = 0;

			FOR(k, 0, N)
				sum += (double)(k <= i ? a[i][k] : a[k][i]) * (double)b[k][j];
			wanted[i][j] = (REAL)((double)alpha * sum + (double)(beta * start[i][j]));
		}
	return SAME(c, wanted);
}
