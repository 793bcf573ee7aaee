/* SPDX-License-Identifier: MIT */
/* pattern: scalar */
/* A filter that the compiler may not vectorise; mended: it may. */
#include "team.h"

#define COUNT 1024
#define ROUNDS 200

_Alignas(64) static float from[COUNT], to[COUNT];

#ifdef MENDED
#define HOW
#else
#define HOW , optimize("no-tree-vectorize")
#endif

__attribute__((noinline HOW)) static void filter(float a, float b)
{
	for (int i = 0; i < COUNT; i++)
		to[i] = from[i] * a + b;
}

int main(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		KEEP(from);
		filter(2, 3);
	}
	sink = to[3];
	return 0;
}
