/* SPDX-License-Identifier: MIT */
/* Streams and small stencils, whose hot loops are the blocks of kernels-26-2.csv. */
#include <stddef.h>

void copy(double *restrict a, const double *restrict b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		a[i] = b[i];
}

void scale(double *restrict a, const double *restrict b, double factor, size_t n)
{
	for (size_t i = 0; i < n; i++)
		a[i] = factor * b[i];
}

void add(double *restrict a, const double *restrict b, const double *restrict c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		a[i] = b[i] + c[i];
}

void triad(double *restrict a, const double *restrict b, const double *restrict c, double factor,
	   size_t n)
{
	for (size_t i = 0; i < n; i++)
		a[i] = b[i] + factor * c[i];
}

void daxpy(double *restrict a, const double *restrict b, double factor, size_t n)
{
	for (size_t i = 0; i < n; i++)
		a[i] += factor * b[i];
}

double sum(const double *a, size_t n)
{
	double total = 0;

	for (size_t i = 0; i < n; i++)
		total += a[i];
	return total;
}

double dot(const double *a, const double *b, size_t n)
{
	double total = 0;

	for (size_t i = 0; i < n; i++)
		total += a[i] * b[i];
	return total;
}

void stencil3(double *restrict a, const double *restrict b, size_t n)
{
	for (size_t i = 1; i + 1 < n; i++)
		a[i] = (b[i - 1] + b[i] + b[i + 1]) * (1.0 / 3);
}

/* One row of a two-dimensional Jacobi step. */
void jacobi5(double *restrict a, const double *restrict above, const double *restrict row,
	     const double *restrict below, size_t n)
{
	for (size_t i = 1; i + 1 < n; i++)
		a[i] = 0.25 * (above[i] + below[i] + row[i - 1] + row[i + 1]);
}
