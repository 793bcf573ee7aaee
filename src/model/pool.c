/* SPDX-License-Identifier: MIT */
/* Byte strings stored one after the other, equal ones only once. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/pool.h"

void takt_pool_release(struct takt_pool *pool)
{
	free(pool->bytes);
	free(pool->entries);
	*pool = (struct takt_pool){0};
}

static void place(struct takt_pool_entry *entries, size_t capacity, struct takt_pool_entry entry)
{
	size_t slot = (size_t)entry.hash & (capacity - 1);

	while (entries[slot].size)
		slot = (slot + 1) & (capacity - 1);
	entries[slot] = entry;
}

static void grow_entries(struct takt_pool *pool)
{
	size_t capacity = pool->entry_capacity ? 2 * pool->entry_capacity : 1024;
	struct takt_pool_entry *entries = takt_xcalloc(capacity, sizeof(*entries));

	for (size_t i = 0; i < pool->entry_capacity; i++)
		if (pool->entries[i].size)
			place(entries, capacity, pool->entries[i]);
	free(pool->entries);
	pool->entries = entries;
	pool->entry_capacity = capacity;
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
	struct takt_pool_entry entry;
	size_t slot;

	if (size_bytes == 0)
		return 0;
	if (2 * pool->entry_count >= pool->entry_capacity)
		grow_entries(pool);
	entry.hash = takt_hash_bytes(data, size_bytes);
	slot = (size_t)entry.hash & (pool->entry_capacity - 1);
	while (pool->entries[slot].size) {
		const struct takt_pool_entry *old = &pool->entries[slot];

		if (old->hash == entry.hash && old->size == size_bytes &&
		    memcmp(pool->bytes + old->offset, data, size_bytes) == 0)
			return old->offset;
		slot = (slot + 1) & (pool->entry_capacity - 1);
	}
	entry.offset = append(pool, data, size_bytes);
	entry.size = (uint32_t)size_bytes;
	pool->entries[slot] = entry;
	pool->entry_count++;
	return entry.offset;
}
