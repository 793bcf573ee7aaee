/* SPDX-License-Identifier: MIT */
/*
 * shadow: memory as stores have left it: for each byte written its value, if known, and
 * who wrote it. Bytes never written hold random values that depend on their address and
 * the seed alone, so they need no room. Private to depend.
 */
#ifndef TAKT_DEPEND_SHADOW_H
#define TAKT_DEPEND_SHADOW_H

#include "depend/values.h"

#define TAKT_GRANULE_BYTES 8u
#define TAKT_NO_WRITER UINT32_MAX

/* Eight bytes at a multiple of eight. */
struct takt_granule {
	uint64_t number;  /* address / 8 */
	uint64_t bits;
	uint32_t stamp;   /* in use if it is the shadow's */
	uint8_t written, known; /* by byte */
	uint32_t writers[TAKT_GRANULE_BYTES];
};

/* Addresses wrap, and so do granules. */
static inline uint64_t takt_granule_next(uint64_t number)
{
	return (number + 1) & UINT64_MAX / TAKT_GRANULE_BYTES;
}

struct takt_shadow {
	struct takt_granule *granules; /* open addressing */
	size_t mask;
	uint32_t stamp;
	uint64_t seed;
};

/* Room for stores to `granule_count` granules between two clears. */
void takt_shadow_init(struct takt_shadow *shadow, size_t granule_count, struct takt_arena *arena);
/* Nothing is written any more; unwritten bytes take new values. */
void takt_shadow_clear(struct takt_shadow *shadow, uint64_t seed);
/* Of more than eight bytes those beyond are not known. */
void takt_shadow_store(struct takt_shadow *shadow, uint64_t address, unsigned size_bytes,
		       struct takt_value value, uint32_t writer);
/* At most eight bytes. */
struct takt_value takt_shadow_load(const struct takt_shadow *shadow, uint64_t address,
				   unsigned size_bytes);
/* NULL if nothing in it is written. */
const struct takt_granule *takt_shadow_find(const struct takt_shadow *shadow, uint64_t number);

#endif
