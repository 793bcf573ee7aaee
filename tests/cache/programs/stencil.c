/* SPDX-License-Identifier: MIT */
/* Five-point stencil in vectors that start anywhere: many accesses cross lines. */
#include "start.h"

enum { N = 100 };

typedef float vector __attribute__((vector_size(16), aligned(4)));

static float grid[2][N][N];

static vector *at(int which, int y, int x)
{
	return (vector *)(void *)&grid[which][y][x];
}

int program(void)
{
	for (int y = 0; y < N; y++)
		for (int x = 0; x < N; x++)
			grid[0][y][x] = (float)(x ^ y);
	for (int sweep = 0; sweep < 4; sweep++) {
		int from = sweep & 1, to = !from;

		for (int y = 1; y < N - 1; y++)
			for (int x = 1; x < N - 4; x += 4)
				*at(to, y, x) = *at(from, y, x) + *at(from, y - 1, x) +
						*at(from, y + 1, x) + *at(from, y, x - 1) +
						*at(from, y, x + 1);
	}
	return grid[0][5][5] > 3;
}
