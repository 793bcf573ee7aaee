/* SPDX-License-Identifier: MIT */
/*
 * electric and magnetic fields in a plane, by finite differences in time
 * VARIANTS: REAL=double,float UNROLL=0,2,4 SWAP=0,1
 */
#include "kernel.h"

#define N 24
#define STEPS 4
#ifndef SWAP
#define SWAP 0 /* of the loops over the plane */
#endif
#if SWAP
#define PLANE(x0, y0, x1, y1) FOR(y, y0, y1) INNER(x, x0, x1)
#else
#define PLANE(x0, y0, x1, y1) FOR(x, x0, x1) INNER(y, y0, y1)
#endif

DATA REAL start[3][N][N], ex[N][N], ey[N][N], hz[N][N];

INIT
{
	FILL(start, 1);
}

KERNEL
{
	FOR(x, 0, N)
		FOR(y, 0, N) {
			ex[x][y] = start[0][x][y];
			ey[x][y] = start[1][x][y];
			hz[x][y] = start[2][x][y];
		}
	FOR(t, 0, STEPS) {
		FOR(y, 0, N)
			ey[0][y] = (REAL)t;
		PLANE(1, 0, N, N)
			ey[x][y] -= (REAL)0.5 * (hz[x][y] - hz[x - 1][y]);
		PLANE(0, 1, N, N)
			ex[x][y] -= (REAL)0.5 * (hz[x][y] - hz[x][y - 1]);
		PLANE(0, 0, N - 1, N - 1)
			hz[x][y] -= (REAL)0.7 * (ex[x][y + 1] - ex[x][y] + ey[x + 1][y] - ey[x][y]);
	}
}

CHECK
{
	static double old[3][N][N], now[3][N][N];
	static REAL wanted[N][N];

	FOR(i, 0, 3 * N * N)
		now[i / N / N][i / N % N][i % N] = (double)start[i / N / N][i / N % N][i % N];
	FOR(t, 0, STEPS) {
		memcpy(old, now, sizeof(old));
		FOR(i, 0, N * N) {
			int x = i / N, y = i % N;

			now[1][x][y] = x == 0 ? t : old[1][x][y] - 0.5 * (old[2][x][y] - old[2][x - 1][y]);
			if (y > 0)
				now[0][x][y] = old[0][x][y] - 0.5 * (old[2][x][y] - old[2][x][y - 1]);
		}
		FOR(x, 0, N - 1)
			FOR(y, 0, N - 1)
				now[2][x][y] = old[2][x][y] - 0.7 * (now[0][x][y + 1] - now[0][x][y] +
								     now[1][x + 1][y] - now[1][x][y]);
	}
	FOR(x, 0, N)
		FOR(y, 0, N)
			wanted[x][y] = (REAL)now[2][x][y];
	return SAME(hz, wanted);
}
