/* SPDX-License-Identifier: MIT */
/* Fields of lines summed up, through a reader that checks each index (CHECKED) or does not. */
#include <stdlib.h>

#include "program.h"

#define SIZE 131072

struct text {
	const char *data;
	size_t size;
};

static char buffer[SIZE + 1];

static inline char at(const struct text *text, size_t index)
{
#ifdef CHECKED
	if (index >= text->size)
		abort();
#endif
	return text->data[index];
}

/* Sum of the numbers at the ends of lines, and of the lengths of words. */
__attribute__((noinline)) static uint64_t sum_lines(const struct text *text)
{
	uint64_t sum = 0, number = 0, length = 0;

	for (size_t i = 0; i < text->size; i++) {
		char c = at(text, i);

		if (c == '\n') {
			sum += number;
		} else if (c == ' ') {
			sum += length;
			length = 0;
			number = 0;
		} else {
			number = number * 10 + (uint64_t)(at(text, i) & 15);
			length++;
		}
	}
	return sum;
}

/* Bytes equal to those `distance` before. */
__attribute__((noinline)) static uint64_t count_repeats(const struct text *text, size_t distance)
{
	uint64_t count = 0;

	for (size_t i = distance; i < text->size; i++)
		count += at(text, i) == at(text, i - distance);
	return count;
}

void program_setup(void)
{
	program_text(buffer, SIZE);
}

uint64_t program_work(void)
{
	struct text text = {.data = buffer, .size = SIZE};
	uint64_t checksum = sum_lines(&text);

	for (size_t distance = 1; distance < 4; distance++)
		checksum = checksum_add(checksum, count_repeats(&text, distance));
	return checksum;
}
