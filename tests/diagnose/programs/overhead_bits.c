/* SPDX-License-Identifier: MIT */
/* pattern: instruction-overhead */
/* Values are packed bit by bit and unpacked before each use; mended: plain arrays. */
#include "team.h"

#define COUNT 1024
#define ROUNDS 60

/* Not a multiple of 4 KiB apart. */
static struct {
	_Alignas(64) float weights[COUNT], between[COUNT / 2], results[COUNT], more[COUNT / 4];
	uint8_t packed[3 * COUNT / 2 + 8];
	int16_t plain[COUNT];
} data;

#define weights data.weights
#define results data.results
#define packed data.packed
#define plain data.plain

/* Twelve bits, byte by byte, and with care. */
__attribute__((noinline)) static int unpack(int index)
{
	int bit = index * 12, byte = bit >> 3, odd = (bit >> 2) & 1;
	int low = packed[byte] >> (odd ? 4 : 0), high = packed[byte + 1];
	int value = odd ? (low & 15) | high << 4 : (low & 255) | (high & 15) << 8;

	return value & 2048 ? value - 4096 : value;
}

__attribute__((noinline)) static void weigh(void)
{
	for (int i = 0; i < COUNT; i++)
#ifdef MENDED
		results[i] = weights[i] * (float)plain[i];
#else
		results[i] = weights[i] * (float)unpack(i);
#endif
}

int main(void)
{
	for (int i = 0; i < COUNT; i++)
		weights[i] = (float)plain[i] + 1;
	for (int i = 0; i < ROUNDS; i++) {
		KEEP(packed);
		KEEP(plain);
		weigh();
	}
	sink = results[3];
	return 0;
}
