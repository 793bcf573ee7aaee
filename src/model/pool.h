/* SPDX-License-Identifier: MIT */
/* pool: byte strings one after the other, equal ones stored once. */
#ifndef TAKT_MODEL_POOL_H
#define TAKT_MODEL_POOL_H

#include "base/base.h"

struct takt_pool_entry {
	uint64_t hash;
	uint32_t offset, size; /* size 0: the entry is empty */
};

/* Zero-initialised is empty. */
struct takt_pool {
	char *bytes;
	size_t size_bytes, capacity_bytes;
	struct takt_pool_entry *entries;
	size_t entry_count, entry_capacity;
};

void takt_pool_release(struct takt_pool *pool);
/* Offset of the bytes in the pool; 0 for none. The pool stays below 4 GiB. */
uint32_t takt_pool_add(struct takt_pool *pool, const void *data, size_t size_bytes);

#endif
