/* SPDX-License-Identifier: MIT */
/* pattern: expensive */
/* Roots that are only compared; mended: squares are. */
#include "team.h"

#define COUNT 1024
#define ROUNDS 300

_Alignas(64) static double xs[COUNT], ys[COUNT], near[COUNT];

__attribute__((noinline)) static void find_near(double limit)
{
	for (int i = 0; i < COUNT; i++) {
		double square = xs[i] * xs[i] + ys[i] * ys[i];

#ifdef MENDED
		near[i] = square < limit * limit ? 1.0 : 0.0;
#else
		near[i] = __builtin_sqrt(square) < limit ? 1.0 : 0.0;
#endif
	}
}

int main(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		KEEP(xs);
		KEEP(ys);
		find_near(i);
	}
	sink = near[3];
	return 0;
}
