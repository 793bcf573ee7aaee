/* SPDX-License-Identifier: MIT */
/* takt-qemu: records what a program does under qemu in shared memory that takt reads. */
#ifndef TAKT_PLUGIN_H
#define TAKT_PLUGIN_H

#include "trace/live/feed.h"

/* ---- ring.c ---- */

/*
 * The shared memory; this process's slot in it; and the ring of each virtual processor. They are
 * globals because qemu's callbacks have no argument that could lead to them. In a process that is
 * not followed, slot and rings are private memory, and nobody reads what is written to them.
 */
extern struct feed_area *area;
extern struct feed *feed;
extern struct feed_ring *rings[FEED_RINGS];

/* Map the memory of `descriptor` and close it; false if the memory is not takt's. */
bool feed_attach(int descriptor, uint32_t slot);
/* True if processes and programs that this process makes are to be followed. */
bool feed_follows(void);
/*
 * In a child of fork: take the slot that was reserved for it, with a ring for the thread that is
 * left, or leave the trace if it is FEED_NO_SLOT.
 */
void feed_enter(uint32_t slot, unsigned vcpu, uint32_t known_blocks);
/* Leave the trace: the program runs on without being traced. */
void feed_leave(void);
/* Stop tracing; `cause` is the word of the feed that tells takt why. */
void feed_give_up(_Atomic uint32_t *cause);
/* Reserve a slot for a program to come; FEED_NO_SLOT if there is none. */
uint32_t slot_reserve(enum feed_begin begin);
/* Give a reserved slot back, if it is one. */
void slot_give_back(uint32_t slot);
/* Add bytes, at most half of the dictionary's size, to it; waits until takt has made room. */
void dictionary_add(const void *data, size_t size_bytes);
/* Make the added bytes visible to takt. */
void dictionary_publish(void);
/* Give a virtual processor a ring, if it has none; false if there is none. */
bool ring_open(unsigned vcpu);
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
/* Return how many blocks are registered. */
uint32_t blocks_count(void);
/* Hold the table while the process forks: a child would find it locked for ever. */
void blocks_lock(void);
void blocks_unlock(void);

/* ---- places.c ---- */

/* Note that the guest has mapped or unmapped memory. */
void places_changed(void);
/* Set the file from which `address` in qemu's memory was mapped, if any. Thread-safe. */
void places_find(const void *address, struct trace_block_header *header);
void places_lock(void);
void places_unlock(void);

/* ---- effects.c ---- */

/* Note that the guest's system call is one that others may see, if it is. */
void effects_note(bool is_x86, int64_t number, const uint64_t arguments[4]);

/* ---- processes.c ---- */

/* Prepare for forks; false if that fails. */
bool processes_init(void);
/* Return the number of the next thread of this process. */
uint32_t processes_new_thread(void);
/* Note the begin and end of a system call, which may create a process, or end this one. */
void processes_begin(bool is_x86, unsigned vcpu, int64_t number, uint64_t argument);
void processes_end(int64_t result);

/* ---- programs.c ---- */

/* Arguments of the system call exec, as addresses of the guest. */
struct program_call {
	int folder; /* of a relative path: a descriptor, or AT_FDCWD */
	uint64_t path, words, variables;
};

/* Note where the guest's address 0 is in qemu's memory. */
void programs_set_base(uint64_t base);
/* The machine of the guest's ELF files. */
void programs_set_machine(uint16_t machine);
/* If the system call is exec, run the new program under qemu, too; returns if that is not done. */
void programs_begin(bool is_x86, int64_t number, const uint64_t arguments[4]);
/* Note that the system call has come back. */
void programs_end(bool is_x86, int64_t number);

/* ---- mappings.c ---- */

/* Note the begin and end of a system call, which may map memory. Thread-safe. */
void mappings_begin(bool is_x86, unsigned vcpu, int64_t number, const uint64_t arguments[4]);
void mappings_end(bool is_x86, unsigned vcpu, int64_t number, int64_t result);
void mappings_lock(void);
void mappings_unlock(void);

#endif
