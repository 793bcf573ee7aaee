/* SPDX-License-Identifier: MIT */
/* pattern: instruction-overhead */
/* Each element through functions that check; mended: the loop itself. */
#include "team.h"

#define COUNT 1024
#define ROUNDS 100

struct grid {
	float *values;
	int width, height;
	int stride;
};

static float values[COUNT];

__attribute__((noinline)) static int is_inside(const struct grid *grid, int x, int y)
{
	return x >= 0 && y >= 0 && x < grid->width && y < grid->height;
}

__attribute__((noinline)) static float *place_of(const struct grid *grid, int x, int y)
{
	if (!is_inside(grid, x, y))
		return 0;
	return &grid->values[y * grid->stride + x];
}

__attribute__((noinline)) static void scale(const struct grid *grid, float factor)
{
#ifdef MENDED
	float *at = grid->values;

	for (int i = 0; i < grid->width * grid->height; i++)
		at[i] *= factor;
#else
	for (int y = 0; y < grid->height; y++) {
		for (int x = 0; x < grid->width; x++) {
			float *place = place_of(grid, x, y);

			if (place)
				*place *= factor;
		}
	}
#endif
}

int main(void)
{
	struct grid grid = {values, 32, COUNT / 32, 32};

	for (int i = 0; i < ROUNDS; i++) {
		KEEP(values);
		scale(&grid, 0.5f);
	}
	sink = values[3];
	return 0;
}
