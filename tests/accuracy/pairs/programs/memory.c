/* SPDX-License-Identifier: MIT */
/*
 * The C library chooses its own by the processor, and qemu's is another one than the host's.
 * These are the same everywhere; so both sides of a pair run the same code in both places.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

/* Any address will do, and it may overlap objects of other types. */
typedef uint64_t unaligned_word __attribute__((aligned(1), may_alias));

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	unsigned char *left = to;
	const unsigned char *right = from;

	for (; size >= 8; size -= 8, left += 8, right += 8)
		*(unaligned_word *)left = *(const unaligned_word *)right;
	while (size--)
		*left++ = *right++;
	return to;
}

void *memmove(void *to, const void *from, size_t size)
{
	unsigned char *left = to;
	const unsigned char *right = from;

	if ((uintptr_t)left - (uintptr_t)right >= size)
		return memcpy(to, from, size);
	while (size--)
		left[size] = right[size];
	return to;
}

void *memset(void *to, int value, size_t size)
{
	uint64_t word = (unsigned char)value * 0x0101010101010101u;
	unsigned char *next = to;

	for (; size >= 8; size -= 8, next += 8)
		*(unaligned_word *)next = word;
	while (size--)
		*next++ = (unsigned char)value;
	return to;
}

int memcmp(const void *left, const void *right, size_t size)
{
	const unsigned char *a = left, *b = right;

	for (; size >= 8; size -= 8, a += 8, b += 8)
		if (*(const unaligned_word *)a != *(const unaligned_word *)b)
			break;
	for (; size; size--, a++, b++)
		if (*a != *b)
			return *a - *b;
	return 0;
}

/* What a compiler may call instead of memcmp(). */
int bcmp(const void *left, const void *right, size_t size)
{
	return memcmp(left, right, size);
}

size_t strlen(const char *string)
{
	const char *end = string;

	while (*end)
		end++;
	return (size_t)(end - string);
}
