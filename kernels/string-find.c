/* SPDX-License-Identifier: MIT */
/*
 * where a word occurs in a text, tried at each place
 * VARIANTS: UNROLL=0,2,4,8
 */
#include "kernel.h"

#define N 2000
#define WORD 5

DATA char text[N + 1], word[WORD + 1];
DATA uint8_t found[N];

INIT
{
	uint32_t seed = 1;

	FOR(i, 0, N)
		text[i] = (char)('a' + kernel_random(&seed) % 3);
	memcpy(word, text + N / 2, WORD);
}

KERNEL
{
	INNER(i, 0, N - WORD + 1) {
		int same = 0;

		while (same < WORD && text[i + same] == word[same])
			same++;
		found[i] = same == WORD;
	}
}

CHECK
{
	static uint8_t wanted[N];

	FOR(i, 0, N - WORD + 1)
		wanted[i] = memcmp(text + i, word, WORD) == 0;
	return EQUAL(found, wanted) && found[N / 2];
}
