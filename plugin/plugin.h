/* SPDX-License-Identifier: MIT */
/* takt-qemu: what a program does under qemu, written into memory that takt reads. */
#ifndef TAKT_PLUGIN_H
#define TAKT_PLUGIN_H

#include "trace/feed.h"

/* ---- ring.c ---- */

/*
 * The whole state of the plugin: qemu's callbacks bring no pointer along that could lead
 * to it. In a child of fork it is private memory, and nobody reads what goes there.
 */
extern struct feed *feed;

/* Maps the memory behind `descriptor` and closes it; false if it is not takt's. */
bool feed_attach(int descriptor);
/* Nothing more is traced; `cause` is a word of the feed that tells takt why. */
void feed_give_up(_Atomic uint32_t *cause);
/* Room in the dictionary for so many bytes, which are at most half of it: waits for takt. */
void dictionary_add(const void *data, size_t size_bytes);
/* Shows takt what was added. */
void dictionary_publish(void);
/* After the last record of a chunk. */
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

/* The number of a block, which is registered if it is new; any, once tracing stopped. Thread-safe. */
uint32_t block_register(const struct trace_block_header *header, const uint8_t *lengths,
			const uint8_t *bytes);

/* ---- places.c ---- */

/* The guest has mapped or unmapped something. */
void places_changed(void);
/* Sets the file that `address` of qemu's memory was mapped from, if it was. Thread-safe. */
void places_find(const void *address, struct trace_block_header *header);

/* ---- processes.c ---- */

/* A system call that may make a process begins, and ends. */
void processes_begin(bool is_x86, unsigned vcpu, int64_t number, uint64_t flags);
void processes_end(unsigned vcpu, int64_t result);

/* ---- mappings.c ---- */

/* A system call begins, and ends. Thread-safe. */
void mappings_begin(bool is_x86, unsigned vcpu, int64_t number, const uint64_t arguments[4]);
void mappings_end(bool is_x86, unsigned vcpu, int64_t number, int64_t result);

#endif
