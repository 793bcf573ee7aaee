/* SPDX-License-Identifier: MIT */
/* Writes into the memory shared with takt, as plugin/ring.c does, for many programs at once. */
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "trace/native/native.h"

static long futex(_Atomic uint32_t *word, int operation, uint32_t value,
		  const struct timespec *timeout)
{
	return syscall(SYS_futex, word, operation, value, timeout, NULL, 0);
}

static void wake_takt(struct feed_area *area)
{
	atomic_fetch_add(&area->wake, 1);
	if (atomic_load(&area->sleeps))
		futex(&area->wake, FUTEX_WAKE, 1, NULL);
}

bool native_has_stopped(const struct feed_area *area, const struct feed *feed)
{
	return atomic_load_explicit(&feed->stopped, memory_order_relaxed) ||
	       atomic_load_explicit(&area->stopped, memory_order_relaxed);
}

/* Wait until `*turn` differs from `seen`, a second at most; false if takt is dead. */
static bool wait_turn(struct feed_area *area, _Atomic uint32_t *turn, uint32_t seen)
{
	static const struct timespec second = {.tv_sec = 1};

	futex(turn, FUTEX_WAIT, seen, &second);
	if (getppid() == area->takt)
		return true;
	atomic_store(&area->stopped, 1);
	return false;
}

static bool has_room(struct feed_ring *ring, uint64_t written)
{
	return written + FEED_CHUNK_RECORDS - atomic_load(&ring->read) <= FEED_RING_RECORDS;
}

static void turn(struct feed_area *area, struct feed *feed, struct feed_ring *ring,
		 uint64_t written)
{
	if (native_has_stopped(area, feed))
		return;
	wake_takt(area);
	while (!has_room(ring, written)) {
		uint32_t seen = atomic_load(&ring->read_turn);

		atomic_store(&ring->waits, 1);
		if (native_has_stopped(area, feed) ||
		    (!has_room(ring, written) && !wait_turn(area, &ring->read_turn, seen)))
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
	size_t at = end % FEED_DICTIONARY_BYTES;
	size_t first =
		FEED_DICTIONARY_BYTES - at < size_bytes ? FEED_DICTIONARY_BYTES - at : size_bytes;

	while (end + size_bytes - atomic_load(&feed->dictionary_read) > FEED_DICTIONARY_BYTES) {
		uint32_t seen = atomic_load(&feed->dictionary_turn);

		if (native_has_stopped(area, feed))
			return;
		wake_takt(area);
		if (end + size_bytes - atomic_load(&feed->dictionary_read) >
			    FEED_DICTIONARY_BYTES &&
		    !wait_turn(area, &feed->dictionary_turn, seen))
			return;
	}
	memcpy(feed->dictionary + at, data, first);
	memcpy(feed->dictionary, (const uint8_t *)data + first, size_bytes - first);
	atomic_store(&feed->dictionary_written, end + size_bytes);
}

struct feed_ring *native_ring_open(struct feed_area *area, struct feed *feed,
				   uint32_t *ret_processor)
{
	uint32_t processor = atomic_load(&feed->rings_used);

	if (processor >= FEED_RINGS)
		return NULL;
	for (uint32_t i = 0; i < FEED_RINGS; i++) {
		uint32_t none = 0;

		if (atomic_load_explicit(&area->ring_taken[i], memory_order_relaxed) ||
		    !atomic_compare_exchange_strong(&area->ring_taken[i], &none, 1))
			continue;
		atomic_store(&feed->rings[processor], i + 1);
		atomic_store(&feed->rings_used, processor + 1);
		*ret_processor = processor;
		return &area->rings[i];
	}
	return NULL;
}

uint32_t native_slot_reserve(struct feed_area *area, const struct feed *parent)
{
	if (!area->follows || native_has_stopped(area, parent))
		return FEED_NO_SLOT;
	for (uint32_t i = 0; i < FEED_SLOTS; i++) {
		struct feed *slot = &area->slots[i];
		uint32_t free_state = FEED_FREE;

		if (!atomic_compare_exchange_strong(&slot->state, &free_state, FEED_RESERVED))
			continue;
		slot->number = atomic_fetch_add(&area->next_number, 1);
		slot->parent = parent->number;
		if (slot->number < FEED_PROCESSES_MAX)
			return i;
		atomic_store(&area->next_number, FEED_PROCESSES_MAX);
		atomic_store(&slot->state, FEED_FREE);
		break;
	}
	return FEED_NO_SLOT;
}
