/* SPDX-License-Identifier: MIT */
/*
 * CRC-32 by a table
 * VARIANTS: UNROLL=0,2,4,8 BYTES=1,4
 */
#include "kernel.h"

#define N 4096
#ifndef BYTES
#define BYTES 1 /* at a time */
#endif

DATA uint8_t text[N];
DATA uint32_t table[4][256];
static uint32_t result;

static uint32_t step(uint32_t crc)
{
	FOR(bit, 0, 8)
		crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	return crc;
}

INIT
{
	FILL_BYTES(text, 1);
	FOR(i, 0, 256) {
		table[0][i] = step((uint32_t)i);
		FOR(k, 1, 4)
			table[k][i] = step(table[k - 1][i]);
	}
}

KERNEL
{
	uint32_t crc = 0xffffffff;

#if BYTES == 1
	INNER(i, 0, N)
		crc = crc >> 8 ^ table[0][(crc ^ text[i]) & 255];
#else
	INNER(i, 0, N / 4) {
		const uint8_t *four = text + 4 * i;

		crc ^= four[0] | (uint32_t)four[1] << 8 | (uint32_t)four[2] << 16 | (uint32_t)four[3] << 24;
		crc = table[3][crc & 255] ^ table[2][crc >> 8 & 255] ^ table[1][crc >> 16 & 255] ^
		      table[0][crc >> 24];
	}
#endif
	result = ~crc;
}

CHECK
{
	uint32_t crc = 0xffffffff;

	FOR(i, 0, N)
		crc = step(crc ^ text[i]);
	return result == ~crc;
}
