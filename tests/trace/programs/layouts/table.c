/* SPDX-License-Identifier: MIT */
/* Counts keys in a hash table with open addressing. */
#include <stdint.h>
#include <stdio.h>
#include "dead.h"
#define SLOTS 4096u
static uint64_t keys[SLOTS];
static uint32_t counts[SLOTS];
static uint32_t hash(uint64_t key)
{
	key ^= key >> 33;
	key *= 0xff51afd7ed558ccdu;
	key ^= key >> 29;
	return (uint32_t)key & (SLOTS - 1);
}
int main(int argc, char **argv)
{
	uint64_t x = 88172645463325252u;
	uint32_t probes = 0;
	(void)argv;
	DEAD_CODE(argc);
	for (int i = 0; i < SHARE(50000); i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		uint64_t key = x % 3000 + 1;
		uint32_t at = hash(key);
		while (keys[at] && keys[at] != key) {
			at = (at + 1) & (SLOTS - 1);
			probes++;
		}
		keys[at] = key;
		counts[at]++;
	}
	printf("%u %u\n", probes, counts[77]);
	return 0;
}
