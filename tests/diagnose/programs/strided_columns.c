/* SPDX-License-Identifier: MIT */
/* pattern: strided */
/* A matrix by columns; mended: by rows. */
#include "team.h"

#define ROWS 8192
#define COLUMNS 24
#define ROUNDS 8

static float matrix[ROWS][COLUMNS];

__attribute__((noinline)) static void scale(float factor)
{
#ifdef MENDED
	for (int i = 0; i < ROWS; i++) {
		for (int j = 0; j < COLUMNS; j++)
			matrix[i][j] = matrix[i][j] * factor + 1;
#else
	for (int j = 0; j < COLUMNS; j++) {
		for (int i = 0; i < ROWS; i++)
			matrix[i][j] = matrix[i][j] * factor + 1;
#endif
		KEEP(matrix); /* the loops stay as they are */
	}
}

int main(void)
{
	for (int i = 0; i < ROUNDS; i++)
		scale(2);
	sink = matrix[3][5];
	return 0;
}
