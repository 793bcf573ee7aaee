/* SPDX-License-Identifier: MIT */
/*
 * cosine transform of blocks of 8 by 8, fixed point
 * VARIANTS: UNROLL=0,2,8 NUMBER=int16_t,int32_t
 */
#include "kernel.h"

#define BLOCKS 12
#ifndef NUMBER
#define NUMBER int16_t
#endif

DATA int8_t pixel[BLOCKS][8][8];
DATA int16_t cosine[8][8];
DATA NUMBER half[8][8], result[BLOCKS][8][8];

INIT
{
	FILL_BYTES(pixel, 1);
	FOR(u, 0, 8)
		FOR(x, 0, 8)
			cosine[u][x] = (int16_t)lround(1024 * cos((2 * x + 1) * u * acos(-1) / 16));
}

KERNEL
{
	FOR(b, 0, BLOCKS) {
		FOR(i, 0, 8)
			FOR(u, 0, 8) {
				int32_t sum = 1 << 9;

				INNER(x, 0, 8)
					sum += cosine[u][x] * pixel[b][i][x];
				half[i][u] = (NUMBER)(sum >> 10);
			}
		FOR(v, 0, 8)
			FOR(u, 0, 8) {
				int32_t sum = 1 << 11;

				INNER(y, 0, 8)
					sum += cosine[v][y] * half[y][u];
				result[b][v][u] = (NUMBER)(sum >> 12);
			}
	}
}

/* In floating point: within the errors of rounding. */
CHECK
{
	FOR(b, 0, BLOCKS)
		FOR(v, 0, 8)
			FOR(u, 0, 8) {
				double sum = 0;

				FOR(k, 0, 64)
					sum += pixel[b][k / 8][k % 8] * cos((2 * (k / 8) + 1) * v * acos(-1) / 16) *
					       cos((2 * (k % 8) + 1) * u * acos(-1) / 16);
				if (fabs((double)result[b][v][u] - sum / 4) > 4)
					return false;
			}
	return true;
}
