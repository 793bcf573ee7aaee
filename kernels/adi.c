/* SPDX-License-Identifier: MIT */
/*
 * alternating directions: a tridiagonal system along each row, then along each column
 * VARIANTS: REAL=double,float UNROLL=0,2,4 SWAP=0,1
 */
#include "kernel.h"

#define N 26
#define STEPS 3
#ifndef SWAP
#define SWAP 0 /* all systems side by side, instead of one after the other */
#endif
#if SWAP
#define LINES(i, k) FOR(k, 1, N - 1) INNER(i, 1, N - 1)
#else
#define LINES(i, k) FOR(i, 1, N - 1) INNER(k, 1, N - 1)
#endif

/* -A x[k - 1] + B x[k] - A x[k + 1] = right[k], x = 1 at both ends */
#define A ((REAL)0.4)
#define B ((REAL)1.8)
#define KEEP ((REAL)0.2)

DATA REAL start[N][N], u[N][N], p[N][N], q[N][N], v[N][N];

INIT
{
	FILL(start, 1);
}

/* The new value of point k of line i, which runs along a column or a row. */
#define RIGHT(x, i, k) \
	(KEEP * x(i, k) + A * (x((i) - 1, k) + x((i) + 1, k)))
#define BY_ROW(i, k) u[i][k]
#define BY_COLUMN(i, k) v[k][i]

KERNEL
{
	FOR(i, 0, N)
		FOR(j, 0, N) {
			u[i][j] = start[i][j];
			v[i][j] = 1;
		}
	FOR(i, 0, N) {
		u[i][0] = u[i][N - 1] = u[0][i] = u[N - 1][i] = 1;
		p[i][0] = 0;
		q[i][0] = 1;
	}
	FOR(t, 0, STEPS) {
		LINES(i, k) {
			REAL scale = 1 / (B - A * p[i][k - 1]);

			p[i][k] = A * scale;
			q[i][k] = (RIGHT(BY_ROW, i, k) + A * q[i][k - 1]) * scale;
		}
		LINES(i, k)
			v[i][N - 1 - k] = p[i][N - 1 - k] * v[i][N - k] + q[i][N - 1 - k];
		LINES(i, k) {
			REAL scale = 1 / (B - A * p[i][k - 1]);

			p[i][k] = A * scale;
			q[i][k] = (RIGHT(BY_COLUMN, i, k) + A * q[i][k - 1]) * scale;
		}
		LINES(i, k)
			u[N - 1 - k][i] = p[i][N - 1 - k] * u[N - k][i] + q[i][N - 1 - k];
	}
}

/* Solves all lines of `old` by iteration, along rows, or along columns. */
static void relax(double old[N][N], double ret_new[N][N], bool columns)
{
	FOR(round, 0, 200)
		FOR(i, 1, N - 1)
			FOR(k, 1, N - 1) {
				double right = columns ? (double)KEEP * old[k][i] +
								 (double)A * (old[k][i - 1] + old[k][i + 1])
						       : (double)KEEP * old[i][k] +
								 (double)A * (old[i - 1][k] + old[i + 1][k]);

				if (columns)
					ret_new[k][i] = (right + (double)A * (ret_new[k - 1][i] +
									      ret_new[k + 1][i])) / (double)B;
				else
					ret_new[i][k] = (right + (double)A * (ret_new[i][k - 1] +
									      ret_new[i][k + 1])) / (double)B;
			}
}

CHECK
{
	static double now[N][N], half[N][N];
	static REAL wanted[N][N];

	FOR(i, 0, N)
		FOR(j, 0, N) {
			bool edge = i == 0 || j == 0 || i == N - 1 || j == N - 1;

			now[i][j] = edge ? 1 : (double)start[i][j];
			half[i][j] = 1;
		}
	FOR(t, 0, STEPS) {
		relax(now, half, false);
		relax(half, now, true);
	}
	FOR(i, 0, N)
		FOR(j, 0, N)
			wanted[i][j] = (REAL)now[i][j];
	return SAME(u, wanted);
}
