/* SPDX-License-Identifier: MIT */
/* Saved state: the same functions write and read it. */
#include <assert.h>
#include <string.h>

#include "base/base.h"

static void transfer(struct takt_pack *pack, void *data, size_t size_bytes)
{
	if (size_bytes && !pack->bad && !pack->transfer(pack, data, size_bytes))
		pack->bad = true;
	if (pack->bad && pack->reads && size_bytes)
		memset(data, 0, size_bytes);
}

void takt_pack_same(struct takt_pack *pack, uint64_t value)
{
	uint64_t there = value;

	transfer(pack, &there, sizeof(there));
	if (there != value)
		pack->bad = true;
}

void takt_pack_bytes(struct takt_pack *pack, void *data, size_t size_bytes)
{
	takt_pack_same(pack, size_bytes);
	transfer(pack, data, size_bytes);
}

void takt_pack_bool(struct takt_pack *pack, bool *value)
{
	uint8_t byte = *value;

	transfer(pack, &byte, sizeof(byte));
	if (byte > 1)
		pack->bad = true;
	*value = byte == 1;
}

bool takt_are_bools(const bool *first, size_t count, size_t stride_bytes)
{
	const uint8_t *byte = (const uint8_t *)first;

	for (size_t i = 0; i < count; i++, byte += stride_bytes)
		if (*byte > 1)
			return false;
	return true;
}

void takt_pack_count(struct takt_pack *pack, uint32_t *count, uint64_t most)
{
	transfer(pack, count, sizeof(*count));
	if (*count <= most)
		return;
	pack->bad = true;
	if (pack->reads)
		*count = 0;
}

void takt_pack_around(struct takt_pack *pack, void *data, size_t size_bytes,
		      const struct takt_pack_hole *holes, size_t hole_count)
{
	size_t at = 0;

	takt_pack_same(pack, size_bytes);
	for (size_t i = 0; i < hole_count; i++) {
		assert(holes[i].offset >= at);
		transfer(pack, (char *)data + at, holes[i].offset - at);
		at = holes[i].offset + holes[i].size_bytes;
	}
	transfer(pack, (char *)data + at, size_bytes - at);
}
