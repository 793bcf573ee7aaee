/* SPDX-License-Identifier: MIT */
/*
 * edit distance of two words
 * VARIANTS: UNROLL=0,2,4 CELL=int,uint8_t,int16_t
 */
#include "kernel.h"

#define N 56
#ifndef CELL
#define CELL int
#endif

DATA char left[N], right[N];
DATA CELL row[2][N + 1];
static CELL result;

INIT
{
	uint32_t seed = 1;

	FOR(i, 0, N) {
		left[i] = (char)('a' + kernel_random(&seed) % 4);
		right[i] = (char)('a' + kernel_random(&seed) % 4);
	}
}

KERNEL
{
	FOR(j, 0, N + 1)
		row[0][j] = (CELL)j;
	FOR(i, 0, N) {
		const CELL *above = row[i % 2];
		CELL *here = row[(i + 1) % 2];

		here[0] = (CELL)(i + 1);
		INNER(j, 0, N) {
			CELL changed = (CELL)(above[j] + (left[i] != right[j]));
			CELL other = (CELL)(MIN(above[j + 1], here[j]) + 1);

			here[j + 1] = MIN(changed, other);
		}
	}
	result = row[N % 2][N];
}

CHECK
{
	static int distance[N + 1][N + 1];

	FOR(i, 0, N + 1)
		FOR(j, 0, N + 1) {
			int best = MAX(i, j);

			if (i > 0 && j > 0) {
				best = distance[i - 1][j - 1] + (left[i - 1] != right[j - 1]);
				best = MIN(best, distance[i - 1][j] + 1);
				best = MIN(best, distance[i][j - 1] + 1);
			}
			distance[i][j] = best;
		}
	return result == (CELL)distance[N][N];
}
