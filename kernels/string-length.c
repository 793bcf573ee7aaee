/* SPDX-License-Identifier: MIT */
/*
 * lengths of strings
 * VARIANTS: UNROLL=0,2,4,8
 */
#include "kernel.h"

#define STRINGS 64
#define LENGTH_MAX 127

DATA char text[STRINGS][LENGTH_MAX + 1];
DATA uint32_t length[STRINGS];
static uint32_t wanted[STRINGS];

INIT
{
	uint32_t seed = 1;

	FOR(i, 0, STRINGS) {
		wanted[i] = kernel_random(&seed) % LENGTH_MAX;
		FOR(j, 0, (int)wanted[i])
			text[i][j] = (char)('a' + kernel_random(&seed) % 26);
	}
}

KERNEL
{
	FOR(i, 0, STRINGS) {
		const char *end = text[i];

		UNROLLED
		while (*end)
			end++;
		length[i] = (uint32_t)(end - text[i]);
	}
}

CHECK
{
	return EQUAL(length, wanted);
}
