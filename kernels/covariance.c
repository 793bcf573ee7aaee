/* SPDX-License-Identifier: MIT */
/*
 * covariances of the columns of a table
 * VARIANTS: REAL=double,float UNROLL=0,2,4 SWAP=0,1
 */
#include "kernel.h"

#define ROWS 32
#define N 24
#ifndef SWAP
#define SWAP 0 /* rows outside of pairs of columns */
#endif

DATA REAL table[ROWS][N], centred[ROWS][N], mean[N], result[N][N];

INIT
{
	FILL(table, 1);
}

KERNEL
{
	FOR(j, 0, N) {
		REAL sum = 0;

		INNER(i, 0, ROWS)
			sum += table[i][j];
		mean[j] = sum / ROWS;
	}
	FOR(i, 0, ROWS)
		INNER(j, 0, N)
			centred[i][j] = table[i][j] - mean[j];
	FOR(i, 0, N)
		FOR(j, i, N)
			result[i][j] = 0;
#if SWAP
	FOR(k, 0, ROWS)
		FOR(i, 0, N)
			INNER(j, i, N)
				result[i][j] += centred[k][i] * centred[k][j];
#else
	FOR(i, 0, N)
		FOR(j, i, N)
			INNER(k, 0, ROWS)
				result[i][j] += centred[k][i] * centred[k][j];
#endif
	FOR(i, 0, N)
		FOR(j, i, N) {
			result[i][j] /= ROWS - 1;
			result[j][i] = result[i][j];
		}
}

CHECK
{
	static REAL wanted[N][N];
	static double centre[N];

	FOR(j, 0, N) {
		centre[j] = 0;
		FOR(i, 0, ROWS)
			centre[j] += (double)table[i][j] / ROWS;
	}
	FOR(i, 0, N)
		FOR(j, 0, N) {
			double sum = 0;

			FOR(k, 0, ROWS)
				sum += ((double)table[k][i] - centre[i]) *
				       ((double)table[k][j] - centre[j]);
			wanted[i][j] = (REAL)(sum / (ROWS - 1));
		}
	return SAME(result, wanted);
}
