/* SPDX-License-Identifier: MIT */
/* pattern: erratic */
/* Look-ups anywhere in a table; mended: in ascending order. */
#include "team.h"

#define ENTRIES (1u << 20)
#define COUNT 200000

static uint32_t table[ENTRIES];

static uint32_t look_up(void)
{
	uint32_t state = 5, sum = 0;

	for (uint32_t i = 0; i < COUNT; i++) {
#ifdef MENDED
		uint32_t at = i * (ENTRIES / COUNT);
#else
		uint32_t at = next_random(&state) % ENTRIES;
#endif
		sum += table[at];
		state ^= table[at];
	}
	return sum;
}

int main(void)
{
	sink = look_up();
	return 0;
}
