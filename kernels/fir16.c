/* SPDX-License-Identifier: MIT */
/*
 * FIR filter of 16-bit samples, rounded
 * VARIANTS: ORDER=0,1 UNROLL=0,2,4 JAM=1,2,4
 */
#include "kernel.h"

#define TAPS 16
#define N 512

DATA int16_t sample[N + TAPS], tap[TAPS], result[N];
DATA int32_t sum[N];

INIT
{
	uint32_t seed = 1;

	FILL_BYTES(sample, 2);
	FOR(i, 0, TAPS)
		tap[i] = (int16_t)(kernel_random(&seed) % 2000) - 1000;
}

#define STATEMENT(i, k) sum[i] += sample[(i) + k] * tap[k];

KERNEL
{
	FOR(i, 0, N)
		sum[i] = 1 << 14;
	NEST2(STATEMENT, i, N, k, TAPS);
	FOR(i, 0, N)
		result[i] = (int16_t)(sum[i] >> 15);
}

CHECK
{
	FOR(i, 0, N) {
		int64_t value = 1 << 14;

		FOR(k, 0, TAPS)
			value += (int64_t)sample[i + k] * tap[k];
		if (result[i] != (int16_t)(value >> 15))
			return false;
	}
	return true;
}
