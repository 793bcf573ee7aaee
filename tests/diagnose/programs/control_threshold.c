/* SPDX-License-Identifier: MIT */
/* pattern: control-flow */
/* A branch on what looks random; mended: the same by arithmetic. */
#include "team.h"

#define COUNT 2048
#define ROUNDS 60

static uint32_t values[COUNT], counts[2];

__attribute__((noinline)) static void count_large(uint32_t limit)
{
	for (int i = 0; i < COUNT; i++) {
#ifdef MENDED
		counts[0] += values[i] < limit;
#else
		uint32_t value = values[i];

		/* Both ways have something to do. */
		if (value < limit) {
			__asm__ volatile("" ::: "memory");
			counts[0]++;
		} else {
			__asm__ volatile("" ::: "memory");
			counts[1] ^= value;
		}
#endif
	}
}

int main(void)
{
	uint32_t state = 1;

	for (int i = 0; i < ROUNDS; i++) {
		for (int j = 0; j < COUNT; j++)
			values[j] = next_random(&state);
		count_large(1u << 15);
	}
	return counts[0] == 0;
}
