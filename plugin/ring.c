/* SPDX-License-Identifier: MIT */
/* The shared memory: waking takt, waiting for it, stopping if takt is dead, and fork. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin.h"

#define STAT_BYTES_MAX 512 /* of a process's line in /proc; its state comes early */

struct feed_area *area;
struct feed *feed;
struct feed_ring *rings[FEED_RINGS];
static bool follows;	     /* this process is followed */
static bool takt_was_parent; /* this process was made by takt */

/*
 * True if takt's process is there, stopped or not, and no zombie. A program that may open no files,
 * as one that confines itself, cannot tell a zombie.
 */
static bool takt_is_there(void)
{
	char path[32], text[STAT_BYTES_MAX];
	const char *state;
	ssize_t size;
	int file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)area->takt);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return kill(area->takt, 0) == 0 || errno == EPERM;
	size = read(file, text, sizeof(text) - 1);
	close(file);
	text[size > 0 ? size : 0] = '\0';
	state = strrchr(text, ')');
	return !state || state[1] != ' ' || (state[2] != 'Z' && state[2] != 'X');
}

/* True unless takt has gone: this process's parent, or another process above it. */
static bool takt_lives(void)
{
	return getppid() == area->takt || (!takt_was_parent && takt_is_there());
}

static bool has_stopped(void)
{
	return feed_has_stopped(area, feed);
}

/*
 * Wait until `*turn` differs from `seen`, a second at most. False, with tracing stopped, if takt
 * is dead. A takt that was stopped, or waits for a reader of its log, is not: the program waits
 * with it, however long that takes.
 */
static bool wait_turn(_Atomic uint32_t *turn, uint32_t seen)
{
	static const struct timespec second = {.tv_sec = 1};

	feed_futex(turn, FUTEX_WAIT, seen, &second);
	if (takt_lives())
		return true;
	atomic_store(&feed->stopped, 1);
	return false;
}

/* Once tracing has stopped, threads continue to write into the ring, but nobody reads it. */
void ring_turn(struct feed_ring *ring, uint64_t written)
{
	sigset_t all, before;

	if (has_stopped())
		return;
	feed_wake_takt(area);
	if (feed_ring_has_room(ring, written))
		return;
	/* Signals must not interrupt the wait: the thread is inside a block, which qemu resumes. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	while (!feed_ring_has_room(ring, written)) {
		uint32_t seen = atomic_load(&ring->read_turn);

		atomic_store(&ring->waits, 1);
		if (has_stopped() ||
		    (!feed_ring_has_room(ring, written) && !wait_turn(&ring->read_turn, seen)))
			break;
	}
	atomic_store(&ring->waits, 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- dictionary: its writers hold a lock (blocks.c) ---- */

static uint64_t dictionary_end; /* bytes added so far, published or not */

void dictionary_add(const void *data, size_t size_bytes)
{
	while (!feed_dictionary_has_room(feed, dictionary_end, size_bytes)) {
		uint32_t seen = atomic_load(&feed->dictionary_turn);

		if (has_stopped())
			return;
		feed_wake_takt(area);
		if (!feed_dictionary_has_room(feed, dictionary_end, size_bytes) &&
		    !wait_turn(&feed->dictionary_turn, seen))
			return;
	}
	feed_dictionary_write(feed, dictionary_end, data, size_bytes);
	dictionary_end += size_bytes;
}

void dictionary_publish(void)
{
	atomic_store(&feed->dictionary_written, dictionary_end);
}

/* ---- rings of threads ---- */

bool ring_open(unsigned vcpu)
{
	uint32_t used = atomic_load(&feed->rings_used);

	if (!follows || vcpu >= FEED_RINGS)
		return false;
	if (!atomic_load(&feed->rings[vcpu])) {
		struct feed_ring *ring = feed_take_ring(area, feed, vcpu);

		if (!ring)
			return false;
		rings[vcpu] = ring;
	}
	while (used <= vcpu && !atomic_compare_exchange_weak(&feed->rings_used, &used, vcpu + 1))
		;
	return true;
}

/* Give back the only ring of a process that cannot begin. */
static void return_ring(unsigned vcpu)
{
	uint32_t ring = atomic_exchange(&feed->rings[vcpu], 0);

	atomic_store(&feed->rings_used, 0);
	if (!ring)
		return;
	atomic_store(&rings[vcpu]->written, 0);
	atomic_store(&area->ring_taken[ring - 1], 0);
}

/* ---- processes ---- */

bool feed_follows(void)
{
	return follows && area->follows && !has_stopped();
}

uint32_t slot_reserve(enum feed_begin begin)
{
	uint32_t slot = feed_follows() ? feed_reserve_slot(area, feed) : FEED_NO_SLOT;

	if (slot != FEED_NO_SLOT)
		area->slots[slot].begin = begin;
	return slot;
}

void slot_give_back(uint32_t slot)
{
	uint32_t reserved = FEED_RESERVED;

	if (slot != FEED_NO_SLOT)
		atomic_compare_exchange_strong(&area->slots[slot].state, &reserved, FEED_FREE);
}

/* Go on without being traced: callbacks write to private memory that nobody reads. */
void feed_leave(void)
{
	static struct feed_ring *nowhere;
	struct feed *own = mmap(NULL, sizeof(*own), PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (!nowhere)
		nowhere = mmap(NULL, sizeof(*nowhere), PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (own == MAP_FAILED || nowhere == MAP_FAILED)
		_exit(127); /* better than a trace that mixes two processes */
	for (uint32_t i = 0; i < FEED_RINGS; i++)
		rings[i] = nowhere;
	atomic_store(&own->stopped, 1);
	feed = own;
	follows = false;
}

static bool take_slot(uint32_t slot)
{
	uint32_t reserved = FEED_RESERVED;

	return atomic_compare_exchange_strong(&area->slots[slot].state, &reserved, FEED_RUNS);
}

void feed_enter(uint32_t slot, unsigned vcpu, uint32_t known_blocks)
{
	takt_was_parent = false;
	dictionary_end = 0;
	if (slot == FEED_NO_SLOT) {
		feed_leave();
		return;
	}
	feed = &area->slots[slot];
	feed->process = getpid();
	feed->parent_blocks = known_blocks;
	if (ring_open(vcpu)) {
		ring_add(rings[vcpu], trace_record(TRACE_KIND_START, 0));
		if (take_slot(slot))
			return;
		return_ring(vcpu);
	}
	feed_leave();
	slot_give_back(slot);
	atomic_fetch_add(&area->processes, 1);
}

void feed_give_up(_Atomic uint32_t *cause)
{
	atomic_store(cause, 1);
	atomic_store(&feed->stopped, 1);
}

bool feed_attach(int descriptor, uint32_t slot)
{
	struct stat status;
	void *memory;

	if (fstat(descriptor, &status) < 0 || (size_t)status.st_size != sizeof(struct feed_area))
		return false;
	memory = mmap(NULL, sizeof(struct feed_area), PROT_READ | PROT_WRITE, MAP_SHARED,
		      descriptor, 0);
	if (memory == MAP_FAILED)
		return false;
	close(descriptor);
	area = memory;
	if (area->magic != FEED_MAGIC || slot >= FEED_SLOTS)
		return false;
	takt_was_parent = getppid() == area->takt;
	follows = true;
	feed = &area->slots[slot];
	feed->process = getpid();
	if (!take_slot(slot))
		feed_leave();
	return true;
}
