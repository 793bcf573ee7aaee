/* SPDX-License-Identifier: MIT */
/* Bytes from hexadecimal digits, for rows of tests. */
#ifndef TAKT_TESTS_ISA_HEX_H
#define TAKT_TESTS_ISA_HEX_H

#include <stdint.h>
#include <stdio.h>

static inline size_t from_hex(const char *hex, uint8_t *bytes, size_t most)
{
	size_t count = 0;
	unsigned byte;

	for (; count < most && sscanf(hex + 2 * count, "%2x", &byte) == 1; count++)
		bytes[count] = (uint8_t)byte;
	return count;
}

#endif
