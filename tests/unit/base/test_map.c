/* SPDX-License-Identifier: MIT */
#include "../tap.h"

#include "base/base.h"

struct entry {
	uint64_t key, value;
};

#define COUNT 20000u

int main(void)
{
	struct takt_map map;
	const struct entry *sorted;
	uint64_t sum = 0;
	bool ascending = true;

	takt_map_init(&map, sizeof(struct entry), COUNT);
	for (uint64_t i = COUNT; i > 0; i--)
		((struct entry *)takt_map_get(&map, 7 * i))->value = i;
	ok(map.count == COUNT, "as many as keys");
	ok(((struct entry *)takt_map_get(&map, 7))->value == 1, "found again, after growing");
	ok(takt_map_get(&map, 1) == NULL, "no room for more");
	for (struct entry *entry = NULL; (entry = takt_map_next(&map, entry));)
		sum += entry->value;
	ok(sum == (uint64_t)COUNT * (COUNT + 1) / 2, "each comes once");
	sorted = takt_map_sort(&map);
	for (uint64_t i = 0; i < COUNT; i++)
		ascending &= sorted[i].key == 7 * (i + 1) && sorted[i].value == i + 1;
	ok(ascending, "sorted");
	takt_map_release(&map);
	return tap_done();
}
