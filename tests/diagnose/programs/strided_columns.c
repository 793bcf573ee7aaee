/* SPDX-License-Identifier: MIT */
/* pattern: strided */
/* A matrix by columns; mended: by rows. */
#include "team.h"

#define SIZE 1024

static float matrix[SIZE][SIZE + 16];

static void scale(float factor)
{
#ifdef MENDED
	for (int i = 0; i < SIZE; i++)
		for (int j = 0; j < SIZE; j++)
#else
	for (int j = 0; j < SIZE; j++)
		for (int i = 0; i < SIZE; i++)
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
