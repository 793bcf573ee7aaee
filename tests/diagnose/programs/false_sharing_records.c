/* SPDX-License-Identifier: MIT */
/* pattern: false-sharing */
/* Statistics of each thread in a table on the heap; mended: gathered in locals. */
#include <stdlib.h>

#include "team.h"

#define COUNT 100000

struct statistics {
	double sum, most;
};

static struct statistics *table;
static float values[COUNT];

static void *work(void *argument)
{
	volatile struct statistics *own = &table[(intptr_t)argument];
#ifdef MENDED
	double sum = 0, most = 0;

	for (int i = 0; i < COUNT; i++) {
		double value = values[i];

		__asm__("" : "+x"(value));
		sum += value;
		most += value * value;
	}
	own->sum = sum;
	own->most = most;
#else
	for (int i = 0; i < COUNT; i++) {
		own->sum += values[i];
		own->most += values[i] * values[i];
	}
#endif
	return NULL;
}

int main(void)
{
	table = aligned_alloc(64, TEAM * sizeof(*table) + 64);
	for (int i = 0; i < COUNT; i++)
		values[i] = (float)(i % 7);
	for (int i = 0; i < TEAM; i++)
		table[i] = (struct statistics){0, 0};
	run_team(work);
	sink = table[0].sum + table[1].most;
	return 0;
}
