/* SPDX-License-Identifier: MIT */
/* ChaCha20: the key stream over a buffer. */
#include "program.h"

#define SIZE 65536

static uint8_t buffer[SIZE];

static inline uint32_t rotate(uint32_t value, int by)
{
	return value << by | value >> (32 - by);
}

static inline void quarter(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
	*a += *b;
	*d = rotate(*d ^ *a, 16);
	*c += *d;
	*b = rotate(*b ^ *c, 12);
	*a += *b;
	*d = rotate(*d ^ *a, 8);
	*c += *d;
	*b = rotate(*b ^ *c, 7);
}

static void make_block(const uint32_t input[16], uint8_t *data)
{
	uint32_t s[16];

	for (int i = 0; i < 16; i++)
		s[i] = input[i];
	for (int round = 0; round < 10; round++) {
		quarter(&s[0], &s[4], &s[8], &s[12]);
		quarter(&s[1], &s[5], &s[9], &s[13]);
		quarter(&s[2], &s[6], &s[10], &s[14]);
		quarter(&s[3], &s[7], &s[11], &s[15]);
		quarter(&s[0], &s[5], &s[10], &s[15]);
		quarter(&s[1], &s[6], &s[11], &s[12]);
		quarter(&s[2], &s[7], &s[8], &s[13]);
		quarter(&s[3], &s[4], &s[9], &s[14]);
	}
	for (int i = 0; i < 16; i++) {
		uint32_t word = s[i] + input[i];

		for (int byte = 0; byte < 4; byte++)
			data[4 * i + byte] ^= (uint8_t)(word >> 8 * byte);
	}
}

void program_setup(void)
{
}

uint64_t program_work(void)
{
	uint32_t state[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, 1, 2,
			      3,	  4,	      5,	  6,	      7, 8};
	uint64_t checksum = 0;

	for (size_t i = 0; i < SIZE; i++)
		buffer[i] = (uint8_t)i;
	for (size_t i = 0; i < SIZE; i += 64, state[12]++)
		make_block(state, buffer + i);
	for (size_t i = 0; i < SIZE; i += 63)
		checksum = checksum_add(checksum, buffer[i]);
	return checksum;
}
