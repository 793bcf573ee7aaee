/* SPDX-License-Identifier: MIT */
/*
 * running sums
 * VARIANTS: REAL=double,float,int,int16_t UNROLL=0,2,4,8
 */
#include "kernel.h"

#define N 1000

DATA REAL number[N], sum[N];

INIT
{
	FOR(i, 0, N)
		number[i] = (REAL)(i % 13 - 6);
}

KERNEL
{
	REAL running = 0;

	INNER(i, 0, N) {
		running += number[i];
		sum[i] = running;
	}
}

CHECK
{
	FOR(i, 0, N) {
		long value = 0;

		FOR(k, 0, i + 1)
			value += k % 13 - 6;
		if ((long)sum[i] != value)
			return false;
	}
	return true;
}
