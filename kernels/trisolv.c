/* SPDX-License-Identifier: MIT */
/*
 * solves L x = b, L lower triangular
 * VARIANTS: REAL=double,float UNROLL=0,2,4 SWAP=0,1
 */
#include "kernel.h"

#define N 56
#ifndef SWAP
#define SWAP 0 /* column by column */
#endif

DATA REAL l[N][N], b[N], x[N];

INIT
{
	FILL(l, 1);
	FILL(b, 2);
	FOR(i, 0, N)
		l[i][i] = N;
}

KERNEL
{
	FOR(i, 0, N)
		x[i] = b[i];
#if SWAP
	FOR(j, 0, N) {
		x[j] /= l[j][j];
		INNER(i, j + 1, N)
			x[i] -= l[i][j] * x[j];
	}
#else
	FOR(i, 0, N) {
		INNER(j, 0, i)
			x[i] -= l[i][j] * x[j];
		x[i] /= l[i][i];
	}
#endif
}

CHECK
{
	static REAL product[N];

	FOR(i, 0, N) {
		double sum = 0;

		FOR(j, 0, i + 1)
			sum += (double)l[i][j] * (double)x[j];
		product[i] = (REAL)sum;
	}
	return SAME(product, b);
}
