/* SPDX-License-Identifier: MIT */
/*
 * A = L U, in place; L has ones on the diagonal
 * VARIANTS: REAL=double,float UNROLL=0,2,4 SWAP=0,1
 */
#include "kernel.h"

#define N 28
#ifndef SWAP
#define SWAP 0 /* eliminate column by column instead of computing element by element */
#endif

DATA REAL a[N][N], lu[N][N];

INIT
{
	FILL(a, 1);
	FOR(i, 0, N)
		a[i][i] = 2 * N;
}

KERNEL
{
	FOR(i, 0, N)
		FOR(j, 0, N)
			lu[i][j] = a[i][j];
#if SWAP
	FOR(k, 0, N)
		FOR(i, k + 1, N) {
			lu[i][k] /= lu[k][k];
			INNER(j, k + 1, N)
				lu[i][j] -= lu[i][k] * lu[k][j];
		}
#else
	FOR(i, 0, N) {
		FOR(j, 0, i) {
			INNER(k, 0, j)
				lu[i][j] -= lu[i][k] * lu[k][j];
			lu[i][j] /= lu[j][j];
		}
		FOR(j, i, N)
			INNER(k, 0, i)
				lu[i][j] -= lu[i][k] * lu[k][j];
	}
#endif
}

CHECK
{
	static REAL product[N][N];

	FOR(i, 0, N)
		FOR(j, 0, N) {
			double sum = i <= j ? (double)lu[i][j] : 0;

			FOR(k, 0, MIN(i, j + 1))
				sum += (double)lu[i][k] * (double)lu[k][j];
			product[i][j] = (REAL)sum;
		}
	return SAME(product, a);
}
