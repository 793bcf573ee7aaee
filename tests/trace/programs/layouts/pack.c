/* SPDX-License-Identifier: MIT */
/* Finds repetitions in bytes, as compressors do: calls of a short loop. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "dead.h"
static uint8_t input[800], output[1600];
static uint32_t heads[4096];
static uint32_t match_length(const uint8_t *a, const uint8_t *b, const uint8_t *end)
{
	uint32_t n = 0;
	while (b < end && n < 255 && *a == *b) {
		a++;
		b++;
		n++;
	}
	return n;
}
int main(int argc, char **argv)
{
	uint32_t seed = 3, out = 0;
	(void)argv;
	DEAD_CODE(argc);
	for (uint32_t i = 0; i < sizeof(input); i++) {
		seed = seed * 69069u + 1u;
		input[i] = i > 500 && (seed >> 24) < 200 ? input[i - 1 - (seed >> 20) % 16 * 31]
							 : (uint8_t)(seed >> 26);
	}
	for (int turn = 0; turn < SHARE(100); turn++) {
		memset(heads, 0, sizeof(heads));
		out = 0;
		for (uint32_t at = 1; at + 3 < sizeof(input);) {
			uint32_t key = (input[at] << 8 ^ input[at + 1] << 4 ^ input[at + 2]) & 4095;
			uint32_t from = heads[key], n = 0;
			heads[key] = at;
			if (from)
				n = match_length(input + from, input + at, input + sizeof(input));
			if (n >= 4) {
				output[out++] = (uint8_t)n;
				output[out++] = (uint8_t)(at - from);
				at += n;
			} else {
				output[out++] = input[at++];
			}
		}
	}
	printf("%u %u\n", out, output[out / 2]);
	return 0;
}
