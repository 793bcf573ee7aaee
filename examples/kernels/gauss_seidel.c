/* SPDX-License-Identifier: MIT */
/*
 * One sweep of the two-dimensional Gauss-Seidel method: each update needs the value that the
 * update before it has just written. The loop of gauss_seidel.f90.
 */
#include <stddef.h>

void gauss_seidel(double *restrict phi, size_t width, size_t height);

void gauss_seidel(double *restrict phi, size_t width, size_t height)
{
	for (size_t k = 1; k + 1 < height; k++) {
		double *row = phi + k * width;

		for (size_t i = 1; i + 1 < width; i++)
			row[i] = 0.25 * (row[i - 1] + row[i + 1] + row[i - width] + row[i + width]);
	}
}
