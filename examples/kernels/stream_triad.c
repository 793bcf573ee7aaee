/* SPDX-License-Identifier: MIT */
/* STREAM triad: two loads, one multiply-add, one store an element; no dependence. */
#include <stddef.h>

void stream_triad(double *restrict a, const double *restrict b, const double *restrict c,
		  double scalar, size_t count);

void stream_triad(double *restrict a, const double *restrict b, const double *restrict c,
		  double scalar, size_t count)
{
	for (size_t i = 0; i < count; i++)
		a[i] = b[i] + scalar * c[i];
}
