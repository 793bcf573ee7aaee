/* SPDX-License-Identifier: MIT */
/* base64: a buffer encoded and decoded again. */
#include "program.h"

#define SIZE 49152
#define ENCODED (SIZE / 3 * 4)

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static uint8_t plain[SIZE], decoded[SIZE], values[256];
static char encoded[ENCODED];

static void encode(char *to, const uint8_t *from, size_t size)
{
	for (size_t i = 0; i + 3 <= size; i += 3, to += 4) {
		uint32_t group = (uint32_t)from[i] << 16 | (uint32_t)from[i + 1] << 8 | from[i + 2];

		to[0] = alphabet[group >> 18];
		to[1] = alphabet[group >> 12 & 63];
		to[2] = alphabet[group >> 6 & 63];
		to[3] = alphabet[group & 63];
	}
}

/* Returns how many characters are none of base64. */
static size_t decode(uint8_t *to, const char *from, size_t size)
{
	size_t bad = 0;

	for (size_t i = 0; i + 4 <= size; i += 4, to += 3) {
		uint32_t group = 0;

		for (size_t j = 0; j < 4; j++) {
			uint8_t value = values[(uint8_t)from[i + j]];

			if (value == 255)
				bad++;
			group = group << 6 | (value & 63);
		}
		to[0] = (uint8_t)(group >> 16);
		to[1] = (uint8_t)(group >> 8);
		to[2] = (uint8_t)group;
	}
	return bad;
}

void program_setup(void)
{
	uint64_t state = 1;

	for (size_t i = 0; i < SIZE; i++)
		plain[i] = (uint8_t)random_next(&state);
	for (size_t i = 0; i < 256; i++)
		values[i] = 255;
	for (size_t i = 0; i < 64; i++)
		values[(uint8_t)alphabet[i]] = (uint8_t)i;
}

uint64_t program_work(void)
{
	uint64_t checksum;

	encode(encoded, plain, SIZE);
	checksum = decode(decoded, encoded, ENCODED);
	for (size_t i = 0; i < SIZE; i += 64)
		checksum = checksum_add(checksum,
					(uint64_t)(decoded[i] - plain[i]) + (uint8_t)encoded[i]);
	return checksum;
}
