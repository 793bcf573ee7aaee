/* SPDX-License-Identifier: MIT */
/*
 * q = A p, s = A' r
 * VARIANTS: REAL=double,float ORDER=0,1 TILE=0,8 JAM=1,2,4 FUSE=0,1
 */
#include "kernel.h"

#define N 48
#ifndef FUSE
#define FUSE 1 /* both products in one nest */
#endif

DATA REAL a[N][N], p[N], r[N], result[2][N];

INIT
{
	FILL(a, 1);
	FILL(p, 2);
	FILL(r, 3);
}

#define PRODUCT(i, j) result[0][i] += a[i][j] * p[j];
#define TRANSPOSED(i, j) result[1][j] += a[i][j] * r[i];
#define BOTH(i, j) PRODUCT(i, j) TRANSPOSED(i, j)

KERNEL
{
	FOR(i, 0, N)
		result[0][i] = result[1][i] = 0;
#if FUSE
	NEST2(BOTH, i, N, j, N);
#else
	NEST2(PRODUCT, i, N, j, N);
	NEST2(TRANSPOSED, i, N, j, N);
#endif
}

CHECK
{
	static REAL wanted[2][N];

	FOR(i, 0, N) {
		double q = 0, s = 0;

		FOR(j, 0, N) {
			q += (double)a[i][j] * (double)p[j];
			s += (double)a[j][i] * (double)r[j];
		}
		wanted[0][i] = (REAL)q;
		wanted[1][i] = (REAL)s;
	}
	return SAME(result, wanted);
}
