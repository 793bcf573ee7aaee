/* SPDX-License-Identifier: MIT */
/*
 * A = Q R by the modified method of Gram and Schmidt
 * VARIANTS: REAL=double,float UNROLL=0,2,4
 */
#include "kernel.h"

#define N 22

DATA REAL a[N][N], work[N][N], q[N][N], r[N][N];

INIT
{
	FILL(a, 1);
	FOR(i, 0, N)
		a[i][i] = 8;
}

KERNEL
{
	FOR(i, 0, N)
		FOR(j, 0, N)
			work[i][j] = a[i][j];
	FOR(k, 0, N) {
		REAL norm = 0;

		INNER(i, 0, N)
			norm += work[i][k] * work[i][k];
		r[k][k] = (REAL)sqrt((double)norm);
		INNER(i, 0, N)
			q[i][k] = work[i][k] / r[k][k];
		FOR(j, k + 1, N) {
			REAL sum = 0;

			INNER(i, 0, N)
				sum += q[i][k] * work[i][j];
			r[k][j] = sum;
			INNER(i, 0, N)
				work[i][j] -= q[i][k] * sum;
		}
	}
}

CHECK
{
	static REAL product[N][N];

	FOR(i, 0, N)
		FOR(j, 0, N) {
			double sum = 0, orthogonal = 0;

			FOR(k, 0, N) {
				sum += k <= j ? (double)q[i][k] * (double)r[k][j] : 0;
				orthogonal += (double)q[k][i] * (double)q[k][j];
			}
			product[i][j] = (REAL)sum;
			if (fabs(orthogonal - (i == j)) > 1e-3)
				return false;
		}
	return SAME(product, a);
}
