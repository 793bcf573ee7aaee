/* SPDX-License-Identifier: MIT */
/*
 * bytes by a table, in a chain or each apart
 * VARIANTS: UNROLL=0,2,4,8 CHAIN=0,1
 */
#include "kernel.h"

#define N 2048
#ifndef CHAIN
#define CHAIN 0 /* each byte is mixed with the last result */
#endif

DATA uint8_t text[N], table[256], result[N];

INIT
{
	FILL_BYTES(text, 1);
	FOR(i, 0, 256)
		table[i] = (uint8_t)(i * 167 + 13);
}

KERNEL
{
	uint8_t last = 0;

	INNER(i, 0, N) {
		result[i] = table[text[i] ^ last];
		last = CHAIN ? result[i] : 0;
	}
}

CHECK
{
	FOR(i, 0, N) {
		int before = CHAIN && i > 0 ? result[i - 1] : 0;

		if (result[i] != (uint8_t)((text[i] ^ before) * 167 + 13))
			return false;
	}
	return true;
}
