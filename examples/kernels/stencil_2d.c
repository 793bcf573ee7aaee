/* SPDX-License-Identifier: MIT */
/* Five-point stencil: four neighbours of a plane, from one array into another. */
#include <stddef.h>

void stencil_2d(double *restrict to, const double *restrict from, size_t width, size_t height);

void stencil_2d(double *restrict to, const double *restrict from, size_t width, size_t height)
{
	for (size_t k = 1; k + 1 < height; k++)
		for (size_t i = 1; i + 1 < width; i++) {
			const double *at = from + k * width + i;

			to[k * width + i] = 0.25 * (at[-1] + at[1] + at[-(ptrdiff_t)width] +
						    at[width]);
		}
}
