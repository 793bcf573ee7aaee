/* SPDX-License-Identifier: MIT */
/*
 * shadow: the contents of memory after the stores so far: for each byte written its value, if
 * known, and its writer. Bytes never written hold random values that depend on their address
 * and the seed alone, so they need no room. Private to depend.
 */
#ifndef TAKT_DEPEND_SHADOW_H
#define TAKT_DEPEND_SHADOW_H

#include "depend/values.h"

#define TAKT_GRANULE_BYTES 8u

/* Eight bytes at a multiple of eight. */
struct takt_granule {
	uint64_t number; /* address / 8 */
	uint64_t bits;
	uint32_t stamp;		/* the granule is in use if this equals the shadow's stamp */
	uint8_t written, known; /* masks of bytes */
	uint32_t writers[TAKT_GRANULE_BYTES];
};

/* Return the number of the next granule; numbers wrap around as addresses do. */
static inline uint64_t takt_granule_next(uint64_t number)
{
	return (number + 1) & UINT64_MAX / TAKT_GRANULE_BYTES;
}

struct takt_shadow {
	struct takt_granule *granules; /* a hash table with open addressing */
	size_t mask;
	uint32_t stamp;
	uint64_t seed;
};

/* Allocate room for stores to `granule_count` granules between two clears. */
void takt_shadow_init(struct takt_shadow *shadow, size_t granule_count, struct takt_arena *arena);
/* Forget all stores; unwritten bytes take new values, which depend on `seed`. */
void takt_shadow_clear(struct takt_shadow *shadow, uint64_t seed);
/* Store `size_bytes` bytes; from the ninth byte on, their values are unknown. */
void takt_shadow_store(struct takt_shadow *shadow, uint64_t address, unsigned size_bytes,
		       struct takt_value value, uint32_t writer);
/* Load one to eight bytes; the value is known if all of them are. */
struct takt_value takt_shadow_load(const struct takt_shadow *shadow, uint64_t address,
				   unsigned size_bytes);
/* Return the granule with this number, or NULL if none of its bytes has been written. */
const struct takt_granule *takt_shadow_find(const struct takt_shadow *shadow, uint64_t number);

#endif
