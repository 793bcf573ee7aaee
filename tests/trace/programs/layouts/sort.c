/* SPDX-License-Identifier: MIT */
/* Sorts numbers (Shell): a short inner loop whose branches are hard to predict. */
#include <stdint.h>
#include <stdio.h>
#include "dead.h"
#define N SHARE(5000)
static uint32_t values[N];
int main(int argc, char **argv)
{
	uint32_t x = 12345, sum = 0;
	(void)argv;
	DEAD_CODE(argc);
	for (int i = 0; i < N; i++) {
		x = x * 1664525u + 1013904223u;
		values[i] = x >> 8;
	}
	for (int gap = N / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
		for (int i = gap; i < N; i++) {
			uint32_t v = values[i];
			int j = i;
			for (; j >= gap && values[j - gap] > v; j -= gap)
				values[j] = values[j - gap];
			values[j] = v;
		}
	for (int i = 0; i < N; i++)
		sum += values[i] * (uint32_t)i;
	printf("%u\n", sum);
	return 0;
}
