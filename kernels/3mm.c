/* SPDX-License-Identifier: MIT */
/*
 * G = (A B) (C D)
 * VARIANTS: REAL=double,float ORDER=0,1,2,3,4,5 TILE=0,8 JAM=1,4
 */
#include "kernel.h"

#define N 20

DATA REAL a[N][N], b[N][N], c[N][N], d[N][N], left[N][N], right[N][N], g[N][N];

INIT
{
	FILL(a, 1);
	FILL(b, 2);
	FILL(c, 3);
	FILL(d, 4);
}

#define LEFT(i, j, k) left[i][j] += a[i][k] * b[k][j];
#define RIGHT(i, j, k) right[i][j] += c[i][k] * d[k][j];
#define BOTH(i, j, k) g[i][j] += left[i][k] * right[k][j];

KERNEL
{
	FOR(i, 0, N)
		FOR(j, 0, N)
			left[i][j] = right[i][j] = g[i][j] = 0;
	NEST3(LEFT, i, N, j, N, k, N);
	NEST3(RIGHT, i, N, j, N, k, N);
	NEST3(BOTH, i, N, j, N, k, N);
}

CHECK
{
	static REAL wanted[N][N];
	static double ab[N][N], cd[N][N];

	FOR(i, 0, N)
		FOR(j, 0, N) {
			ab[i][j] = cd[i][j] = 0;
			FOR(k, 0, N) {
				ab[i][j] += (double)a[i][k] * (double)b[k][j];
				cd[i][j] += (double)c[i][k] * (double)d[k][j];
			}
		}
	FOR(i, 0, N)
		FOR(j, 0, N) {
			double sum = 0;

			FOR(k, 0, N)
				sum += ab[i][k] * cd[k][j];
			wanted[i][j] = (REAL)sum;
		}
	return SAME(g, wanted);
}
