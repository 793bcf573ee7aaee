/* SPDX-License-Identifier: MIT */
/*
 * most pairs of bases that a folded RNA can have
 * VARIANTS: CELL=int,int8_t,int16_t UNROLL=0,2,4 BRANCH=0,1
 */
#include "kernel.h"

#define N 56
#ifndef CELL
#define CELL int
#endif
#ifndef BRANCH
#define BRANCH 0 /* ask for the larger by a branch */
#endif
#if BRANCH
#define KEEP_LARGER(cell, value) do { if ((cell) < (value)) (cell) = (CELL)(value); } while (0)
#else
#define KEEP_LARGER(cell, value) ((cell) = (CELL)MAX(cell, value))
#endif

DATA uint8_t base[N];
DATA CELL table[N][N];

INIT
{
	FILL_BYTES(base, 1);
	FOR(i, 0, N)
		base[i] &= 3;
}

#define PAIR(i, j) (base[i] + base[j] == 3)

KERNEL
{
	FOR(i, 0, N)
		FOR(j, 0, N)
			table[i][j] = 0;
	for (int i = N - 2; i >= 0; i--)
		FOR(j, i + 1, N) {
			CELL best = MAX(table[i][j - 1], table[i + 1][j]);
			CELL paired = (CELL)(table[i + 1][j - 1] + (i < j - 1 ? PAIR(i, j) : 0));

			KEEP_LARGER(best, paired);
			INNER(k, i + 1, j)
				KEEP_LARGER(best, table[i][k] + table[k + 1][j]);
			table[i][j] = best;
		}
}

/* By growing length instead. */
CHECK
{
	static CELL wanted[N][N];

	FOR(length, 1, N)
		FOR(i, 0, N - length) {
			int j = i + length, best = length > 1 ? wanted[i + 1][j - 1] + PAIR(i, j) : 0;

			FOR(k, i, j)
				best = MAX(best, wanted[i][k] + wanted[k + 1][j]);
			wanted[i][j] = (CELL)best;
		}
	return EQUAL(table, wanted);
}
