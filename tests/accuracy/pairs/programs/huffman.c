/* SPDX-License-Identifier: MIT */
/* Decoding of Huffman's code: down a tree bit by bit, or TABLE bits at once. */
#include "program.h"

#ifndef TABLE
#define TABLE 0
#endif
#define SYMBOLS 16
#define COUNT 32768
#define BITS_MAX 15

/* Symbol n has the code of n ones and a zero: each is half as frequent as the one before. */
static uint8_t symbols[COUNT], decoded[COUNT], packed[COUNT * 4];
static uint16_t tree[SYMBOLS][2];
static uint8_t table_symbols[1 << 15], table_lengths[1 << 15];

#define LEAF 256

void program_setup(void)
{
	uint64_t state = 1;
	size_t place = 0;

	for (size_t i = 0; i < COUNT; i++) {
		uint32_t number = random_next(&state) | 1u << (SYMBOLS - 1);

		symbols[i] = (uint8_t)__builtin_ctz(number);
		for (int bit = 0; bit < symbols[i]; bit++, place++)
			packed[place / 8] |= (uint8_t)(0x80 >> place % 8);
		place += symbols[i] < BITS_MAX;
	}
	for (int i = 0; i < SYMBOLS - 1; i++) {
		tree[i][0] = (uint16_t)(LEAF + i);
		tree[i][1] = (uint16_t)(i + 1 == SYMBOLS - 1 ? LEAF + i + 1 : i + 1);
	}
	for (uint32_t i = 0; i < 1 << 15; i++) {
		uint32_t ones = 0;

		while (ones < BITS_MAX && i >> (14 - ones) & 1)
			ones++;
		table_symbols[i] = (uint8_t)ones;
		table_lengths[i] = (uint8_t)(ones < BITS_MAX ? ones + 1 : BITS_MAX);
	}
}

#if TABLE
static void decode(void)
{
	size_t place = 0;

	for (size_t i = 0; i < COUNT; i++) {
		uint32_t bits = (uint32_t)packed[place / 8] << 16 |
				(uint32_t)packed[place / 8 + 1] << 8 | packed[place / 8 + 2];
		uint32_t index = bits >> (9 - place % 8) & 0x7fff;

		decoded[i] = table_symbols[index];
		place += table_lengths[index];
	}
}
#else
static void decode(void)
{
	size_t place = 0;

	for (size_t i = 0; i < COUNT; i++) {
		uint16_t node = 0;

		do {
			node = tree[node][packed[place / 8] >> (7 - place % 8) & 1];
			place++;
		} while (node < LEAF);
		decoded[i] = (uint8_t)(node - LEAF);
	}
}
#endif

uint64_t program_work(void)
{
	uint64_t checksum = 0;

	for (int pass = 0; pass < 4; pass++)
		decode();
	for (size_t i = 0; i < COUNT; i++)
		checksum += (uint64_t)(decoded[i] - symbols[i]) + (uint64_t)decoded[i] * i;
	return checksum;
}
