/* SPDX-License-Identifier: MIT */
/*
 * brightness of pixels of three bytes
 * VARIANTS: UNROLL=0,2,4,8 PLANES=0,1
 */
#include "kernel.h"

#define N 2048
#ifndef PLANES
#define PLANES 0 /* each colour apart */
#endif
#if PLANES
#define COLOUR(i, c) pixel[(c) * N + (i)]
#else
#define COLOUR(i, c) pixel[3 * (i) + (c)]
#endif

DATA uint8_t pixel[3 * N], gray[N];

INIT
{
	FILL_BYTES(pixel, 1);
}

KERNEL
{
	INNER(i, 0, N)
		gray[i] = (uint8_t)((77 * COLOUR(i, 0) + 150 * COLOUR(i, 1) + 29 * COLOUR(i, 2) + 128) >> 8);
}

CHECK
{
	static const int weight[3] = {77, 150, 29};

	FOR(i, 0, N) {
		int sum = 128;

		FOR(c, 0, 3)
			sum += weight[c] * COLOUR(i, c);
		if (gray[i] != sum / 256)
			return false;
	}
	return true;
}
