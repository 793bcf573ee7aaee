/* SPDX-License-Identifier: MIT */
/*
 * B = A + u1 v1' + u2 v2', x = beta B' y + z, w = alpha B x
 * VARIANTS: REAL=double,float ORDER=0,1 TILE=0,8 JAM=1,2,4
 */
#include "kernel.h"

#define N 40

DATA REAL a[N][N], b[N][N], u1[N], v1[N], u2[N], v2[N], x[N], y[N], z[N], w[N];
static const REAL alpha = (REAL)0.125, beta = (REAL)0.25;

INIT
{
	FILL(a, 1);
	FILL(u1, 2);
	FILL(v1, 3);
	FILL(u2, 4);
	FILL(v2, 5);
	FILL(y, 6);
	FILL(z, 7);
}

#define RANK_TWO(i, j) b[i][j] = a[i][j] + u1[i] * v1[j] + u2[i] * v2[j];
#define TRANSPOSED(i, j) x[i] += beta * b[j][i] * y[j];
#define PRODUCT(i, j) w[i] += alpha * b[i][j] * x[j];

KERNEL
{
	FOR(i, 0, N) {
		x[i] = z[i];
		w[i] = 0;
	}
	NEST2(RANK_TWO, i, N, j, N);
	NEST2(TRANSPOSED, i, N, j, N);
	NEST2(PRODUCT, i, N, j, N);
}

CHECK
{
	static double full[N][N], sum[N];
	static REAL wanted[N];

	FOR(j, 0, N) {
		sum[j] = (double)z[j];
		FOR(i, 0, N) {
			full[i][j] = (double)a[i][j] + (double)u1[i] * (double)v1[j] +
				     (double)u2[i] * (double)v2[j];
			sum[j] += (double)beta * full[i][j] * (double)y[i];
		}
	}
	FOR(i, 0, N) {
		double value = 0;

		FOR(j, 0, N)
			value += (double)alpha * full[i][j] * sum[j];
		wanted[i] = (REAL)value;
	}
	return SAME(w, wanted);
}
