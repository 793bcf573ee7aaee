/* SPDX-License-Identifier: MIT */
/* pattern: strided */
/* A matrix by columns; mended: by rows. */
#include "team.h"

#define ROWS 16384
#define COLUMNS 48

static float matrix[ROWS][COLUMNS];

static void scale(float factor)
{
#ifdef MENDED
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++)
#else
	for (int j = 0; j < COLUMNS; j++)
		for (int i = 0; i < ROWS; i++)
#endif
		{
			matrix[i][j] = matrix[i][j] * factor + 1;
			/* The compiler would exchange the loops. */
			__asm__("" ::: "memory");
		}
}

int main(void)
{
	scale(2);
	sink = matrix[3][5];
	return 0;
}
