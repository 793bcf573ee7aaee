/* SPDX-License-Identifier: MIT */
/*
 * characters of a text in UTF-8
 * VARIANTS: UNROLL=0,2,4,8 BRANCH=0,1
 */
#include "kernel.h"

#define N 4096
#ifndef BRANCH
#define BRANCH 0 /* from lead byte to lead byte, by its length */
#endif

DATA uint8_t text[N];
static uint32_t count;
static uint32_t wanted;

INIT
{
	uint32_t seed = 1;

	for (int i = 0; i < N; wanted++) {
		int length = 1 + (int)(kernel_random(&seed) % 4);

		length = MIN(length, N - i);
		text[i++] = (uint8_t)(length == 1 ? 'x' : 0xf00 >> length);
		for (int k = 1; k < length; k++)
			text[i++] = 0x80 | (uint8_t)(kernel_random(&seed) & 0x3f);
	}
}

KERNEL
{
	uint32_t sum = 0;

#if BRANCH
	for (int i = 0; i < N; sum++) {
		if (text[i] < 0x80)
			i += 1;
		else if (text[i] < 0xe0)
			i += 2;
		else if (text[i] < 0xf0)
			i += 3;
		else
			i += 4;
	}
#else
	INNER(i, 0, N)
		sum += (text[i] & 0xc0) != 0x80;
#endif
	count = sum;
}

CHECK
{
	return count == wanted;
}
