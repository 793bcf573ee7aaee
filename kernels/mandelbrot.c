/* SPDX-License-Identifier: MIT */
/*
 * steps until points of a grid leave a circle
 * VARIANTS: REAL=double,float
 */
#include "kernel.h"

#define N 16
#define STEPS 40

DATA uint8_t steps[N][N];

INIT
{
}

#define RE(j) ((REAL)(j) * (REAL)0.1875 - 2)
#define IM(i) ((REAL)(i) * (REAL)0.125 - 1)

KERNEL
{
	FOR(i, 0, N)
		FOR(j, 0, N) {
			REAL x = 0, y = 0, square_x = 0, square_y = 0;
			int count = 0;

			for (; count < STEPS && square_x + square_y <= 4; count++) {
				y = 2 * x * y + IM(i);
				x = square_x - square_y + RE(j);
				square_x = x * x;
				square_y = y * y;
			}
			steps[i][j] = (uint8_t)count;
		}
}

/* Rounding may let a few points leave a step earlier or later. */
CHECK
{
	int different = 0;

	FOR(i, 0, N)
		FOR(j, 0, N) {
			long double x = 0, y = 0;
			int count = 0;

			for (; count < STEPS && x * x + y * y <= 4; count++) {
				long double next = x * x - y * y + (long double)RE(j);

				y = 2 * x * y + (long double)IM(i);
				x = next;
			}
			different += steps[i][j] != count;
		}
	return different <= 6;
}
