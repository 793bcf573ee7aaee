/* SPDX-License-Identifier: MIT */
/* A hash table with open addressing and linear probing, at most two thirds full. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define CAPACITY_FIRST 1024u

void takt_map_init(struct takt_map *map, size_t entry_bytes, size_t count_max)
{
	*map = (struct takt_map){
		.entries = takt_xcalloc(CAPACITY_FIRST, entry_bytes),
		.entry_bytes = entry_bytes,
		.capacity = CAPACITY_FIRST,
		.count_max = count_max,
	};
}

void takt_map_release(struct takt_map *map)
{
	free(map->entries);
	map->entries = NULL;
}

/* Find the slot of a key. Keys are aligned, because entries are multiples of 8 bytes. */
static uint64_t *find(const struct takt_map *map, uint64_t key)
{
	size_t at = takt_hash64(key) & (map->capacity - 1);

	for (;; at = (at + 1) & (map->capacity - 1)) {
		uint64_t *entry = (uint64_t *)(void *)(map->entries + at * map->entry_bytes);

		if (*entry == key || !*entry)
			return entry;
	}
}

static void grow(struct takt_map *map)
{
	struct takt_map larger = *map;

	larger.capacity *= 2;
	larger.entries = takt_xcalloc(larger.capacity, larger.entry_bytes);
	for (uint64_t *entry = NULL; (entry = takt_map_next(map, entry));)
		memcpy(find(&larger, *entry), entry, map->entry_bytes);
	free(map->entries);
	*map = larger;
}

void *takt_map_get(struct takt_map *map, uint64_t key)
{
	uint64_t *entry = find(map, key);

	if (*entry)
		return entry;
	if (map->count == map->count_max)
		return NULL;
	if (3 * (map->count + 1) > 2 * map->capacity) {
		grow(map);
		entry = find(map, key);
	}
	map->count++;
	*entry = key;
	return entry;
}

void *takt_map_find(const struct takt_map *map, uint64_t key)
{
	uint64_t *entry = find(map, key);

	return *entry ? entry : NULL;
}

void *takt_map_next(const struct takt_map *map, void *entry)
{
	uint8_t *at = entry ? (uint8_t *)entry + map->entry_bytes : map->entries;

	for (; at < map->entries + map->capacity * map->entry_bytes; at += map->entry_bytes)
		if (*(uint64_t *)(void *)at)
			return at;
	return NULL;
}

void *takt_map_sort(struct takt_map *map)
{
	uint8_t *end = map->entries;

	for (uint8_t *entry = NULL; (entry = takt_map_next(map, entry));) {
		memmove(end, entry, map->entry_bytes);
		end += map->entry_bytes;
	}
	qsort(map->entries, map->count, map->entry_bytes, takt_compare_keys);
	return map->entries;
}
