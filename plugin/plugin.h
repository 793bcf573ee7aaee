/* SPDX-License-Identifier: MIT */
/* takt-qemu: records what a program does under qemu in shared memory that takt reads. */
#ifndef TAKT_PLUGIN_H
#define TAKT_PLUGIN_H

#include "trace/live/feed.h"

/* ---- ring.c ---- */

/*
 * The shared memory. It is a global because qemu's callbacks have no argument that could lead
 * to it. In a child of fork it is private memory, and nobody reads what is written to it.
 */
extern struct feed *feed;

/* Map the memory of `descriptor` and close it; false if the memory is not takt's. */
bool feed_attach(int descriptor);
/* Stop tracing; `cause` is the word of the feed that tells takt why. */
void feed_give_up(_Atomic uint32_t *cause);
/* Add bytes, at most half of the dictionary's size, to it; waits until takt has made room. */
void dictionary_add(const void *data, size_t size_bytes);
/* Make the added bytes visible to takt. */
void dictionary_publish(void);
/* Wake takt after the last record of a chunk, and wait until there is room for the next one. */
void ring_turn(struct feed_ring *ring, uint64_t written);

static inline void ring_add(struct feed_ring *ring, uint64_t record)
{
	uint64_t at = atomic_load_explicit(&ring->written, memory_order_relaxed);

	ring->records[at % FEED_RING_RECORDS] = record;
	at++;
	atomic_store_explicit(&ring->written, at, memory_order_release);
	if (__builtin_expect(at % FEED_CHUNK_RECORDS == 0, 0))
		ring_turn(ring, at);
}

/* ---- blocks.c ---- */

/*
 * Return the number of a block, which is registered if it is new; the number has no meaning once
 * tracing has stopped. Thread-safe.
 */
uint32_t block_register(const struct trace_block_header *header, const uint8_t *lengths,
			const uint8_t *bytes);

/* ---- places.c ---- */

/* Note that the guest has mapped or unmapped memory. */
void places_changed(void);
/* Set the file from which `address` in qemu's memory was mapped, if any. Thread-safe. */
void places_find(const void *address, struct trace_block_header *header);

/* ---- processes.c ---- */

/* Note the begin and end of a system call, which may create a process. */
void processes_begin(bool is_x86, unsigned vcpu, int64_t number, uint64_t flags);
void processes_end(unsigned vcpu, int64_t result);

/* ---- mappings.c ---- */

/* Note the begin and end of a system call, which may map memory. Thread-safe. */
void mappings_begin(bool is_x86, unsigned vcpu, int64_t number, const uint64_t arguments[4]);
void mappings_end(bool is_x86, unsigned vcpu, int64_t number, int64_t result);

#endif
