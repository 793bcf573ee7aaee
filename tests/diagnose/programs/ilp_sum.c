/* SPDX-License-Identifier: MIT */
/* pattern: limited-ilp */
/* One sum, a chain of additions; mended: eight side by side. */
#include "team.h"

#define COUNT 512
#define ROUNDS 1200

typedef double vector __attribute__((vector_size(32)));

static vector values[COUNT];

__attribute__((noinline)) static vector sum(void)
{
#ifdef MENDED
	vector sums[8] = {{0}};

	for (int i = 0; i < COUNT; i += 8)
		for (int j = 0; j < 8; j++)
			sums[j] += values[i + j];
	return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
	       ((sums[4] + sums[5]) + (sums[6] + sums[7]));
#else
	vector total = {0};

	for (int i = 0; i < COUNT; i++)
		total += values[i];
	return total;
#endif
}

int main(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		KEEP(values);
		sink = sum()[i % 4];
	}
	return 0;
}
