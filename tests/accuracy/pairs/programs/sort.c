/* SPDX-License-Identifier: MIT */
/* Numbers sorted: RADIX by digits; MERGE without branches on values; else quicksort. */
#include <string.h>

#include "program.h"

#define COUNT 2048 /* all arrays fit into L1 */
#define PASSES 4

static uint32_t shuffled[COUNT], numbers[COUNT], spare[COUNT];

#if defined(RADIX)
static void sort(void)
{
	for (int shift = 0; shift < 32; shift += 8) {
		uint32_t starts[257] = {0};

		for (size_t i = 0; i < COUNT; i++)
			starts[(numbers[i] >> shift & 255) + 1]++;
		for (size_t i = 0; i < 256; i++)
			starts[i + 1] += starts[i];
		for (size_t i = 0; i < COUNT; i++)
			spare[starts[numbers[i] >> shift & 255]++] = numbers[i];
		memcpy(numbers, spare, sizeof(numbers));
	}
}
#elif defined(MERGE)
static void merge(uint32_t *to, const uint32_t *from, size_t half, size_t size)
{
	size_t left = 0, right = half;

	for (size_t i = 0; i < size; i++) {
		uint32_t a = from[left < half ? left : half - 1];
		uint32_t b = from[right < size ? right : size - 1];
		size_t take_left = (left < half) & ((right >= size) | (a <= b));

		to[i] = take_left ? a : b;
		left += take_left;
		right += 1 - take_left;
	}
}

static void sort(void)
{
	uint32_t *from = numbers, *to = spare;

	for (size_t size = 2; size <= COUNT; size *= 2) {
		uint32_t *swap = from;

		for (size_t i = 0; i < COUNT; i += size)
			merge(to + i, from + i, size / 2, size);
		from = to;
		to = swap;
	}
	if (from != numbers)
		memcpy(numbers, from, sizeof(numbers));
}
#else
static void insert(uint32_t *items, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		uint32_t item = items[i];
		size_t j = i;

		for (; j > 0 && items[j - 1] > item; j--)
			items[j] = items[j - 1];
		items[j] = item;
	}
}

static void quicksort(uint32_t *items, size_t count)
{
	while (count > 12) {
		uint32_t middle = items[count / 2];
		size_t i = 0, j = count - 1;

		for (;; i++, j--) {
			uint32_t swap;

			while (items[i] < middle)
				i++;
			while (items[j] > middle)
				j--;
			if (i >= j)
				break;
			swap = items[i];
			items[i] = items[j];
			items[j] = swap;
		}
		quicksort(items, i);
		items += i;
		count -= i;
	}
	insert(items, count);
}

static void sort(void)
{
	quicksort(numbers, COUNT);
}
#endif

void program_setup(void)
{
	uint64_t state = 1;

	for (size_t i = 0; i < COUNT; i++)
		shuffled[i] = random_next(&state);
	(void)spare;
}

uint64_t program_work(void)
{
	uint64_t checksum = 0;

	for (int pass = 0; pass < PASSES; pass++) {
		memcpy(numbers, shuffled, sizeof(numbers));
		sort();
	}
	for (size_t i = 0; i < COUNT; i += 16)
		checksum = checksum_add(checksum, numbers[i]);
	return checksum;
}
