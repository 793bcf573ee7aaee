/* SPDX-License-Identifier: MIT */
/*
 * sum of two signals, limited to 16 bits
 * VARIANTS: UNROLL=0,2,4,8 BRANCH=0,1
 */
#include "kernel.h"

#define N 2048
#ifndef BRANCH
#define BRANCH 0
#endif

DATA int16_t a[N], b[N], sum[N];

INIT
{
	FILL_BYTES(a, 1);
	FILL_BYTES(b, 2);
}

KERNEL
{
	INNER(i, 0, N) {
		int value = a[i] + b[i];

#if BRANCH
		if (value > INT16_MAX)
			value = INT16_MAX;
		if (value < INT16_MIN)
			value = INT16_MIN;
		sum[i] = (int16_t)value;
#else
		sum[i] = (int16_t)MAX(INT16_MIN, MIN(INT16_MAX, value));
#endif
	}
}

CHECK
{
	FOR(i, 0, N) {
		long value = (long)a[i] + b[i];

		if (sum[i] != (value > 32767 ? 32767 : value < -32768 ? -32768 : value))
			return false;
	}
	return true;
}
