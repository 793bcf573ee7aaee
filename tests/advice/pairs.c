/* SPDX-License-Identifier: MIT */
/*
 * Pairs of functions: as they may be written first, and after the advice of takt analyze, with the
 * number N that the advice names. Each PAIR is compiled twice, with AFTER and without.
 */
#include <immintrin.h>

#ifndef N
#define N 1
#endif
#define UNROLL_TEXT(n) _Pragma(#n)
#define UNROLL(n) UNROLL_TEXT(GCC unroll n)
#ifdef AFTER
#define FOR_EACH UNROLL(16) for (long j = 0; j < N; j++)
#else
#define FOR_EACH for (long j = 0; j < 1; j++)
#endif

#if PAIR == 1 /* a sum of doubles */
double kernel(const double *a, long n)
{
	double sums[N] = {0}, sum = 0;

	for (long i = 0; i < n; i += N)
		FOR_EACH sums[j] += a[i + j];
	for (long j = 0; j < N; j++)
		sum += sums[j];
	return sum;
}
#elif PAIR == 2 /* a dot product with fused multiply-adds */
double kernel(const double *a, const double *b, long n)
{
	double sums[N] = {0}, sum = 0;

	for (long i = 0; i < n; i += N)
		FOR_EACH sums[j] += a[i + j] * b[i + j];
	for (long j = 0; j < N; j++)
		sum += sums[j];
	return sum;
}
#elif PAIR == 3 /* a product of integers */
long kernel(const long *a, long n)
{
	long products[N], product = 1;

	for (long j = 0; j < N; j++)
		products[j] = 1;
	for (long i = 0; i < n; i += N)
		FOR_EACH products[j] *= a[i + j];
	for (long j = 0; j < N; j++)
		product *= products[j];
	return product;
}
#elif PAIR == 4 /* the largest of floats */
float kernel(const float *a, long n)
{
	float most[N], best;

	for (long j = 0; j < N; j++)
		most[j] = a[0];
	for (long i = 0; i < n; i += N)
		FOR_EACH most[j] = most[j] > a[i + j] ? most[j] : a[i + j];
	best = most[0];
	for (long j = 1; j < N; j++)
		best = best > most[j] ? best : most[j];
	return best;
}
#elif PAIR == 5 /* a dot product of vectors */
__m256d kernel(const double *a, const double *b, long n)
{
	__m256d sums[N], sum;

	for (long j = 0; j < N; j++)
		sums[j] = _mm256_setzero_pd();
	for (long i = 0; i < n; i += 4 * N)
		FOR_EACH sums[j] = _mm256_fmadd_pd(_mm256_loadu_pd(a + i + 4 * j),
						   _mm256_loadu_pd(b + i + 4 * j), sums[j]);
	sum = sums[0];
	for (long j = 1; j < N; j++)
		sum = _mm256_add_pd(sum, sums[j]);
	return sum;
}
#elif PAIR == 6 /* a sum in memory that the compiler may not keep in a register */
void kernel(double *total, const double *a, long n)
{
#ifdef AFTER
	double sum = *total;

	for (long i = 0; i < n; i++)
		sum += a[i];
	*total = sum;
#else
	for (long i = 0; i < n; i++) {
		*total += a[i];
		__asm__ volatile("" ::: "memory");
	}
#endif
}
#elif PAIR == 7 /* running sums, of which each is loaded back */
void kernel(double *out, const double *a, long n)
{
#ifdef AFTER
	double last = out[0];

	for (long i = 0; i < n; i++)
		out[i + 1] = last += a[i];
#else
	for (long i = 0; i < n; i++) {
		out[i + 1] = out[i] + a[i];
		__asm__ volatile("" ::: "memory");
	}
#endif
}
#elif PAIR == 8 /* a loop whose counting takes as long as its work */
void kernel(double *out, const double *a, double factor, long n)
{
#ifdef AFTER
	UNROLL(N)
#endif
	for (long i = 0; i < n; i++)
		out[i] = factor * a[i];
}
#elif PAIR == 9 /* wider vectors */
void kernel(float *out, const float *a, const float *b, long n)
{
#ifdef AFTER
	for (long i = 0; i < n; i += 8)
		_mm256_store_ps(out + i,
				_mm256_add_ps(_mm256_load_ps(a + i), _mm256_load_ps(b + i)));
#else
	for (long i = 0; i < n; i += 4)
		_mm_store_ps(out + i, _mm_add_ps(_mm_load_ps(a + i), _mm_load_ps(b + i)));
#endif
}
#elif PAIR == 10 /* logic on floating-point units that have one port for it */
void kernel(float *out, const float *a, const float *keys, long n)
{
#ifdef AFTER
	__m256i first = _mm256_loadu_si256((const __m256i *)keys);
	__m256i second = _mm256_loadu_si256((const __m256i *)(keys + 8));
	__m256i third = _mm256_loadu_si256((const __m256i *)(keys + 16));

	for (long i = 0; i < n; i += 8) {
		__m256i x = _mm256_loadu_si256((const __m256i *)(a + i));

		x = _mm256_and_si256(_mm256_xor_si256(x, first), second);
		x = _mm256_xor_si256(_mm256_or_si256(x, third), first);
		_mm256_storeu_si256((__m256i *)(out + i), x);
	}
#else
	__m256 first = _mm256_loadu_ps(keys), second = _mm256_loadu_ps(keys + 8);
	__m256 third = _mm256_loadu_ps(keys + 16);

	for (long i = 0; i < n; i += 8) {
		__m256 x = _mm256_loadu_ps(a + i);

		x = _mm256_and_ps(_mm256_xor_ps(x, first), second);
		x = _mm256_xor_ps(_mm256_or_ps(x, third), first);
		_mm256_storeu_ps(out + i, x);
	}
#endif
}
#elif PAIR == 12 /* a dot product of floats */
float kernel(const float *a, const float *b, long n)
{
	float sums[N] = {0}, sum = 0;

	for (long i = 0; i < n; i += N)
		FOR_EACH sums[j] += a[i + j] * b[i + j];
	for (long j = 0; j < N; j++)
		sum += sums[j];
	return sum;
}
#elif PAIR == 13 /* a product in memory that the compiler may not keep in a register */
void kernel(double *total, const double *a, long n)
{
#ifdef AFTER
	double product = *total;

	for (long i = 0; i < n; i++)
		product *= a[i];
	*total = product;
#else
	for (long i = 0; i < n; i++) {
		*total *= a[i];
		__asm__ volatile("" ::: "memory");
	}
#endif
}
#elif PAIR == 14 /* squared differences */
double kernel(const double *a, const double *b, long n)
{
	double sums[N] = {0}, sum = 0;

	for (long i = 0; i < n; i += N)
		FOR_EACH sums[j] += (a[i + j] - b[i + j]) * (a[i + j] - b[i + j]);
	for (long j = 0; j < N; j++)
		sum += sums[j];
	return sum;
}
#elif PAIR == 15 /* a sum in memory that is the operand of its addition */
void kernel(double *total, const double *a, long n)
{
#ifdef AFTER
	double sum = total[3];

	for (long i = 0; i < n; i++)
		sum += a[i] * 2;
	total[3] = sum;
#else
	for (long i = 0; i < n; i++) {
		total[3] += a[i] * 2;
		__asm__ volatile("" ::: "memory");
	}
#endif
}
#elif PAIR == 11 /* recurrences: nothing splits these */
struct node {
	struct node *next;
};

long chase(const struct node *node)
{
	long count = 0;

	for (; node; node = node->next)
		count++;
	return count;
}

double horner(const double *a, double x, long n)
{
	double value = 0;

	for (long i = 0; i < n; i++)
		value = value * x + a[i];
	return value;
}

void stencil(double *a, const double *b, long n)
{
	double last = a[0];

	for (long i = 1; i < n; i++) {
		last = 0.25 * (last + b[i]);
		a[i] = last;
	}
}

double running(double *a, long n)
{
	double sum = 0;

	for (long i = 0; i < n; i++) {
		sum += a[i];
		a[i] = sum;
	}
	return sum;
}
#endif
