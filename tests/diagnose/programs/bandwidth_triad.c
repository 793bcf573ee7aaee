/* SPDX-License-Identifier: MIT */
/* pattern: bandwidth */
/* Three passes over large arrays; mended: arrays that stay in the first cache, more often. */
#include "team.h"

#ifdef MENDED
#define COUNT 1024
#define ROUNDS 600
#else
#define COUNT 600000
#define ROUNDS 1
#endif

_Alignas(64) static float a[COUNT], b[COUNT], c[COUNT];

__attribute__((noinline)) static void triad(float factor)
{
	for (int i = 0; i < COUNT; i++)
		a[i] = b[i] + factor * c[i];
}

int main(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		KEEP(b);
		KEEP(c);
		triad(3);
	}
	sink = a[3];
	return 0;
}
