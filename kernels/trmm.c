/* SPDX-License-Identifier: MIT */
/*
 * B = alpha A' B, A lower triangular with ones on the diagonal
 * VARIANTS: REAL=double,float UNROLL=0,2,4 SWAP=0,1
 */
#include "kernel.h"

#define N 24
#ifndef SWAP
#define SWAP 0 /* of the two inner loops */
#endif

DATA REAL a[N][N], start[N][N], b[N][N];
static const REAL alpha = (REAL)1.5;

INIT
{
	FILL(a, 1);
	FILL(start, 2);
}

KERNEL
{
	FOR(i, 0, N)
		FOR(j, 0, N)
			b[i][j] = start[i][j];
	FOR(i, 0, N) {
#if SWAP
		FOR(k, i + 1, N)
			INNER(j, 0, N)
				b[i][j] += a[k][i] * b[k][j];
#else
		FOR(j, 0, N)
			INNER(k, i + 1, N)
				b[i][j] += a[k][i] * b[k][j];
#endif
		FOR(j, 0, N)
			b[i][j] *= alpha;
	}
}

CHECK
{
	static REAL wanted[N][N];

	FOR(i, 0, N)
		FOR(j, 0, N) {
			double sum = (double)start[i][j];

			FOR(k, i + 1, N)
				sum += (double)a[k][i] * (double)start[k][j];
			wanted[i][j] = (REAL)((double)alpha * sum);
		}
	return SAME(b, wanted);
}
