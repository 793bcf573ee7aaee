/* SPDX-License-Identifier: MIT */
/*
 * y = A x, A sparse, its rows one after the other
 * VARIANTS: REAL=double,float UNROLL=0,2,4 INDEX=int,uint16_t,int64_t
 */
#include "kernel.h"

#define N 128
#define ENTRIES_MAX (N * 10)
#ifndef INDEX
#define INDEX int
#endif

DATA REAL value[ENTRIES_MAX], x[N], y[N];
DATA INDEX column[ENTRIES_MAX], row[N + 1];

INIT
{
	uint32_t seed = 1;
	int count = 0;

	FILL(value, 2);
	FILL(x, 3);
	FOR(i, 0, N) {
		row[i] = (INDEX)count;
		for (int left = (int)(kernel_random(&seed) % 10); left > 0; left--)
			column[count++] = (INDEX)(kernel_random(&seed) % N);
	}
	row[N] = (INDEX)count;
}

KERNEL
{
	FOR(i, 0, N) {
		REAL sum = 0;

		INNER(k, (int)row[i], (int)row[i + 1])
			sum += value[k] * x[column[k]];
		y[i] = sum;
	}
}

CHECK
{
	static double dense[N][N];
	static REAL wanted[N];

	memset(dense, 0, sizeof(dense));
	FOR(i, 0, N)
		FOR(k, (int)row[i], (int)row[i + 1])
			dense[i][column[k]] += (double)value[k];
	FOR(i, 0, N) {
		double sum = 0;

		FOR(j, 0, N)
			sum += dense[i][j] * (double)x[j];
		wanted[i] = (REAL)sum;
	}
	return SAME(y, wanted);
}
