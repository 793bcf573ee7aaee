/* SPDX-License-Identifier: MIT */
/* Bytes counted, copied and compared, at all alignments, by string instructions where there are. */
#include "start.h"

enum { SIZE = 6000 };

static char from[SIZE], to[SIZE + 64];

static void copy(char *target, const char *source, unsigned long size)
{
#if defined(__x86_64__)
	__asm__ volatile("rep movsb" : "+D"(target), "+S"(source), "+c"(size) : : "memory");
#else
	while (size--)
		*target++ = *source++;
#endif
}

static int differ(const char *a, const char *b, unsigned long size)
{
	typedef long word __attribute__((aligned(1), may_alias));

	for (unsigned long i = 0; i + sizeof(word) <= size; i += sizeof(word))
		if (*(const word *)(a + i) != *(const word *)(b + i))
			return 1;
	return 0;
}

int program(void)
{
	unsigned counts[256] = {0};
	int differences = 0;

	for (int i = 0; i < SIZE; i++)
		from[i] = (char)(i * i >> 3);
	for (int i = 0; i < SIZE; i++)
		counts[(unsigned char)from[i]]++;
	for (int i = 1; i < 12; i++) {
		copy(to + i, from, SIZE - 64);
		differences += differ(to + i, from, SIZE - 64);
		differences += differ(to, from + i, SIZE - 64);
	}
	return (differences + (int)counts[7]) & 1;
}
