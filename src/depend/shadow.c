/* SPDX-License-Identifier: MIT */
/* A table of its own, unlike base's takt_map: a stamp empties it at once, and its size is known. */
#include <assert.h>

#include "depend/shadow.h"

void takt_shadow_init(struct takt_shadow *shadow, size_t granule_count, struct takt_arena *arena)
{
	size_t capacity = 8;

	while (capacity < granule_count * 2)
		capacity *= 2;
	*shadow = (struct takt_shadow){.granules =
					       TAKT_NEW_ARRAY(arena, capacity, struct takt_granule),
				       .mask = capacity - 1,
				       .stamp = 1};
}

void takt_shadow_clear(struct takt_shadow *shadow, uint64_t seed)
{
	shadow->stamp++;
	shadow->seed = seed;
}

/* Return the granule, or the free entry where it would be inserted. */
static struct takt_granule *find_place(const struct takt_shadow *shadow, uint64_t number)
{
	size_t at = (size_t)(number * 0x9e3779b97f4a7c15u >> 32) & shadow->mask;

	while (shadow->granules[at].stamp == shadow->stamp && shadow->granules[at].number != number)
		at = (at + 1) & shadow->mask;
	return &shadow->granules[at];
}

const struct takt_granule *takt_shadow_find(const struct takt_shadow *shadow, uint64_t number)
{
	const struct takt_granule *granule = find_place(shadow, number);

	return granule->stamp == shadow->stamp ? granule : NULL;
}

/* Return the mask of a granule's bytes from `begin` up to, but not including, `end`. */
static uint8_t byte_mask(unsigned begin, unsigned end)
{
	return (uint8_t)((1u << end) - (1u << begin));
}

static void store_part(struct takt_shadow *shadow, uint64_t number, unsigned begin, unsigned end,
		       struct takt_value value, uint32_t writer)
{
	struct takt_granule *granule = find_place(shadow, number);
	uint8_t mask = byte_mask(begin, end);

	if (granule->stamp != shadow->stamp) {
		granule->stamp = shadow->stamp;
		granule->number = number;
		granule->written = granule->known = 0;
	}
	granule->written |= mask;
	granule->known = value.known ? granule->known | mask : granule->known & (uint8_t)~mask;
	for (unsigned i = begin; i < end; i++)
		granule->writers[i] = writer;
	if (value.known) {
		uint64_t bits = takt_size_mask(end - begin) << 8 * begin;

		granule->bits = (granule->bits & ~bits) | (value.bits << 8 * begin & bits);
	}
}

void takt_shadow_store(struct takt_shadow *shadow, uint64_t address, unsigned size_bytes,
		       struct takt_value value, uint32_t writer)
{
	uint64_t number = address / TAKT_GRANULE_BYTES;
	unsigned begin = address % TAKT_GRANULE_BYTES, done = 0;

	while (done < size_bytes) {
		unsigned end = begin + size_bytes - done;

		if (end > TAKT_GRANULE_BYTES)
			end = TAKT_GRANULE_BYTES;
		store_part(shadow, number, begin, end, value, writer);
		done += end - begin;
		value.bits = end - begin == 8 ? 0 : value.bits >> 8 * (end - begin);
		value.known = value.known && done < 8;
		begin = 0;
		number = takt_granule_next(number);
	}
}

/* Return the eight bytes of a granule, of which those in the mask `ret_known` are known. */
static uint64_t read_granule(const struct takt_shadow *shadow, uint64_t number, uint8_t *ret_known)
{
	const struct takt_granule *granule = takt_shadow_find(shadow, number);
	uint64_t fresh = takt_hash64(takt_hash64(number ^ shadow->seed) + shadow->seed);
	uint64_t bits = 0;

	*ret_known = 0xff;
	if (!granule)
		return fresh;
	*ret_known = (uint8_t)(~granule->written | granule->known);
	for (unsigned i = 0; i < TAKT_GRANULE_BYTES; i++)
		bits |= (granule->written >> i & 1 ? granule->bits : fresh) & (uint64_t)0xff
										      << 8 * i;
	return bits;
}

struct takt_value takt_shadow_load(const struct takt_shadow *shadow, uint64_t address,
				   unsigned size_bytes)
{
	unsigned begin = address % TAKT_GRANULE_BYTES, end = begin + size_bytes;
	uint64_t number = address / TAKT_GRANULE_BYTES, bits;
	uint8_t known, mask = byte_mask(begin, end < 8 ? end : 8);

	assert(size_bytes && size_bytes <= 8);
	bits = read_granule(shadow, number, &known) >> 8 * begin;
	if ((known & mask) != mask)
		return (struct takt_value){.known = false};
	if (end > TAKT_GRANULE_BYTES) {
		bits |= read_granule(shadow, takt_granule_next(number), &known)
			<< 8 * (TAKT_GRANULE_BYTES - begin);
		mask = byte_mask(0, end - TAKT_GRANULE_BYTES);
		if ((known & mask) != mask)
			return (struct takt_value){.known = false};
	}
	return (struct takt_value){bits & takt_size_mask(size_bytes), true};
}
