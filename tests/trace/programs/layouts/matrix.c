/* SPDX-License-Identifier: MIT */
/* Multiplies matrices and smooths the product. */
#include <stdio.h>
#include "dead.h"
#define N 48
static double a[N][N], b[N][N], c[N][N];
int main(int argc, char **argv)
{
	double trace = 0;
	(void)argv;
	DEAD_CODE(argc);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			a[i][j] = i * 0.5 + j;
			b[i][j] = i - j * 0.25;
		}
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			double sum = 0;
			for (int k = 0; k < N; k++)
				sum += a[i][k] * b[k][j];
			c[i][j] = sum;
		}
	for (int turn = 0; turn < SHARE(100); turn++)
		for (int i = 1; i < N - 1; i++)
			for (int j = 1; j < N - 1; j++)
				a[i][j] = 0.25 *
					  (c[i - 1][j] + c[i + 1][j] + c[i][j - 1] + c[i][j + 1]);
	for (int i = 0; i < N; i++)
		trace += a[i][i];
	printf("%g\n", trace);
	return 0;
}
