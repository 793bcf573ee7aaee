/* SPDX-License-Identifier: MIT */
/* pattern: saturated-ports */
/*
 * Squares of complex numbers. Their parts lie side by side and are sorted by one port; mended,
 * each part has an array.
 */
#include "team.h"

#define COUNT 400
#define ROUNDS 400

#ifdef MENDED
static float real[COUNT], imaginary[COUNT];
#define REAL(i) real[i]
#define IMAGINARY(i) imaginary[i]
#else
static float numbers[2 * COUNT];
#define REAL(i) numbers[2 * (i)]
#define IMAGINARY(i) numbers[2 * (i) + 1]
#endif
static float squares[COUNT];

__attribute__((noinline)) static void square(void)
{
	for (int i = 0; i < COUNT; i++)
		squares[i] = REAL(i) * REAL(i) + IMAGINARY(i) * IMAGINARY(i);
}

int main(void)
{
	for (int i = 0; i < COUNT; i++)
		REAL(i) = IMAGINARY(i) = 1.0f / (float)(i + 1);
	for (int i = 0; i < ROUNDS; i++) {
		square();
		KEEP(squares);
	}
	sink = squares[COUNT / 2];
	return 0;
}
