/* SPDX-License-Identifier: MIT */
/*
 * solves A x = b by A = L U
 * VARIANTS: REAL=double,float UNROLL=0,2,4
 */
#include "kernel.h"

#define N 28

DATA REAL a[N][N], lu[N][N], b[N], y[N], x[N];

INIT
{
	FILL(a, 1);
	FILL(b, 2);
	FOR(i, 0, N)
		a[i][i] = 2 * N;
}

KERNEL
{
	FOR(i, 0, N) {
		FOR(j, 0, N) {
			REAL value = a[i][j];

			INNER(k, 0, MIN(i, j))
				value -= lu[i][k] * lu[k][j];
			lu[i][j] = j < i ? value / lu[j][j] : value;
		}
	}
	FOR(i, 0, N) {
		REAL value = b[i];

		INNER(j, 0, i)
			value -= lu[i][j] * y[j];
		y[i] = value;
	}
	for (int i = N - 1; i >= 0; i--) {
		REAL value = y[i];

		INNER(j, i + 1, N)
			value -= lu[i][j] * x[j];
		x[i] = value / lu[i][i];
	}
}

CHECK
{
	static REAL product[N];

	FOR(i, 0, N) {
		double sum = 0;

		FOR(j, 0, N)
			sum += (double)a[i][j] * (double)x[j];
		product[i] = (REAL)sum;
	}
	return SAME(product, b);
}
