/* SPDX-License-Identifier: MIT */
/* Primes below LIMIT: a byte for each number, or a bit for each odd one. */
#include <string.h>

#include "program.h"

#define LIMIT 32768
#define PASSES 16

#ifdef ODD_BITS
static uint64_t composite[LIMIT / 128];

static uint32_t count_primes(void)
{
	uint32_t count = 1;

	memset(composite, 0, sizeof(composite));
	for (uint32_t i = 1; i < LIMIT / 2; i++) {
		if (composite[i / 64] >> i % 64 & 1)
			continue;
		count++;
		for (uint64_t j = 2 * (uint64_t)i * (i + 1); j < LIMIT / 2; j += 2 * i + 1)
			composite[j / 64] |= (uint64_t)1 << j % 64;
	}
	return count;
}
#else
static uint8_t composite[LIMIT];

static uint32_t count_primes(void)
{
	uint32_t count = 0;

	memset(composite, 0, sizeof(composite));
	for (uint32_t i = 2; i < LIMIT; i++) {
		if (composite[i])
			continue;
		count++;
		for (uint64_t j = (uint64_t)i * i; j < LIMIT; j += i)
			composite[j] = 1;
	}
	return count;
}
#endif

void program_setup(void)
{
}

uint64_t program_work(void)
{
	uint64_t count = 0;

	for (int pass = 0; pass < PASSES; pass++)
		count += count_primes();
	return count;
}
