/* SPDX-License-Identifier: MIT */
/*
 * 5 by 5 convolution of an image
 * VARIANTS: REAL=double,float UNROLL=0,5 ORDER=0,1 TILE=0,8
 */
#include "kernel.h"

#define N 28
#define INSIDE (N - 4)

DATA REAL image[N][N], weight[5][5], result[INSIDE][INSIDE];

INIT
{
	FILL(image, 1);
	FILL(weight, 2);
}

#define POINT(i, j)                                                     \
	{                                                               \
		REAL sum = 0;                                           \
									\
		FOR(x, 0, 5)                                            \
			FOR(y, 0, 5)                                    \
				sum += image[i + x][j + y] * weight[x][y]; \
		result[i][j] = sum;                                     \
	}

KERNEL
{
	NEST2(POINT, i, INSIDE, j, INSIDE);
}

CHECK
{
	static REAL wanted[INSIDE][INSIDE];

	FOR(i, 0, INSIDE)
		FOR(j, 0, INSIDE) {
			double sum = 0;

			FOR(k, 0, 25)
				sum += (double)image[i + k / 5][j + k % 5] *
				       (double)weight[k / 5][k % 5];
			wanted[i][j] = (REAL)sum;
		}
	return SAME(result, wanted);
}
