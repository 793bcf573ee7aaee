/* SPDX-License-Identifier: MIT */
/*
 * C = alpha A B + beta C
 * VARIANTS: REAL=double,float ORDER=0,1,2,3,4,5 TILE=0,8 JAM=1,4
 */
#include "kernel.h"

#define N 24

DATA REAL a[N][N], b[N][N], c[N][N], start[N][N];
static const REAL alpha = (REAL)1.5, beta = (REAL)1.2;

INIT
{
	FILL(a, 1);
	FILL(b, 2);
	FILL(start, 3);
}

#define STATEMENT(i, j, k) c[i][j] += alpha * a[i][k] * b[k][j];

KERNEL
{
	FOR(i, 0, N)
		FOR(j, 0, N)
			c[i][j] = beta * start[i][j];
	NEST3(STATEMENT, i, N, j, N, k, N);
}

CHECK
{
	static REAL wanted[N][N];

	FOR(i, 0, N)
		FOR(j, 0, N) {
			double sum = 0;

			FOR(k, 0, N)
				sum += (double)a[i][k] * (double)b[k][j];
			wanted[i][j] = (REAL)((double)alpha * sum + (double)(beta * start[i][j]));
		}
	return SAME(c, wanted);
}
