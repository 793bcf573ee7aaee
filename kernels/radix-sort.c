/* SPDX-License-Identifier: MIT */
/*
 * sorts 16-bit keys by one byte after the other
 * VARIANTS: UNROLL=0,2,4 COUNT=uint16_t,uint32_t
 */
#include "kernel.h"

#define N 1024
#ifndef COUNT
#define COUNT uint32_t
#endif

DATA uint16_t start[N], half[N], key[N];

INIT
{
	FILL_BYTES(start, 1);
}

KERNEL
{
	static COUNT place[2][257];

	FOR(byte, 0, 2)
		FOR(i, 0, 257)
			place[byte][i] = 0;
	INNER(i, 0, N) {
		place[0][(start[i] & 255) + 1]++;
		place[1][(start[i] >> 8) + 1]++;
	}
	FOR(byte, 0, 2)
		FOR(i, 0, 255)
			place[byte][i + 1] = (COUNT)(place[byte][i + 1] + place[byte][i]);
	INNER(i, 0, N)
		half[place[0][start[i] & 255]++] = start[i];
	INNER(i, 0, N)
		key[place[1][half[i] >> 8]++] = half[i];
}

CHECK
{
	FOR(i, 0, N) {
		int place = 0;

		FOR(j, 0, N)
			place += start[j] < start[i] || (start[j] == start[i] && j < i);
		if (key[place] != start[i])
			return false;
	}
	return true;
}
