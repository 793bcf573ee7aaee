/* SPDX-License-Identifier: MIT */
/* Product of matrices: by rows and columns, or in tiles whose sums stay in registers. */
#include "program.h"

#ifndef TILE
#define TILE 0
#endif
#define N 40 /* all three fit into L1 */
#define PASSES 12

static double left[N][N], right[N][N], product[N][N];

void program_setup(void)
{
	uint64_t state = 1;

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			left[i][j] = random_next(&state) % 16;
			right[i][j] = random_next(&state) % 16;
		}
}

#if TILE
static void multiply(void)
{
	for (int i = 0; i < N; i += 2)
		for (int j = 0; j < N; j += 4) {
			double sums[2][4] = {{0}};

			for (int k = 0; k < N; k++)
#pragma GCC unroll 2
				for (int row = 0; row < 2; row++)
#pragma GCC unroll 4
					for (int column = 0; column < 4; column++)
						sums[row][column] +=
							left[i + row][k] * right[k][j + column];
#pragma GCC unroll 2
			for (int row = 0; row < 2; row++)
#pragma GCC unroll 4
				for (int column = 0; column < 4; column++)
					product[i + row][j + column] = sums[row][column];
		}
}
#else
static void multiply(void)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			double sum = 0;

			for (int k = 0; k < N; k++)
				sum += left[i][k] * right[k][j];
			product[i][j] = sum;
		}
}
#endif

uint64_t program_work(void)
{
	uint64_t checksum = 0;

	for (int pass = 0; pass < PASSES; pass++)
		multiply();
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			checksum = checksum_add(checksum, (uint64_t)product[i][j]);
	return checksum;
}
