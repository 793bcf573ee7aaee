/* SPDX-License-Identifier: MIT */
/*
 * The table of registered blocks. qemu translates blocks again after it has discarded them
 * (at the first thread, when its buffer is full). A block with the same address and bytes
 * keeps its number; rewritten code gets another.
 */
#include <pthread.h>
#include <stdlib.h>

#include "plugin.h"

/* Blocks with the same 128-bit hash are assumed to be the same. */
struct entry {
	uint64_t hash[2];
	uint32_t number; /* number of the block plus 1; 0: the entry is free */
};

static struct entry *entries;
static uint32_t entry_count, capacity; /* the capacity is a power of two */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t hash_bytes(uint64_t hash, const uint8_t *bytes, size_t size_bytes)
{
	for (size_t i = 0; i < size_bytes; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3u;
	return hash ^ hash >> 29;
}

static struct entry *find(struct entry *table, uint32_t size, const uint64_t hash[2])
{
	uint32_t at = (uint32_t)hash[0] & (size - 1);

	while (table[at].number && (table[at].hash[0] != hash[0] || table[at].hash[1] != hash[1]))
		at = (at + 1) & (size - 1);
	return &table[at];
}

/* Double the table; false, with tracing stopped, if there is no memory. */
static bool grow(void)
{
	uint32_t size = capacity ? 2 * capacity : 1 << 14;
	struct entry *table = calloc(size, sizeof(*table));

	if (!table) {
		feed_give_up(&feed->short_of_memory);
		return false;
	}
	for (uint32_t i = 0; i < capacity; i++)
		if (entries[i].number)
			*find(table, size, entries[i].hash) = entries[i];
	free(entries);
	entries = table;
	capacity = size;
	return true;
}

static void add(const struct trace_block_header *header, const uint8_t *lengths,
		const uint8_t *bytes)
{
	static const uint8_t zeros[8];

	dictionary_add(header, sizeof(*header));
	dictionary_add(lengths, header->insn_count);
	dictionary_add(bytes, header->size_bytes);
	dictionary_add(zeros, -(header->insn_count + (size_t)header->size_bytes) % 8);
	dictionary_publish();
}

uint32_t block_register(const struct trace_block_header *header, const uint8_t *lengths,
			const uint8_t *bytes)
{
	uint64_t hash[2];
	struct entry *entry;
	uint32_t number = 0;

	for (unsigned i = 0; i < 2; i++) {
		hash[i] = hash_bytes(i ? 0x9e3779b97f4a7c15u : 0xcbf29ce484222325u,
				     (const uint8_t *)header, sizeof(*header));
		hash[i] = hash_bytes(hash[i], lengths, header->insn_count);
		hash[i] = hash_bytes(hash[i], bytes, header->size_bytes);
	}
	pthread_mutex_lock(&lock);
	if (2 * entry_count < capacity || grow()) {
		entry = find(entries, capacity, hash);
		if (!entry->number) {
			*entry = (struct entry){{hash[0], hash[1]}, ++entry_count};
			add(header, lengths, bytes);
		}
		number = entry->number - 1;
	}
	pthread_mutex_unlock(&lock);
	return number;
}

uint32_t blocks_count(void)
{
	return entry_count;
}

void blocks_lock(void)
{
	pthread_mutex_lock(&lock);
}

void blocks_unlock(void)
{
	pthread_mutex_unlock(&lock);
}
