/* SPDX-License-Identifier: MIT */
/*
 * blocks of a stream of ChaCha's quarter rounds
 * VARIANTS: UNROLL=0,2,5 SIDE=0,1
 */
#include "kernel.h"

#define BLOCKS 8
#define ROUNDS 10 /* double rounds */
#ifndef SIDE
#define SIDE 0 /* all blocks side by side */
#endif
#define ROTATED(x, n) ((x) << (n) | (x) >> (32 - (n)))

DATA uint32_t start[16][BLOCKS], state[16][BLOCKS];

INIT
{
	FILL_BYTES(start, 1);
}

#define QUARTER(a, b, c, d, x)                          \
	a[x] += b[x]; d[x] = ROTATED(d[x] ^ a[x], 16);  \
	c[x] += d[x]; b[x] = ROTATED(b[x] ^ c[x], 12);  \
	a[x] += b[x]; d[x] = ROTATED(d[x] ^ a[x], 8);   \
	c[x] += d[x]; b[x] = ROTATED(b[x] ^ c[x], 7);

#define AT(i, offset, shift) ((offset) + ((i) + (shift)) % 4)
#define COLUMN(i, x) QUARTER(state[i], state[4 + i], state[8 + i], state[12 + i], x)
#define DIAGONAL(i, x) \
	QUARTER(state[i], state[AT(i, 4, 1)], state[AT(i, 8, 2)], state[AT(i, 12, 3)], x)

KERNEL
{
	FOR(i, 0, 16)
		FOR(x, 0, BLOCKS)
			state[i][x] = start[i][x];
#if SIDE
	INNER(r, 0, ROUNDS) {
		FOR(i, 0, 4)
			FOR(x, 0, BLOCKS) {
				COLUMN(i, x)
			}
		FOR(i, 0, 4)
			FOR(x, 0, BLOCKS) {
				DIAGONAL(i, x)
			}
	}
#else
	FOR(x, 0, BLOCKS)
		INNER(r, 0, ROUNDS) {
			FOR(i, 0, 4) {
				COLUMN(i, x)
			}
			FOR(i, 0, 4) {
				DIAGONAL(i, x)
			}
		}
#endif
	FOR(i, 0, 16)
		FOR(x, 0, BLOCKS)
			state[i][x] += start[i][x];
}

static void quarter(uint32_t *words, int a, int b, int c, int d)
{
	static const int turns[4] = {16, 12, 8, 7};

	FOR(k, 0, 4) {
		int to = k % 2 ? c : a, from = k % 2 ? d : b, other = k % 2 ? b : d;

		words[to] += words[from];
		words[other] = (uint32_t)(((uint64_t)(words[other] ^ words[to]) * 0x100000001u) >>
					  (32 - turns[k]));
	}
}

CHECK
{
	FOR(x, 0, BLOCKS) {
		uint32_t words[16];

		FOR(i, 0, 16)
			words[i] = start[i][x];
		FOR(r, 0, ROUNDS * 8) {
			int shift = r / 4 % 2, i = r % 4;

			quarter(words, i, 4 + (i + shift) % 4, 8 + (i + 2 * shift) % 4, 12 + (i + 3 * shift) % 4);
		}
		FOR(i, 0, 16)
			if (state[i][x] != words[i] + start[i][x])
				return false;
	}
	return true;
}
