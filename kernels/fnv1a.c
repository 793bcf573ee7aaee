/* SPDX-License-Identifier: MIT */
/*
 * FNV-1a hash of a text
 * VARIANTS: UNROLL=0,2,4,8 WORD=32,64
 */
#include "kernel.h"

#define N 4096
#ifndef WORD
#define WORD 32
#endif
#if WORD == 32
#define HASH uint32_t
#define BASIS 2166136261u
#define PRIME 16777619u
#else
#define HASH uint64_t
#define BASIS 14695981039346656037u
#define PRIME 1099511628211u
#endif

DATA uint8_t text[N];
static HASH result;

INIT
{
	FILL_BYTES(text, 1);
}

KERNEL
{
	HASH hash = BASIS;

	INNER(i, 0, N)
		hash = (hash ^ text[i]) * PRIME;
	result = hash;
}

/* The product by shifts and additions. */
CHECK
{
	HASH hash = BASIS;

	FOR(i, 0, N) {
		HASH factor = hash ^ text[i];

		hash = 0;
		FOR(bit, 0, WORD)
			hash += PRIME >> (bit & (WORD - 1)) & 1 ? factor << bit : 0;
	}
	return result == hash;
}
