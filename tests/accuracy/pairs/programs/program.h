/* SPDX-License-Identifier: MIT */
/*
 * A program of a pair: fixed work, done again and again by driver.c, which knows nothing of it.
 * One iteration is one to five million instructions and leaves what it needs as it found it.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stddef.h>
#include <stdint.h>

/* Once, before all else. */
void program_setup(void);
/* One iteration; returns a checksum, the same each time and in both of a pair. */
uint64_t program_work(void);

#define ARRAY_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Numbers that look random and are the same everywhere. */
static inline uint32_t random_next(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

static inline uint64_t checksum_add(uint64_t checksum, uint64_t value)
{
	return (checksum ^ value) * 0x9e3779b97f4a7c15u;
}

/* driver.c: text of `size` bytes that looks like a log of a server. */
void program_text(char *text, size_t size);

#endif
