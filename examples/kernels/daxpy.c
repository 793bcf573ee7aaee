/* SPDX-License-Identifier: MIT */
/* y += a·x: two loads, one multiply-add, one store an element. */
#include <stddef.h>

void daxpy(double *restrict y, const double *restrict x, double a, size_t count);

void daxpy(double *restrict y, const double *restrict x, double a, size_t count)
{
	for (size_t i = 0; i < count; i++)
		y[i] += a * x[i];
}
