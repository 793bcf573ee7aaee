/* SPDX-License-Identifier: MIT */
/*
 * solves T y = -r, T the symmetric Toeplitz matrix with 1, r0, r1, ... by Durbin's recursion
 * VARIANTS: REAL=double,float UNROLL=0,2,4
 */
#include "kernel.h"

#define N 64

DATA REAL r[N], y[N], z[N];

INIT
{
	FILL(r, 1);
	FOR(i, 0, N)
		r[i] /= 2 * N;
}

KERNEL
{
	REAL alpha = -r[0], beta = 1;

	y[0] = -r[0];
	FOR(k, 1, N) {
		REAL sum = 0;

		beta *= 1 - alpha * alpha;
		INNER(i, 0, k)
			sum += r[k - i - 1] * y[i];
		alpha = -(r[k] + sum) / beta;
		INNER(i, 0, k)
			z[i] = y[i] + alpha * y[k - i - 1];
		INNER(i, 0, k)
			y[i] = z[i];
		y[k] = alpha;
	}
}

CHECK
{
	static REAL product[N];

	FOR(i, 0, N) {
		double sum = 0;

		FOR(j, 0, N)
			sum -= (i == j ? 1 : (double)r[abs(i - j) - 1]) * (double)y[j];
		product[i] = (REAL)sum;
	}
	return SAME(product, r);
}
