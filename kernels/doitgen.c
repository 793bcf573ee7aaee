/* SPDX-License-Identifier: MIT */
/*
 * B[r][q][p] = sum over s of A[r][q][s] C[s][p]
 * VARIANTS: REAL=double,float UNROLL=0,2,4 SWAP=0,1
 */
#include "kernel.h"

#define R 6
#define N 14
#ifndef SWAP
#define SWAP 0 /* of the two inner loops */
#endif

DATA REAL a[R][R][N], c[N][N], sum[N], b[R][R][N];

INIT
{
	FILL(a, 1);
	FILL(c, 2);
}

KERNEL
{
	FOR(r, 0, R)
		FOR(q, 0, R) {
			FOR(p, 0, N)
				sum[p] = 0;
#if SWAP
			FOR(s, 0, N)
				INNER(p, 0, N)
					sum[p] += a[r][q][s] * c[s][p];
#else
			FOR(p, 0, N)
				INNER(s, 0, N)
					sum[p] += a[r][q][s] * c[s][p];
#endif
			FOR(p, 0, N)
				b[r][q][p] = sum[p];
		}
}

CHECK
{
	static REAL wanted[R][R][N];

	FOR(r, 0, R)
		FOR(q, 0, R)
			FOR(p, 0, N) {
				double value = 0;

				FOR(s, 0, N)
					value += (double)a[r][q][s] * (double)c[s][p];
				wanted[r][q][p] = (REAL)value;
			}
	return SAME(b, wanted);
}
