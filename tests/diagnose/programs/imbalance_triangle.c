/* SPDX-License-Identifier: MIT */
/* pattern: imbalance */
/* Rows of a triangle in two halves; mended: by turns. */
#include "team.h"

#define ROWS 160
#define ROUNDS 40

static float matrix[ROWS][ROWS], vector[ROWS], result[TEAM][ROWS];

static void add_row(float *own, int row)
{
	for (int column = 0; column < row; column++)
		own[column] += matrix[row][column] * vector[row];
}

static void *work(void *argument)
{
	intptr_t thread = (intptr_t)argument;

	for (int round = 0; round < ROUNDS; round++) {
#ifdef MENDED
		for (int row = (int)thread; row < ROWS; row += TEAM)
			add_row(result[thread], row);
#else
		int size = ROWS / TEAM;

		for (int row = (int)thread * size; row < (int)(thread + 1) * size; row++)
			add_row(result[thread], row);
#endif
	}
	return NULL;
}

int main(void)
{
	run_team(work);
	return result[0][0] > 1;
}
