/* SPDX-License-Identifier: MIT */
/*
 * Conway's game of life on a torus, a byte per cell
 * VARIANTS: UNROLL=0,2,4,8 BRANCH=0,1
 */
#include "kernel.h"

#define N 32
#define STEPS 2
#ifndef BRANCH
#define BRANCH 0
#endif

DATA uint8_t start[N][N], cell[N][N], next[N][N];

INIT
{
	FILL_BYTES(start, 1);
	FOR(i, 0, N)
		FOR(j, 0, N)
			start[i][j] &= 1;
}

KERNEL
{
	FOR(i, 0, N)
		FOR(j, 0, N)
			cell[i][j] = start[i][j];
	FOR(t, 0, STEPS) {
		FOR(i, 0, N) {
			const uint8_t *up = cell[(i + N - 1) % N], *here = cell[i], *down = cell[(i + 1) % N];

			INNER(j, 0, N) {
				unsigned l = (unsigned)(j + N - 1) % N, r = (unsigned)(j + 1) % N;
				int count = up[l] + up[j] + up[r] + here[l] + here[r] + down[l] + down[j] + down[r];

#if BRANCH
				if (count == 3 || (count == 2 && here[j]))
					next[i][j] = 1;
				else
					next[i][j] = 0;
#else
				next[i][j] = (uint8_t)((count | here[j]) == 3);
#endif
			}
		}
		FOR(i, 0, N)
			INNER(j, 0, N)
				cell[i][j] = next[i][j];
	}
}

CHECK
{
	static uint8_t now[STEPS + 1][N][N];

	memcpy(now[0], start, sizeof(start));
	FOR(t, 0, STEPS)
		FOR(i, 0, N)
			FOR(j, 0, N) {
				int count = 0;

				FOR(k, 0, 9)
					count += k == 4 ? 0 : now[t][(i + k / 3 - 1 + N) % N][(j + k % 3 - 1 + N) % N];
				now[t + 1][i][j] = count == 3 || (count == 2 && now[t][i][j]);
			}
	return EQUAL(cell, now[STEPS]);
}
