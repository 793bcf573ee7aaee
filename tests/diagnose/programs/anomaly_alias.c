/* SPDX-License-Identifier: MIT */
/* pattern: anomaly */
/* The result lies a little before a multiple of 4 KiB behind the source; mended: half a page off.
 */
#include "team.h"

#define COUNT 900
#define ROUNDS 200

_Alignas(4096) static char memory[16384];

__attribute__((noinline)) static void add_one(const volatile int32_t *from, volatile int32_t *to)
{
	for (int i = 0; i < COUNT; i++)
		to[i] = from[i] + 1;
}

int main(void)
{
#ifdef MENDED
	char *to = memory + 8192 + 2048;
#else
	char *to = memory + 8192 + 16;
#endif

	for (int i = 0; i < ROUNDS; i++)
		add_one((volatile int32_t *)(void *)memory, (volatile int32_t *)(void *)to);
	return 0;
}
