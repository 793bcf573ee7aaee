/* SPDX-License-Identifier: MIT */
/* pattern: excess-volume */
/* A product of matrices that runs through one of them for each row; mended: in blocks. */
#include "team.h"

#define SIZE 384
#define BLOCK 64

/* Loads of a do not meet stores to c: they are not a multiple of 4 KiB apart. */
static struct {
	_Alignas(4096) float c[32][SIZE];
	float between[512], a[32][SIZE], b[SIZE][SIZE];
} data;

#define a data.a
#define b data.b
#define c data.c

__attribute__((noinline)) static void multiply(int first, int end, int column, int width)
{
	for (int i = 0; i < 32; i++)
		for (int k = first; k < end; k++) {
			for (int j = column; j < column + width; j++)
				c[i][j] += a[i][k] * b[k][j];
			KEEP(c); /* the loops stay as they are */
		}
}

int main(void)
{
	KEEP(a);
	KEEP(b);
#ifdef MENDED
	for (int k = 0; k < SIZE; k += BLOCK)
		multiply(k, k + BLOCK, 0, SIZE);
#else
	multiply(0, SIZE, 0, SIZE);
#endif
	sink = c[3][5];
	return 0;
}
