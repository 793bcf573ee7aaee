/* SPDX-License-Identifier: MIT */
/* Dot product: a chain of fused multiply-adds through the accumulator. */
#include <stddef.h>

double dot_product(const double *x, const double *y, size_t count);

double dot_product(const double *x, const double *y, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += x[i] * y[i];
	return sum;
}
