/* SPDX-License-Identifier: MIT */
/*
 * y = A' (A x)
 * VARIANTS: REAL=double,float ORDER=0,1 TILE=0,8 JAM=1,2,4
 */
#include "kernel.h"

#define N 48

DATA REAL a[N][N], x[N], product[N], y[N];

INIT
{
	FILL(a, 1);
	FILL(x, 2);
}

#define PRODUCT(i, j) product[i] += a[i][j] * x[j];
#define TRANSPOSED(i, j) y[j] += a[i][j] * product[i];

KERNEL
{
	FOR(i, 0, N)
		product[i] = y[i] = 0;
	NEST2(PRODUCT, i, N, j, N);
	NEST2(TRANSPOSED, i, N, j, N);
}

CHECK
{
	static REAL wanted[N];

	FOR(j, 0, N) {
		double sum = 0;

		FOR(i, 0, N)
			FOR(k, 0, N)
				sum += (double)a[i][j] * (double)a[i][k] * (double)x[k];
		wanted[j] = (REAL)sum;
	}
	return SAME(y, wanted);
}
