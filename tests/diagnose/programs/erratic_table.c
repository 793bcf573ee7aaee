/* SPDX-License-Identifier: MIT */
/* pattern: erratic */
/* Look-ups anywhere in a large table; mended: in one that stays in the first cache. */
#include "team.h"

#ifdef MENDED
#define ENTRIES (1u << 12)
#else
#define ENTRIES (1u << 23)
#endif
#define COUNT 150000

static uint32_t table[ENTRIES];

static uint32_t look_up(void)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < COUNT; i++) {
		uint32_t at = (i ^ i >> 7) * 0x2c1b3c6du;

		at = (at ^ at >> 12) * 0x297a2d39u;
		__asm__("" : "+r"(at)); /* one by one */
		sum += table[(at >> 8) % ENTRIES];
	}
	return sum;
}

int main(void)
{
	KEEP(table);
	sink = look_up();
	return 0;
}
