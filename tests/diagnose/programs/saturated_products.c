/* SPDX-License-Identifier: MIT */
/* pattern: saturated-ports */
/* A sum of products as it stands; mended: multiplied out, with a quarter of the operations. */
#include "team.h"

#define COUNT 700
#define ROUNDS 200

static double x[COUNT], y[COUNT];

__attribute__((noinline)) static void evaluate(void)
{
	for (int i = 0; i < COUNT; i++) {
		double t = x[i];

#ifdef MENDED
		y[i] = (4 * t + 36) * t + 100;
#else
		y[i] = ((t + 1) * (t + 2) + (t + 3) * (t + 4)) +
		       ((t + 5) * (t + 6) + (t + 7) * (t + 8));
#endif
	}
}

int main(void)
{
	for (int i = 0; i < COUNT; i++)
		x[i] = 1.0 / (i + 2);
	for (int i = 0; i < ROUNDS; i++) {
		evaluate();
		KEEP(y);
	}
	sink = y[COUNT / 2];
	return 0;
}
