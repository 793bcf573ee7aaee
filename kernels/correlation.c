/* SPDX-License-Identifier: MIT */
/*
 * correlations of the columns of a table
 * VARIANTS: REAL=double,float UNROLL=0,2,4
 */
#include "kernel.h"

#define ROWS 32
#define N 24

DATA REAL table[ROWS][N], scaled[ROWS][N], result[N][N];

INIT
{
	FILL(table, 1);
}

KERNEL
{
	FOR(j, 0, N) {
		REAL sum = 0, squares = 0, mean, scale;

		INNER(i, 0, ROWS)
			sum += table[i][j];
		mean = sum / ROWS;
		INNER(i, 0, ROWS)
			squares += (table[i][j] - mean) * (table[i][j] - mean);
		scale = 1 / (REAL)sqrt((double)squares);
		INNER(i, 0, ROWS)
			scaled[i][j] = (table[i][j] - mean) * scale;
	}
	FOR(i, 0, N)
		FOR(j, i, N) {
			REAL sum = 0;

			INNER(k, 0, ROWS)
				sum += scaled[k][i] * scaled[k][j];
			result[i][j] = result[j][i] = sum;
		}
}

static double covariance(int i, int j)
{
	double left = 0, right = 0, sum = 0;

	FOR(k, 0, ROWS) {
		left += (double)table[k][i] / ROWS;
		right += (double)table[k][j] / ROWS;
	}
	FOR(k, 0, ROWS)
		sum += ((double)table[k][i] - left) * ((double)table[k][j] - right);
	return sum;
}

CHECK
{
	static REAL wanted[N][N];

	FOR(i, 0, N)
		FOR(j, 0, N)
			wanted[i][j] = (REAL)(covariance(i, j) /
					      sqrt(covariance(i, i) * covariance(j, j)));
	return SAME(result, wanted);
}
