/* SPDX-License-Identifier: MIT */
/* Byte strings stored one after the other, equal ones only once. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/pool.h"

struct takt_pool_entry {
	uint64_t hash;
	uint32_t offset, size;
};

void takt_pool_release(struct takt_pool *pool)
{
	free(pool->bytes);
	takt_map_release(&pool->entries);
	*pool = (struct takt_pool){0};
}

static uint32_t append(struct takt_pool *pool, const void *data, size_t size_bytes)
{
	size_t offset = pool->size_bytes;

	assert(size_bytes <= UINT32_MAX - offset);
	TAKT_GROW(pool->bytes, offset + size_bytes, pool->capacity_bytes);
	memcpy(pool->bytes + offset, data, size_bytes);
	pool->size_bytes += size_bytes;
	return (uint32_t)offset;
}

uint32_t takt_pool_add(struct takt_pool *pool, const void *data, size_t size_bytes)
{
	struct takt_pool_entry *entry;

	if (size_bytes == 0)
		return 0;
	if (!pool->entries.entries)
		takt_map_init(&pool->entries, sizeof(*entry), SIZE_MAX);
	entry = takt_map_get(&pool->entries, takt_hash_bytes(data, size_bytes) | 1);
	if (entry->size == size_bytes && memcmp(pool->bytes + entry->offset, data, size_bytes) == 0)
		return entry->offset;
	entry->offset = append(pool, data, size_bytes);
	entry->size = (uint32_t)size_bytes;
	return entry->offset;
}
