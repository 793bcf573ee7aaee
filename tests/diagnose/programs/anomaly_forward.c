/* SPDX-License-Identifier: MIT */
/* pattern: anomaly */
/* Written byte by byte, read at once; mended: written at once. */
#include "team.h"

#define COUNT 1024
#define ROUNDS 40

static union {
	volatile uint8_t bytes[8];
	volatile uint64_t word;
} buffer;

static volatile uint64_t words[COUNT];

__attribute__((noinline)) static void pack(uint64_t value)
{
	for (int i = 0; i < COUNT; i++) {
#ifdef MENDED
		buffer.word = value + (uint64_t)i;
#else
		buffer.bytes[0] = (uint8_t)(value + (uint64_t)i);
		buffer.bytes[1] = (uint8_t)i;
		buffer.bytes[2] = (uint8_t)value;
#endif
		words[i] = buffer.word;
	}
}

int main(void)
{
	for (uint64_t i = 0; i < ROUNDS; i++)
		pack(i);
	return 0;
}
