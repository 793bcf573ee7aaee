/* SPDX-License-Identifier: MIT */
/*
 * Adler-32 checksum
 * VARIANTS: UNROLL=0,2,4,8
 */
#include "kernel.h"

#define N 4096

DATA uint8_t text[N];
static uint32_t result;

INIT
{
	FILL_BYTES(text, 1);
}

/* Sums of 4,096 bytes need no reduction in between. */
KERNEL
{
	uint64_t a = 1, b = 0;

	INNER(i, 0, N) {
		a += text[i];
		b += a;
	}
	result = (uint32_t)(b % 65521 << 16 | a % 65521);
}

CHECK
{
	uint32_t a = 1, b = 0;

	FOR(i, 0, N) {
		a = (a + text[i]) % 65521;
		b = (b + a) % 65521;
	}
	return result == (b << 16 | a);
}
