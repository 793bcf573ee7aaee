/* SPDX-License-Identifier: MIT */
/*
 * keys looked for in a hash table with open addresses
 * VARIANTS: KEY=uint32_t,uint64_t
 */
#include "kernel.h"

#define SLOTS 1024
#define KEYS 512
#define WANTED 512
#ifndef KEY
#define KEY uint32_t
#endif
#define SLOT(key) ((uint32_t)(key) * 2654435769u >> 22)

DATA KEY slot[SLOTS]; /* 0: free */
DATA KEY wanted[WANTED];
DATA uint16_t place[WANTED];

INIT
{
	uint32_t seed = 1;

	FOR(i, 0, KEYS) {
		KEY key = 1 + kernel_random(&seed) % 2000;
		uint32_t at = SLOT(key);

		while (slot[at] && slot[at] != key)
			at = (at + 1) % SLOTS;
		slot[at] = key;
	}
	FOR(i, 0, WANTED)
		wanted[i] = 1 + kernel_random(&seed) % 2000;
}

KERNEL
{
	FOR(i, 0, WANTED) {
		uint32_t at = SLOT(wanted[i]);

		while (slot[at] && slot[at] != wanted[i])
			at = (at + 1) % SLOTS;
		place[i] = (uint16_t)(slot[at] ? at : SLOTS);
	}
}

CHECK
{
	FOR(i, 0, WANTED) {
		int at = 0;

		while (at < SLOTS && slot[at] != wanted[i])
			at++;
		if (place[i] != at)
			return false;
	}
	return true;
}
