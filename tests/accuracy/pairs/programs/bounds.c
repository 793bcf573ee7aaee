/* SPDX-License-Identifier: MIT */
/* A filter over a picture whose pixels are got with a check of the place (CHECKED), or without. */
#include <stdlib.h>

#include "program.h"

#define WIDTH 96
#define HEIGHT 56

struct picture {
	int32_t width, height;
	int32_t *pixels;
};

static int32_t from_pixels[WIDTH * HEIGHT], to_pixels[WIDTH * HEIGHT];

static inline int32_t *pixel(const struct picture *picture, int32_t x, int32_t y)
{
#ifdef CHECKED
	if (x < 0 || x >= picture->width || y < 0 || y >= picture->height)
		abort();
#endif
	return &picture->pixels[y * picture->width + x];
}

__attribute__((noinline)) static void sharpen(const struct picture *to, const struct picture *from)
{
	for (int32_t y = 1; y < from->height - 1; y++)
		for (int32_t x = 1; x < from->width - 1; x++)
			*pixel(to, x, y) = 8 * *pixel(from, x, y) - *pixel(from, x - 1, y) -
					   *pixel(from, x + 1, y) - *pixel(from, x, y - 1) -
					   *pixel(from, x, y + 1);
}

void program_setup(void)
{
	uint64_t state = 1;

	for (size_t i = 0; i < WIDTH * HEIGHT; i++)
		from_pixels[i] = (int32_t)(random_next(&state) % 256);
}

uint64_t program_work(void)
{
	struct picture from = {WIDTH, HEIGHT, from_pixels}, to = {WIDTH, HEIGHT, to_pixels};
	uint64_t checksum = 0;

	for (int i = 0; i < 40; i++)
		sharpen(&to, &from);
	for (size_t i = 0; i < WIDTH * HEIGHT; i += 64)
		checksum = checksum_add(checksum, (uint64_t)to_pixels[i]);
	return checksum;
}
