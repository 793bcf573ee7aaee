/* SPDX-License-Identifier: MIT */
/*
 * y = A x, A sparse, with as many entries in each row
 * VARIANTS: REAL=double,float ORDER=0,1 UNROLL=0,4 JAM=1,2,4
 */
#include "kernel.h"

#define N 192
#define WIDTH 8

DATA REAL value[WIDTH][N], x[N], y[N];
DATA int column[WIDTH][N];

INIT
{
	uint32_t seed = 1;

	FILL(value, 2);
	FILL(x, 3);
	FOR(k, 0, WIDTH)
		FOR(i, 0, N)
			column[k][i] = (int)(kernel_random(&seed) % N);
}

#define ENTRY(i, k) y[i] += value[k][i] * x[column[k][i]];

KERNEL
{
	FOR(i, 0, N)
		y[i] = 0;
	NEST2(ENTRY, i, N, k, WIDTH);
}

CHECK
{
	static REAL wanted[N];

	FOR(i, 0, N) {
		double sum = 0;

		FOR(k, 0, WIDTH)
			sum += (double)value[k][i] * (double)x[column[k][i]];
		wanted[i] = (REAL)sum;
	}
	return SAME(y, wanted);
}
