/* SPDX-License-Identifier: MIT */
/*
 * D = alpha A B C + beta D
 * VARIANTS: REAL=double,float ORDER=0,1,2,3,4,5 TILE=0,8 JAM=1,4
 */
#include "kernel.h"

#define N 20

DATA REAL a[N][N], b[N][N], c[N][N], start[N][N], product[N][N], d[N][N];
static const REAL alpha = (REAL)1.5, beta = (REAL)1.2;

INIT
{
	FILL(a, 1);
	FILL(b, 2);
	FILL(c, 3);
	FILL(start, 4);
}

#define FIRST(i, j, k) product[i][j] += alpha * a[i][k] * b[k][j];
#define SECOND(i, j, k) d[i][j] += product[i][k] * c[k][j];

KERNEL
{
	FOR(i, 0, N)
		FOR(j, 0, N) {
			product[i][j] = 0;
			d[i][j] = beta * start[i][j];
		}
	NEST3(FIRST, i, N, j, N, k, N);
	NEST3(SECOND, i, N, j, N, k, N);
}

CHECK
{
	static REAL wanted[N][N];

	FOR(i, 0, N)
		FOR(j, 0, N) {
			double sum = 0;

			FOR(k, 0, N)
				FOR(l, 0, N)
					sum += (double)a[i][l] * (double)b[l][k] * (double)c[k][j];
			wanted[i][j] = (REAL)((double)alpha * sum + (double)(beta * start[i][j]));
		}
	return SAME(d, wanted);
}
