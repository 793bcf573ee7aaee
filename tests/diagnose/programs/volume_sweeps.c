/* SPDX-License-Identifier: MIT */
/* pattern: excess-volume */
/* Many passes over an array, a step each; mended: all steps on a piece, then the next. */
#include "team.h"

#define COUNT 240000
#define STEPS 8
#define PIECE 1200

_Alignas(64) static float values[COUNT];

__attribute__((noinline)) static void step(float *piece, int count, float factor)
{
	for (int i = 0; i < count; i++)
		piece[i] = piece[i] * factor + 1;
}

int main(void)
{
	KEEP(values);
#ifdef MENDED
	for (int i = 0; i < COUNT; i += PIECE)
		for (int j = 0; j < STEPS; j++)
			step(values + i, PIECE, 0.5f);
#else
	for (int j = 0; j < STEPS; j++)
		step(values, COUNT, 0.5f);
#endif
	sink = values[3];
	return 0;
}
