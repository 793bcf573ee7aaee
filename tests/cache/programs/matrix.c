/* SPDX-License-Identifier: MIT */
/* Matrix product, columns of one matrix and rows of the other. */
#include "start.h"

enum { N = 40 };

static double a[N][N], b[N][N], c[N][N];

int program(void)
{
	for (int i = 0; i < N; i++) {
		for (int j = 0; j < N; j++) {
			a[i][j] = i + j;
			b[i][j] = i - j;
		}
	}
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			for (int k = 0; k < N; k++)
				c[i][j] += a[i][k] * b[k][j];
	return (int)c[1][2] & 1;
}
