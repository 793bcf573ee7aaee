/* SPDX-License-Identifier: MIT */
/*
 * numbers in decimal from text
 * VARIANTS: UNROLL=0,2,4 NUMBER=uint32_t,uint64_t
 */
#include "kernel.h"

#define N 300
#ifndef NUMBER
#define NUMBER uint32_t
#endif

DATA char text[N * 8];
DATA NUMBER number[N], wanted[N];

INIT
{
	uint32_t seed = 1;
	char *next = text;

	FOR(i, 0, N) {
		uint32_t digits = kernel_random(&seed) % 6;
		uint32_t value = kernel_random(&seed);

		while (digits-- > 0)
			value /= 10;
		wanted[i] = value % 1000000;
		next += sprintf(next, "%u,", (unsigned)wanted[i]);
	}
}

KERNEL
{
	const char *next = text;

	FOR(i, 0, N) {
		NUMBER value = 0;

		UNROLLED
		for (; *next != ','; next++)
			value = value * 10 + (NUMBER)(*next - '0');
		number[i] = value;
		next++;
	}
}

CHECK
{
	return EQUAL(number, wanted);
}
