/* SPDX-License-Identifier: MIT */
/*
 * recursive filter of second order, fixed point
 * VARIANTS: UNROLL=0,2,4,8
 */
#include "kernel.h"

#define N 1000

DATA int16_t sample[N];
DATA int32_t result[N];
static const int32_t b0 = 3000, b1 = 6000, b2 = 3000, a1 = -9000, a2 = 4000; /* by 2^-14 */

INIT
{
	FILL_BYTES(sample, 1);
}

/* Transposed: the state is two sums. */
KERNEL
{
	int64_t s1 = 0, s2 = 0;

	INNER(i, 0, N) {
		int64_t y = (b0 * (int64_t)sample[i] + s1) >> 14;

		s1 = b1 * (int64_t)sample[i] - a1 * y + s2;
		s2 = b2 * (int64_t)sample[i] - a2 * y;
		result[i] = (int32_t)y;
	}
}

/* By the definition. */
CHECK
{
	int64_t x1 = 0, x2 = 0, before = 0, before2 = 0;

	FOR(i, 0, N) {
		int64_t y = (b0 * (int64_t)sample[i] + b1 * x1 + b2 * x2 - a1 * before - a2 * before2) >> 14;

		if (result[i] != y)
			return false;
		x2 = x1;
		x1 = sample[i];
		before2 = before;
		before = y;
	}
	return true;
}
