/* SPDX-License-Identifier: MIT */
/*
 * A = L L', A symmetric and positive definite
 * VARIANTS: REAL=double,float UNROLL=0,2,4
 */
#include "kernel.h"

#define N 28

DATA REAL a[N][N], l[N][N];

INIT
{
	FILL(a, 1);
	FOR(i, 0, N) {
		FOR(j, 0, i)
			a[j][i] = a[i][j];
		a[i][i] = 2 * N;
	}
}

KERNEL
{
	FOR(i, 0, N) {
		FOR(j, 0, i) {
			REAL value = a[i][j];

			INNER(k, 0, j)
				value -= l[i][k] * l[j][k];
			l[i][j] = value / l[j][j];
		}
		REAL square = a[i][i];

		INNER(k, 0, i)
			square -= l[i][k] * l[i][k];
		l[i][i] = (REAL)sqrt((double)square);
	}
}

CHECK
{
	static REAL product[N][N];

	FOR(i, 0, N)
		FOR(j, 0, N) {
			double sum = 0;

			FOR(k, 0, MIN(i, j) + 1)
				sum += (double)l[i][k] * (double)l[j][k];
			product[i][j] = (REAL)sum;
		}
	return SAME(product, a);
}
