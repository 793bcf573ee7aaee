/* SPDX-License-Identifier: MIT */
/* pattern: numa */
/* Rows of an image that was cleared by one thread; mended: by those that draw them. */
#include "team.h"

#define ROWS 256
#define COLUMNS 2048

static uint16_t image[ROWS][COLUMNS];

/* A pattern of rings; `seed` is different in each round. */
__attribute__((noinline)) static void draw(int begin, int end, uint32_t seed)
{
	for (int y = begin; y < end; y++) {
		for (int x = 0; x < COLUMNS; x++) {
			uint32_t value = (uint32_t)(x * x + y * y) + seed;

			value = (value ^ value >> 15) * 0x2c1b3c6du;
			value = (value ^ value >> 12) * 0x297a2d39u;
			image[y][x] = (uint16_t)(image[y][x] + (value >> 16));
		}
	}
}

static void *work(void *argument)
{
	int begin = (int)(intptr_t)argument * (ROWS / TEAM), end = begin + ROWS / TEAM;

#ifdef MENDED
	draw(begin, end, 0);
#endif
	draw(begin, end, 1);
	return NULL;
}

int main(void)
{
#ifndef MENDED
	draw(0, ROWS, 0);
#endif
	run_team(work);
	KEEP(image);
	return 0;
}
