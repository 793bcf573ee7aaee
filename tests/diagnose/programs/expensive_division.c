/* SPDX-License-Identifier: MIT */
/* pattern: expensive */
/* A division for each element; mended: a multiplication. */
#include "team.h"

#define COUNT 1024
#define ROUNDS 300

_Alignas(64) static double values[COUNT];

__attribute__((noinline)) static void norm(double length)
{
#ifdef MENDED
	double factor = 1 / length;

	for (int i = 0; i < COUNT; i++)
		values[i] *= factor;
#else
	for (int i = 0; i < COUNT; i++)
		values[i] /= length;
#endif
}

int main(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		KEEP(values);
		norm(1.0 + i);
	}
	sink = values[3];
	return 0;
}
