/* SPDX-License-Identifier: MIT */
/* CRC-32 of a buffer: by one table, or by SLICES tables at once. */
#include "program.h"

#ifndef SLICES
#define SLICES 1
#endif
#define SIZE 16384
#define PASSES 32

static uint32_t tables[8][256];
static uint8_t buffer[SIZE];

void program_setup(void)
{
	uint64_t state = 1;

	for (uint32_t i = 0; i < 256; i++) {
		uint32_t crc = i;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
		tables[0][i] = crc;
	}
	for (uint32_t i = 0; i < 256; i++)
		for (int slice = 1; slice < 8; slice++)
			tables[slice][i] =
				tables[slice - 1][i] >> 8 ^ tables[0][tables[slice - 1][i] & 0xff];
	for (size_t i = 0; i < SIZE; i++)
		buffer[i] = (uint8_t)random_next(&state);
}

#if SLICES == 8
static uint32_t crc_update(uint32_t crc, const uint8_t *data, size_t size)
{
	for (; size >= 8; size -= 8, data += 8) {
		uint32_t low, high;

		__builtin_memcpy(&low, data, 4);
		__builtin_memcpy(&high, data + 4, 4);
		low ^= crc;
		crc = tables[7][low & 0xff] ^ tables[6][low >> 8 & 0xff] ^
		      tables[5][low >> 16 & 0xff] ^ tables[4][low >> 24] ^ tables[3][high & 0xff] ^
		      tables[2][high >> 8 & 0xff] ^ tables[1][high >> 16 & 0xff] ^
		      tables[0][high >> 24];
	}
	while (size--)
		crc = crc >> 8 ^ tables[0][(crc ^ *data++) & 0xff];
	return crc;
}
#else
static uint32_t crc_update(uint32_t crc, const uint8_t *data, size_t size)
{
	while (size--)
		crc = crc >> 8 ^ tables[0][(crc ^ *data++) & 0xff];
	return crc;
}
#endif

uint64_t program_work(void)
{
	uint32_t crc = 0xffffffffu;

	for (int pass = 0; pass < PASSES; pass++)
		crc = crc_update(crc, buffer, SIZE);
	return ~crc;
}
