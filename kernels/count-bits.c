/* SPDX-License-Identifier: MIT */
/*
 * set bits of words: by a table, or by sums in the word
 * VARIANTS: UNROLL=0,2,4,8 TABLE=0,1
 */
#include "kernel.h"

#define N 512
#ifndef TABLE
#define TABLE 0
#endif

DATA uint64_t word[N];
DATA uint8_t table[256], result[N];

INIT
{
	FILL_BYTES(word, 1);
	FOR(i, 1, 256)
		table[i] = (uint8_t)(table[i / 2] + i % 2);
}

KERNEL
{
	INNER(i, 0, N) {
		uint64_t x = word[i];

#if TABLE
		result[i] = (uint8_t)(table[x & 255] + table[x >> 8 & 255] + table[x >> 16 & 255] +
				      table[x >> 24 & 255] + table[x >> 32 & 255] + table[x >> 40 & 255] +
				      table[x >> 48 & 255] + table[x >> 56]);
#else
		x -= x >> 1 & 0x5555555555555555u;
		x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
		x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
		result[i] = (uint8_t)(x * 0x0101010101010101u >> 56);
#endif
	}
}

CHECK
{
	FOR(i, 0, N) {
		int count = 0;

		FOR(bit, 0, 64)
			count += (int)(word[i] >> bit & 1);
		if (result[i] != count)
			return false;
	}
	return true;
}
