/* SPDX-License-Identifier: MIT */
/* pattern: strided */
/* A matrix by columns; mended: by rows, and a few of them until they are done. */
#include "team.h"

#define ROWS 8192
#define COLUMNS 24
#define ROUNDS 8

static float matrix[ROWS][COLUMNS];

#ifdef MENDED
#define HOW
#else
/* No vectors of what is far apart, and the loops stay as they are. */
#define HOW , optimize("no-tree-vectorize", "no-loop-interchange")
#endif

__attribute__((noinline HOW)) static void scale(float factor, int first, int end)
{
#ifdef MENDED
	for (int i = first; i < end; i++)
		for (int j = 0; j < COLUMNS; j++)
#else
	for (int j = 0; j < COLUMNS; j++)
		for (int i = first; i < end; i++)
#endif
			matrix[i][j] = matrix[i][j] * factor + 1;
}

int main(void)
{
#ifdef MENDED
	for (int first = 0; first < ROWS; first += ROWS / 64)
		for (int i = 0; i < ROUNDS; i++)
			scale(2, first, first + ROWS / 64);
#else
	for (int i = 0; i < ROUNDS; i++)
		scale(2, 0, ROWS);
#endif
	sink = matrix[3][5];
	return 0;
}
