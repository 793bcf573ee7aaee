/* SPDX-License-Identifier: MIT */
/*
 * XTEA of blocks, each apart
 * VARIANTS: UNROLL=0,2,4 SIDE=0,1
 */
#include "kernel.h"

#define N 32
#ifndef SIDE
#define SIDE 0 /* round by round for all blocks */
#endif
#define DELTA 0x9e3779b9u

DATA uint32_t key[4], text[2][N], cipher[2][N];

INIT
{
	FILL_BYTES(key, 1);
	FILL_BYTES(text, 2);
}

#define MIXED(v, sum, index) ((((v) << 4 ^ (v) >> 5) + (v)) ^ ((sum) + key[(index) & 3]))

KERNEL
{
#if SIDE
	uint32_t sum = 0;

	FOR(i, 0, N) {
		cipher[0][i] = text[0][i];
		cipher[1][i] = text[1][i];
	}
	FOR(round, 0, 32) {
		INNER(i, 0, N) {
			cipher[0][i] += MIXED(cipher[1][i], sum, sum);
			cipher[1][i] += MIXED(cipher[0][i], sum + DELTA, (sum + DELTA) >> 11);
		}
		sum += DELTA;
	}
#else
	FOR(i, 0, N) {
		uint32_t left = text[0][i], right = text[1][i], sum = 0;

		INNER(round, 0, 32) {
			left += MIXED(right, sum, sum);
			sum += DELTA;
			right += MIXED(left, sum, sum >> 11);
		}
		cipher[0][i] = left;
		cipher[1][i] = right;
	}
#endif
}

/* Deciphers. */
CHECK
{
	FOR(i, 0, N) {
		uint32_t left = cipher[0][i], right = cipher[1][i];

		for (uint32_t round = 32; round > 0; round--) {
			right -= MIXED(left, DELTA * round, (DELTA * round) >> 11);
			left -= MIXED(right, DELTA * (round - 1), DELTA * (round - 1));
		}
		if (left != text[0][i] || right != text[1][i])
			return false;
	}
	return true;
}
