/* SPDX-License-Identifier: MIT */
/*
 * a mixing function of shifts and products, on independent words and on a chain
 * VARIANTS: UNROLL=0,2,4,8 CHAIN=0,1
 */
#include "kernel.h"

#define N 512
#ifndef CHAIN
#define CHAIN 0 /* each word is mixed with the result of the last */
#endif

DATA uint64_t word[N], result[N];

INIT
{
	FILL_BYTES(word, 1);
}

#define MULTIPLIER 0xff51afd7ed558ccdu

KERNEL
{
	uint64_t last = 0;

	INNER(i, 0, N) {
		uint64_t value = word[i] ^ last;

		value ^= value >> 33;
		value *= MULTIPLIER;
		value ^= value >> 29;
		value += value << 7;
		result[i] = value;
		last = CHAIN ? value : 0;
	}
}

/* Back again: each step has an inverse. */
CHECK
{
	FOR(i, 0, N) {
		uint64_t value = result[i], inverse = MULTIPLIER, sevenths = 129;

		FOR(k, 0, 6) {
			inverse *= 2 - MULTIPLIER * inverse;
			sevenths *= 2 - 129 * sevenths;
		}
		value *= sevenths;
		value ^= value >> 29 ^ value >> 58;
		value *= inverse;
		value ^= value >> 33;
		if ((value ^ (CHAIN && i > 0 ? result[i - 1] : 0)) != word[i])
			return false;
	}
	return true;
}
