/* SPDX-License-Identifier: MIT */
/* Seven-point stencil: a point and its six neighbours in space. */
#include <stddef.h>

void stencil_3d(double *restrict to, const double *restrict from, size_t n, double c, double d);

void stencil_3d(double *restrict to, const double *restrict from, size_t n, double c, double d)
{
	ptrdiff_t row = (ptrdiff_t)n, plane = row * row;

	for (size_t z = 1; z + 1 < n; z++)
		for (size_t y = 1; y + 1 < n; y++)
			for (size_t x = 1; x + 1 < n; x++) {
				const double *at = from + (z * n + y) * n + x;

				to[(z * n + y) * n + x] =
					c * at[0] + d * (at[-1] + at[1] + at[-row] + at[row] +
							 at[-plane] + at[plane]);
			}
}
