/* SPDX-License-Identifier: MIT */
/* pattern: bandwidth */
/* A large array is copied and scaled by the copy; mended: block by block, each often. */
#include "team.h"

#define COUNT 1000000
#define BLOCK 1000

_Alignas(64) static float from[COUNT], to[COUNT];

__attribute__((noinline)) static void scale(const float *values, float *results, int count)
{
	for (int i = 0; i < count; i++)
		results[i] = values[i] * 2;
}

int main(void)
{
	KEEP(from);
#ifdef MENDED
	for (int i = 0; i < COUNT / BLOCK; i++)
		scale(from, to, BLOCK);
#else
	scale(from, to, COUNT);
#endif
	sink = to[3];
	return 0;
}
