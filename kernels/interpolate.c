/* SPDX-License-Identifier: MIT */
/*
 * a function by linear interpolation in a table
 * VARIANTS: REAL=double,float UNROLL=0,2,4
 */
#include "kernel.h"

#define N 512
#define POINTS 256

DATA REAL x[N], table[POINTS + 1], y[N];

INIT
{
	FILL(x, 1);
	FOR(i, 0, N)
		x[i] = (x[i] - (REAL)0.5) * POINTS;
	FILL(table, 2);
}

KERNEL
{
	INNER(i, 0, N) {
		int at = (int)x[i];
		REAL part = x[i] - (REAL)at;

		y[i] = table[at] + part * (table[at + 1] - table[at]);
	}
}

CHECK
{
	static REAL wanted[N];

	FOR(i, 0, N)
		FOR(k, 0, POINTS)
			if ((REAL)k <= x[i] && x[i] < (REAL)(k + 1))
				wanted[i] = (REAL)((double)table[k] * (k + 1 - (double)x[i]) +
						   (double)table[k + 1] * ((double)x[i] - k));
	return SAME(y, wanted);
}
