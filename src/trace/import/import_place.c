/* SPDX-License-Identifier: MIT */
/*
 * Makes up addresses for code that comes without any. A block is placed where the previous block
 * leads, as far as possible; where that is not known, a block with the same bytes is taken for the
 * same block, at the same address.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/import/import.h"

#define BASE UINT64_C(0x10000000)
#define IMAGE_BYTES_MAX ((uint64_t)64 << 20)
#define GAP_BYTES_MAX 4096u
#define CALLS_KEPT 64u

struct placed {
	uint64_t hash, address; /* of a block's bytes; where it was placed */
	uint64_t size_bytes;
};

struct import_places {
	uint8_t *image; /* code bytes from address BASE on */
	uint8_t *used;	/* for each byte of the image, 1 if it is code */
	uint64_t size_bytes, capacity;
	struct takt_map blocks;	 /* struct placed */
	uint64_t begin, end;	 /* addresses of the previous block */
	struct import_insn last; /* its last instruction; only its target's distance counts */
	bool any;
	uint64_t calls[CALLS_KEPT]; /* ring of return addresses of the last calls */
	uint64_t depth;
};

struct import_places *takt_import_places_new(void)
{
	struct import_places *places = takt_xcalloc(1, sizeof(*places));

	takt_map_init(&places->blocks, sizeof(struct placed), SIZE_MAX);
	return places;
}

void takt_import_places_free(struct import_places *places)
{
	if (!places)
		return;
	free(places->image);
	free(places->used);
	takt_map_release(&places->blocks);
	free(places);
}

/* ---- the image ---- */

/* Grow the image to hold a block; false if `address` is outside of the image's largest size. */
static bool reserve(struct import_places *places, uint64_t address, uint32_t size_bytes)
{
	uint64_t end = address - BASE + size_bytes, capacity;

	if (address < BASE || end > IMAGE_BYTES_MAX)
		return false;
	if (end > places->capacity) {
		capacity = 2 * end;
		places->image = takt_xrealloc(places->image, capacity, 1);
		places->used = takt_xrealloc(places->used, capacity, 1);
		memset(places->used + places->capacity, 0, capacity - places->capacity);
		places->capacity = capacity;
	}
	return true;
}

static bool is_there(const struct import_places *places, uint64_t address, const uint8_t *bytes,
		     uint32_t size_bytes)
{
	uint64_t offset = address - BASE;

	if (address < BASE || offset > places->size_bytes ||
	    size_bytes > places->size_bytes - offset)
		return false;
	return memcmp(places->image + offset, bytes, size_bytes) == 0 &&
	       !memchr(places->used + offset, 0, size_bytes);
}

static bool is_free(struct import_places *places, uint64_t address, uint32_t size_bytes)
{
	return reserve(places, address, size_bytes) &&
	       !memchr(places->used + (address - BASE), 1, size_bytes);
}

/* ---- blocks by their bytes ---- */

/* Return the address of a block with these bytes, or 0. */
static uint64_t find_block(const struct import_places *places, const uint8_t *bytes,
			   uint32_t size_bytes)
{
	const struct placed *found =
		takt_map_find(&places->blocks, takt_hash_bytes(bytes, size_bytes) | 1);

	return found && found->size_bytes == size_bytes &&
			       memcmp(places->image + (found->address - BASE), bytes, size_bytes) ==
				       0
		       ? found->address
		       : 0;
}

static void remember(struct import_places *places, const uint8_t *bytes, uint32_t size_bytes,
		     uint64_t address)
{
	struct placed *placed =
		takt_map_get(&places->blocks, takt_hash_bytes(bytes, size_bytes) | 1);

	/* Keep the first address: the blocks that followed were placed relative to it. */
	if (!placed->address) {
		placed->address = address;
		placed->size_bytes = size_bytes;
	}
}

/* ---- placing ---- */

/*
 * True if an instruction has a direct branch target. An indirect branch has its own address or
 * its end in place of the target.
 */
static bool has_target(const struct import_insn *insn)
{
	return insn->flow == TRACE_FLOW_BRANCH || insn->flow == TRACE_FLOW_JUMP ||
	       (insn->flow != TRACE_FLOW_NEXT && insn->target != insn->address &&
		insn->target != insn->address + insn->length);
}

/* Return where the previous block leads: its branch's target, or the address it returns to. */
static uint64_t wanted_place(struct import_places *places)
{
	const struct import_insn *last = &places->last;

	if (last->is_return && places->depth)
		return places->calls[--places->depth % CALLS_KEPT];
	if (has_target(last))
		return places->end + (last->target - last->address - last->length);
	return 0;
}

static uint64_t choose(struct import_places *places, const uint8_t *bytes, uint32_t size_bytes)
{
	uint64_t wanted = wanted_place(places), next_free = BASE + places->size_bytes, seen;
	bool is_fine;

	if (is_there(places, wanted, bytes, size_bytes))
		return wanted;
	if (is_there(places, places->end, bytes, size_bytes))
		return places->end;
	/* A block that led into its own middle would look as if it were interrupted there. */
	seen = find_block(places, bytes, size_bytes);
	is_fine = seen && (seen < places->begin || seen >= places->end ||
			   (places->last.flow != TRACE_FLOW_NEXT && !has_target(&places->last)));
	if (is_fine && places->last.flow != TRACE_FLOW_NEXT)
		return seen;
	if (places->last.flow != TRACE_FLOW_BRANCH && wanted &&
	    wanted < next_free + GAP_BYTES_MAX && is_free(places, wanted, size_bytes))
		return wanted;
	if (is_free(places, places->end, size_bytes))
		return places->end;
	return is_fine ? seen : next_free;
}

bool takt_import_place(struct import_places *places, const struct import_insn *last,
		       const uint8_t *bytes, uint32_t size_bytes, uint64_t *ret_address)
{
	uint64_t address = places->any ? choose(places, bytes, size_bytes) : BASE;
	uint64_t end = address - BASE + size_bytes;

	if (!is_there(places, address, bytes, size_bytes)) {
		if (!reserve(places, address, size_bytes))
			return false;
		memcpy(places->image + (address - BASE), bytes, size_bytes);
		memset(places->used + (address - BASE), 1, size_bytes);
		if (end > places->size_bytes)
			places->size_bytes = end;
		remember(places, bytes, size_bytes, address);
	}
	places->any = true;
	places->last = *last;
	places->begin = address;
	places->end = address + size_bytes;
	if (last->is_call)
		places->calls[places->depth++ % CALLS_KEPT] = places->end;
	*ret_address = address;
	return true;
}
