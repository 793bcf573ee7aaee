/* SPDX-License-Identifier: MIT */
/* pattern: false-sharing */
/* Statistics of each thread in a table on the heap; mended: gathered in locals. */
#include <stdlib.h>

#include "team.h"

#define COUNT 60000

struct statistics {
	uint64_t sum, large;
};

static struct statistics *table;

/* Some work that needs nothing of the element before. */
static uint32_t mix(uint32_t value)
{
	value = (value ^ value >> 15) * 0x2c1b3c6du;
	value = (value ^ value >> 12) * 0x297a2d39u;
	return value ^ value >> 15;
}

static void *work(void *argument)
{
	volatile struct statistics *own = &table[(intptr_t)argument];
	uint64_t sum = 0, large = 0;

	for (uint32_t i = 0; i < COUNT; i++) {
		uint32_t value = mix(i);

		__asm__("" : "+r"(value)); /* one by one */
#ifdef MENDED
		sum += value;
		large += value >> 31;
#else
		own->sum += value;
		own->large += value >> 31;
#endif
	}
	own->sum += sum;
	own->large += large;
	return NULL;
}

int main(void)
{
	table = aligned_alloc(64, 64); /* named */
	for (int i = 0; i < TEAM; i++)
		table[i] = (struct statistics){0, 0};
	run_team(work);
	sink = (double)(table[0].sum + table[1].large);
	return 0;
}
