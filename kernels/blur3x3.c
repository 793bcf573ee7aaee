/* SPDX-License-Identifier: MIT */
/*
 * 3 by 3 binomial blur of bytes
 * VARIANTS: UNROLL=0,2,4,8 SPLIT=0,1
 */
#include "kernel.h"

#define N 64
#ifndef SPLIT
#define SPLIT 0 /* along rows first, then along columns */
#endif

DATA uint8_t image[N][N], result[N][N];
DATA uint16_t half[N][N];

INIT
{
	FILL_BYTES(image, 1);
}

KERNEL
{
#if SPLIT
	FOR(i, 0, N)
		INNER(j, 1, N - 1)
			half[i][j] = (uint16_t)(image[i][j - 1] + 2 * image[i][j] + image[i][j + 1]);
	FOR(i, 1, N - 1)
		INNER(j, 1, N - 1)
			result[i][j] = (uint8_t)((half[i - 1][j] + 2 * half[i][j] + half[i + 1][j] + 8) >> 4);
#else
	FOR(i, 1, N - 1)
		INNER(j, 1, N - 1)
			result[i][j] = (uint8_t)((image[i - 1][j - 1] + 2 * image[i - 1][j] + image[i - 1][j + 1] +
						  2 * image[i][j - 1] + 4 * image[i][j] + 2 * image[i][j + 1] +
						  image[i + 1][j - 1] + 2 * image[i + 1][j] +
						  image[i + 1][j + 1] + 8) >> 4);
	(void)half;
#endif
}

CHECK
{
	static const int weight[3] = {1, 2, 1};

	FOR(i, 1, N - 1)
		FOR(j, 1, N - 1) {
			int sum = 8;

			FOR(k, 0, 9)
				sum += weight[k / 3] * weight[k % 3] * image[i + k / 3 - 1][j + k % 3 - 1];
			if (result[i][j] != sum / 16)
				return false;
		}
	return true;
}
