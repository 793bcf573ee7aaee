/* SPDX-License-Identifier: MIT */
/* pool: byte strings stored one after the other, equal ones only once. */
#ifndef TAKT_MODEL_POOL_H
#define TAKT_MODEL_POOL_H

#include "base/base.h"

/* A pool that is zero-initialised is empty. */
struct takt_pool {
	char *bytes;
	size_t size_bytes, capacity_bytes;
	struct takt_map entries; /* struct takt_pool_entry by their bytes' hash */
};

void takt_pool_release(struct takt_pool *pool);
/* Add bytes and return their offset in the pool; 0 for no bytes. The pool stays below 4 GiB. */
uint32_t takt_pool_add(struct takt_pool *pool, const void *data, size_t size_bytes);

#endif
