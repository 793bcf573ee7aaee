/* SPDX-License-Identifier: MIT */
/* Writes into the memory shared with takt, as plugin/ring.c does, for many programs at once. */
#include <unistd.h>

#include "trace/native/native.h"

/* Wait until `*turn` differs from `seen`, a second at most; false if takt is dead. */
static bool wait_turn(struct feed_area *area, _Atomic uint32_t *turn, uint32_t seen)
{
	static const struct timespec second = {.tv_sec = 1};

	feed_futex(turn, FUTEX_WAIT, seen, &second);
	if (getppid() == area->takt)
		return true;
	atomic_store(&area->stopped, 1);
	return false;
}

static void turn(struct feed_area *area, struct feed *feed, struct feed_ring *ring,
		 uint64_t written)
{
	if (feed_has_stopped(area, feed))
		return;
	feed_wake_takt(area);
	while (!feed_ring_has_room(ring, written)) {
		uint32_t seen = atomic_load(&ring->read_turn);

		atomic_store(&ring->waits, 1);
		if (feed_has_stopped(area, feed) || (!feed_ring_has_room(ring, written) &&
						     !wait_turn(area, &ring->read_turn, seen)))
			break;
	}
	atomic_store(&ring->waits, 0);
}

void native_ring_add(struct feed_area *area, struct feed *feed, struct feed_ring *ring,
		     uint64_t record)
{
	uint64_t at = atomic_load_explicit(&ring->written, memory_order_relaxed);

	ring->records[at % FEED_RING_RECORDS] = record;
	at++;
	atomic_store_explicit(&ring->written, at, memory_order_release);
	if (at % FEED_CHUNK_RECORDS == 0)
		turn(area, feed, ring, at);
}

void native_dictionary_add(struct feed_area *area, struct feed *feed, const void *data,
			   size_t size_bytes)
{
	uint64_t end = atomic_load(&feed->dictionary_written);

	while (!feed_dictionary_has_room(feed, end, size_bytes)) {
		uint32_t seen = atomic_load(&feed->dictionary_turn);

		if (feed_has_stopped(area, feed))
			return;
		feed_wake_takt(area);
		if (!feed_dictionary_has_room(feed, end, size_bytes) &&
		    !wait_turn(area, &feed->dictionary_turn, seen))
			return;
	}
	feed_dictionary_write(feed, end, data, size_bytes);
	atomic_store(&feed->dictionary_written, end + size_bytes);
}

struct feed_ring *native_ring_open(struct feed_area *area, struct feed *feed,
				   uint32_t *ret_processor)
{
	uint32_t processor = atomic_load(&feed->rings_used);
	struct feed_ring *ring =
		processor < FEED_RINGS ? feed_take_ring(area, feed, processor) : NULL;

	if (!ring)
		return NULL;
	atomic_store(&feed->rings_used, processor + 1);
	*ret_processor = processor;
	return ring;
}

uint32_t native_slot_reserve(struct feed_area *area, const struct feed *parent)
{
	return area->follows && !feed_has_stopped(area, parent) ? feed_reserve_slot(area, parent)
								: FEED_NO_SLOT;
}
