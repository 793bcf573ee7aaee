/* SPDX-License-Identifier: MIT */
/* What the tracer writes into the memory shared with takt. */
#include <stdlib.h>
#include <string.h>

#include "native_fixture.h"

static void check_rings(struct feed_area *area)
{
	struct feed *feed = &area->slots[0], *other = &area->slots[1];
	uint32_t first = 9, second = 9, third = 9;
	struct feed_ring *ring = native_ring_open(area, feed, &first), *again;

	again = native_ring_open(area, feed, &second);
	ok(ring && again && ring != again && first == 0 && second == 1 &&
		   atomic_load(&feed->rings_used) == 2,
	   "each thread has a ring and a number");
	ok(native_ring_open(area, other, &third) == &area->rings[2] && third == 0 &&
		   atomic_load(&other->rings[0]) == 3,
	   "programs share the rings, and number for themselves");
	native_ring_add(area, feed, ring, 5);
	native_ring_add(area, feed, ring, 6);
	ok(atomic_load(&ring->written) == 2 && ring->records[0] == 5 && ring->records[1] == 6,
	   "records follow each other");
	for (unsigned i = 2; i < 3 * FEED_CHUNK_RECORDS; i++)
		native_ring_add(area, feed, ring, i);
	ok(atomic_load(&area->wake) == 3, "takt is woken once per chunk");
	atomic_store(&area->stopped, 1);
	for (unsigned i = 0; i < 3 * FEED_CHUNK_RECORDS; i++)
		native_ring_add(area, feed, ring, i);
	ok(feed_has_stopped(area, feed), "once takt has stopped, nothing waits for it");
	atomic_store(&area->stopped, 0);
	for (unsigned i = 3; i < FEED_RINGS; i++)
		native_ring_open(area, other, &third);
	ok(!native_ring_open(area, other, &third), "there is no ring beyond the last one");
}

static void check_dictionary(struct feed_area *area)
{
	struct feed *feed = &area->slots[2];
	char data[48];

	memset(data, 'x', sizeof(data));
	atomic_store(&feed->dictionary_written, FEED_DICTIONARY_BYTES - 16);
	atomic_store(&feed->dictionary_read, FEED_DICTIONARY_BYTES - 16);
	native_dictionary_add(area, feed, data, sizeof(data));
	ok(atomic_load(&feed->dictionary_written) == FEED_DICTIONARY_BYTES + 32 &&
		   feed->dictionary[FEED_DICTIONARY_BYTES - 1] == 'x' &&
		   feed->dictionary[31] == 'x' && feed->dictionary[32] == 0,
	   "an entry wraps around the end of the dictionary");
}

static void check_slots(struct feed_area *area)
{
	struct feed *parent = &area->slots[0];
	uint32_t slot;

	atomic_store(&parent->state, FEED_RUNS);
	parent->number = 7;
	slot = native_slot_reserve(area, parent);
	ok(slot == 1 && atomic_load(&area->slots[1].state) == FEED_RESERVED &&
		   area->slots[1].number == 1 && area->slots[1].parent == 7,
	   "a slot is reserved for a child");
	area->follows = false;
	ok(native_slot_reserve(area, parent) == FEED_NO_SLOT, "but not if none is followed");
	area->follows = true;
	atomic_store(&area->next_number, FEED_PROCESSES_MAX);
	ok(native_slot_reserve(area, parent) == FEED_NO_SLOT &&
		   atomic_load(&area->slots[2].state) == FEED_FREE,
	   "nor beyond the number that can be followed in all");
}

int main(void)
{
	struct feed_area *area = new_area();

	check_rings(area);
	check_dictionary(area);
	check_slots(area);
	return tap_done();
}
