/* SPDX-License-Identifier: MIT */
/*
 * primes by Eratosthenes
 * VARIANTS: UNROLL=0,2,4 FLAG=uint8_t,uint32_t
 */
#include "kernel.h"

#define N 4000
#ifndef FLAG
#define FLAG uint8_t
#endif

DATA FLAG composite[N];

INIT
{
}

KERNEL
{
	FOR(i, 0, N)
		composite[i] = 0;
	for (int i = 2; i * i < N; i++) {
		if (composite[i])
			continue;
		UNROLLED
		for (int k = i * i; k < N; k += i)
			composite[k] = 1;
	}
}

CHECK
{
	FOR(i, 2, N) {
		bool divisible = false;

		FOR(k, 2, i)
			divisible |= i % k == 0;
		if (composite[i] != divisible)
			return false;
	}
	return true;
}
