/* SPDX-License-Identifier: MIT */
/*
 * how often each byte occurs
 * VARIANTS: UNROLL=0,2,4,8 TABLES=1,4 COUNT=uint32_t,uint16_t
 */
#include "kernel.h"

#define N 4096
#ifndef TABLES
#define TABLES 1 /* taken in turn, and summed up at the end */
#endif
#ifndef COUNT
#define COUNT uint32_t
#endif

DATA uint8_t text[N];
DATA COUNT count[TABLES][256], result[256];

INIT
{
	FILL_BYTES(text, 1);
}

KERNEL
{
	FOR(t, 0, TABLES)
		FOR(i, 0, 256)
			count[t][i] = 0;
	INNER(i, 0, N / TABLES)
		FOR(t, 0, TABLES)
			count[t][text[i * TABLES + t]]++;
	FOR(i, 0, 256) {
		result[i] = 0;
		FOR(t, 0, TABLES)
			result[i] = (COUNT)(result[i] + count[t][i]);
	}
}

CHECK
{
	FOR(i, 0, 256) {
		COUNT sum = 0;

		FOR(k, 0, N)
			sum = (COUNT)(sum + (text[k] == i));
		if (result[i] != sum)
			return false;
	}
	return true;
}
