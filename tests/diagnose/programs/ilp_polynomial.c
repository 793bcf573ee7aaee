/* SPDX-License-Identifier: MIT */
/* pattern: limited-ilp */
/* A polynomial for one point after the other, each waiting for the last; mended: twelve at once. */
#include "team.h"

#define DEGREE 64
#define POINTS 4800
#define BATCH 12

typedef double vector __attribute__((vector_size(32)));

static vector coefficients[DEGREE];

__attribute__((noinline)) static void evaluate(const vector *points, vector *results)
{
#ifdef MENDED
	vector values[BATCH] = {{0}};

	for (int i = 0; i < DEGREE; i++)
		for (int j = 0; j < BATCH; j++)
			values[j] = values[j] * points[j] + coefficients[i];
	for (int j = 0; j < BATCH; j++)
		results[j] = values[j];
#else
	for (int j = 0; j < BATCH; j++) {
		vector value = results[(j + BATCH - 1) % BATCH];

		for (int i = 0; i < DEGREE; i++)
			value = value * points[j] + coefficients[i];
		results[j] = value;
	}
#endif
}

int main(void)
{
	vector points[BATCH] = {{0}}, results[BATCH] = {{0}};

	KEEP(coefficients);
	for (int i = 0; i < POINTS / BATCH; i++)
		evaluate(points, results);
	sink = results[3][1];
	return 0;
}
