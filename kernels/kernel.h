/* SPDX-License-Identifier: MIT */
/*
 * What every kernel file includes, once. Such a file has, in this order,
 *
 *	a line with the word VARIANTS and a colon, then macros and their values:
 *	    REAL=double,float ORDER=0,1 ...; all combinations are benchmarks
 *	INIT	the inputs, which the kernel does not change
 *	KERNEL	the code that is measured: no calls, data that fit in 32 KiB, and the same
 *		result however often it runs
 *	CHECK	whether the result is that of the definition, computed in a naive way
 *
 * Compiled as a program, it runs the kernel as often as its argument says and checks it; as a
 * shared library, it is for run.c and for takt.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef REAL
#define REAL double
#endif
#ifndef ORDER
#define ORDER 0 /* of the loops in NEST2 and NEST3 */
#endif
#ifndef TILE
#define TILE 0 /* of the loops in NEST2 and NEST3; 0: none */
#endif
#ifndef JAM
#define JAM 1 /* so many steps of the nest's first loop are done in each iteration */
#endif
#ifndef UNROLL
#define UNROLL 0 /* asked of the compiler, for INNER loops; 0: as it likes */
#endif

#define DATA static __attribute__((aligned(64)))
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#ifdef __clang__
#define KERNEL_ALONE __attribute__((noinline))
#else
#define KERNEL_ALONE __attribute__((noipa))
#endif

void kernel(void);
int kernel_check(void);

#define INIT __attribute__((constructor)) static void kernel_init(void)
#define KERNEL KERNEL_ALONE void kernel(void)
#define CHECK static bool kernel_is_right(void)

/* ---- loops ---- */

#define KERNEL_PRAGMA(text) _Pragma(#text)
#if UNROLL == 0
#define UNROLLED
#elif defined(__clang__)
#define UNROLLED_BY(count) KERNEL_PRAGMA(clang loop unroll_count(count))
#define UNROLLED UNROLLED_BY(UNROLL)
#else
#define UNROLLED_BY(count) KERNEL_PRAGMA(GCC unroll count)
#define UNROLLED UNROLLED_BY(UNROLL)
#endif

#define FOR(i, begin, end) for (int i = (begin); i < (end); i++)
#define INNER(i, begin, end) UNROLLED for (int i = (begin); i < (end); i++)

#if TILE > 0
#define KERNEL_TILES(i, count) for (int i##_tile = 0; i##_tile < (count); i##_tile += TILE)
#define KERNEL_POINTS(i, count, step) \
	for (int i = i##_tile; i < MIN(i##_tile + TILE, (count)); i += (step))
#else
#define KERNEL_TILES(i, count)
#define KERNEL_POINTS(i, count, step) for (int i = 0; i < (count); i += (step))
#endif

#if ORDER == 0
#define KERNEL_ORDER2(a, b) a UNROLLED b
#define KERNEL_ORDER3(a, b, c) a b UNROLLED c
#elif ORDER == 1
#define KERNEL_ORDER2(a, b) b UNROLLED a
#define KERNEL_ORDER3(a, b, c) a c UNROLLED b
#elif ORDER == 2
#define KERNEL_ORDER3(a, b, c) b a UNROLLED c
#elif ORDER == 3
#define KERNEL_ORDER3(a, b, c) b c UNROLLED a
#elif ORDER == 4
#define KERNEL_ORDER3(a, b, c) c a UNROLLED b
#else
#define KERNEL_ORDER3(a, b, c) c b UNROLLED a
#endif

#if JAM == 1
#define KERNEL_JAM2(S, i, j) S(i, j)
#define KERNEL_JAM3(S, i, j, k) S(i, j, k)
#elif JAM == 2
#define KERNEL_JAM2(S, i, j) S(i, j) S((i + 1), j)
#define KERNEL_JAM3(S, i, j, k) S(i, j, k) S((i + 1), j, k)
#elif JAM == 4
#define KERNEL_JAM2(S, i, j) S(i, j) S((i + 1), j) S((i + 2), j) S((i + 3), j)
#define KERNEL_JAM3(S, i, j, k) \
	S(i, j, k) S((i + 1), j, k) S((i + 2), j, k) S((i + 3), j, k)
#endif

/*
 * All points of a box, S(i, j) or S(i, j, k) a macro with the statement: for nests whose
 * loops may be in any order. `ni` and tiles are multiples of JAM.
 */
#define NEST2(S, i, ni, j, nj)                                                              \
	do {                                                                                \
		_Static_assert((ni) % JAM == 0 && TILE % JAM == 0, "whole steps only");     \
		KERNEL_TILES(i, ni)                                                         \
		KERNEL_TILES(j, nj)                                                         \
		KERNEL_ORDER2(KERNEL_POINTS(i, ni, JAM), KERNEL_POINTS(j, nj, 1))           \
		{                                                                           \
			KERNEL_JAM2(S, i, j)                                                \
		}                                                                           \
	} while (0)
#define NEST3(S, i, ni, j, nj, k, nk)                                                       \
	do {                                                                                \
		_Static_assert((ni) % JAM == 0 && TILE % JAM == 0, "whole steps only");     \
		KERNEL_TILES(i, ni)                                                         \
		KERNEL_TILES(j, nj)                                                         \
		KERNEL_TILES(k, nk)                                                         \
		KERNEL_ORDER3(KERNEL_POINTS(i, ni, JAM), KERNEL_POINTS(j, nj, 1),           \
			      KERNEL_POINTS(k, nk, 1))                                      \
		{                                                                           \
			KERNEL_JAM3(S, i, j, k)                                             \
		}                                                                           \
	} while (0)

/* ---- inputs and results ---- */

static inline uint32_t kernel_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* Numbers from 0.5 to 1.5: sums and products of few stay far from the ends of the range. */
static inline void kernel_fill_real(REAL *array, size_t count, uint32_t seed)
{
	for (size_t i = 0; i < count; i++)
		array[i] = (REAL)(0.5 + (double)kernel_random(&seed) / (1 << 24));
}

static inline void kernel_fill_bytes(uint8_t *array, size_t count, uint32_t seed)
{
	for (size_t i = 0; i < count; i++)
		array[i] = (uint8_t)(kernel_random(&seed) >> 8);
}

/* The same to floating point, whatever order sums were made in. */
static inline bool kernel_same_real(const REAL *result, const REAL *wanted, size_t count)
{
	const double tolerance = sizeof(REAL) == sizeof(float) ? 2e-3 : 1e-9;

	for (size_t i = 0; i < count; i++) {
		double error = fabs((double)result[i] - (double)wanted[i]);

		if (!(error <= tolerance * (1 + fabs((double)wanted[i])))) {
			fprintf(stderr, "element %zu is %g, not %g\n", i, (double)result[i],
				(double)wanted[i]);
			return false;
		}
	}
	return true;
}

#define FILL(array, seed) kernel_fill_real((REAL *)(array), sizeof(array) / sizeof(REAL), seed)
#define FILL_BYTES(array, seed) kernel_fill_bytes((uint8_t *)(array), sizeof(array), seed)
#define SAME(result, wanted) \
	kernel_same_real((const REAL *)(result), (const REAL *)(wanted), \
			 sizeof(result) / sizeof(REAL))
#define EQUAL(result, wanted) (memcmp((result), (wanted), sizeof(result)) == 0)

/* ---- as a program ---- */

static bool kernel_is_right(void);

/* After the kernel ran; nonzero if its result is wrong. */
int kernel_check(void)
{
	return !kernel_is_right();
}

int main(int argc, char **argv)
{
	long repeats = argc > 1 ? strtol(argv[1], NULL, 10) : 1;

	for (long i = 0; i < repeats; i++)
		kernel();
	if (kernel_check()) {
		puts("wrong");
		return 1;
	}
	puts("right");
	return 0;
}

#endif
