/* SPDX-License-Identifier: MIT */
/*
 * bytes as base64 text
 * VARIANTS: UNROLL=0,2,4,8
 */
#include "kernel.h"

#define N 1500

DATA uint8_t bytes[N];
DATA char text[N / 3 * 4];
static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

INIT
{
	FILL_BYTES(bytes, 1);
}

KERNEL
{
	INNER(i, 0, N / 3) {
		uint32_t three = (uint32_t)bytes[3 * i] << 16 | (uint32_t)bytes[3 * i + 1] << 8 | bytes[3 * i + 2];

		text[4 * i] = letter[three >> 18];
		text[4 * i + 1] = letter[three >> 12 & 63];
		text[4 * i + 2] = letter[three >> 6 & 63];
		text[4 * i + 3] = letter[three & 63];
	}
}

/* Bit by bit, back again. */
CHECK
{
	FOR(bit, 0, N * 8) {
		long value = strchr(letter, text[bit / 6]) - letter;

		if ((value >> (5 - bit % 6) & 1) != (bytes[bit / 8] >> (7 - bit % 8) & 1))
			return false;
	}
	return true;
}
