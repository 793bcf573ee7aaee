/* SPDX-License-Identifier: MIT */
/*
 * each point becomes the mean of itself and its four neighbours
 * VARIANTS: REAL=double,float ORDER=0,1 TILE=0,8 JAM=1,2,4 UNROLL=0,4
 */
#include "kernel.h"

#define N 34
#define INSIDE (N - 2)
#define STEPS 4

DATA REAL start[N][N], a[N][N], b[N][N];

INIT
{
	FILL(start, 1);
}

#define MEAN(to, from, i, j)                                                              \
	to[i + 1][j + 1] = (REAL)0.2 * (from[i + 1][j + 1] + from[i + 1][j] +             \
					from[i + 1][j + 2] + from[i][j + 1] + from[i + 2][j + 1]);
#define FORTH(i, j) MEAN(b, a, i, j)
#define BACK(i, j) MEAN(a, b, i, j)

KERNEL
{
	FOR(i, 0, N)
		FOR(j, 0, N)
			a[i][j] = b[i][j] = start[i][j];
	FOR(t, 0, STEPS) {
		NEST2(FORTH, i, INSIDE, j, INSIDE);
		NEST2(BACK, i, INSIDE, j, INSIDE);
	}
}

CHECK
{
	static REAL wanted[N][N];
	static double now[2 * STEPS + 1][N][N];

	FOR(t, 0, 2 * STEPS + 1)
		FOR(i, 0, N)
			FOR(j, 0, N) {
				now[t][i][j] = (double)start[i][j];
				if (t > 0 && i > 0 && j > 0 && i < N - 1 && j < N - 1)
					now[t][i][j] = 0.2 * (now[t - 1][i][j] + now[t - 1][i][j - 1] +
							      now[t - 1][i][j + 1] + now[t - 1][i - 1][j] +
							      now[t - 1][i + 1][j]);
				wanted[i][j] = (REAL)now[t][i][j];
			}
	return SAME(a, wanted);
}
