/* SPDX-License-Identifier: MIT */
/* The shared memory: waking takt, waiting for it, stopping if takt is dead, and fork. */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "plugin.h"

#define SILENCE_SECONDS_MAX 10 /* takt is assumed dead after so long without a heartbeat */

struct feed *feed;
static pid_t parent; /* takt's process */

static long futex(_Atomic uint32_t *word, int operation, uint32_t value,
		  const struct timespec *timeout)
{
	return syscall(SYS_futex, word, operation, value, timeout, NULL, 0);
}

static void wake_takt(void)
{
	atomic_fetch_add(&feed->wake, 1);
	if (atomic_load(&feed->sleeps))
		futex(&feed->wake, FUTEX_WAKE, 1, NULL);
}

/*
 * Wait until `*turn` differs from `seen`, a second at most. False, with tracing stopped, if takt
 * is dead.
 */
static bool wait_turn(_Atomic uint32_t *turn, uint32_t seen, unsigned *silence)
{
	static const struct timespec second = {.tv_sec = 1};
	uint32_t heartbeat = atomic_load(&feed->heartbeat);

	if (futex(turn, FUTEX_WAIT, seen, &second) < 0 && errno == ETIMEDOUT &&
	    atomic_load(&feed->heartbeat) == heartbeat)
		(*silence)++;
	else
		*silence = 0;
	if (getppid() == parent && *silence < SILENCE_SECONDS_MAX)
		return true;
	atomic_store(&feed->stopped, 1);
	return false;
}

/* True if the ring has room for the next chunk. */
static bool has_room(struct feed_ring *ring, uint64_t written)
{
	return written + FEED_CHUNK_RECORDS - atomic_load(&ring->read) <= FEED_RING_RECORDS;
}

/* Once tracing has stopped, threads continue to write into the ring, but nobody reads it. */
void ring_turn(struct feed_ring *ring, uint64_t written)
{
	unsigned silence = 0;
	sigset_t all, before;

	if (atomic_load_explicit(&feed->stopped, memory_order_relaxed))
		return;
	wake_takt();
	if (has_room(ring, written))
		return;
	/* Signals must not interrupt the wait: the thread is inside a block, which qemu resumes. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	while (!has_room(ring, written)) {
		uint32_t seen = atomic_load(&ring->read_turn);

		atomic_store(&ring->waits, 1);
		if (atomic_load(&feed->stopped) ||
		    (!has_room(ring, written) && !wait_turn(&ring->read_turn, seen, &silence)))
			break;
	}
	atomic_store(&ring->waits, 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- dictionary: its writers hold a lock (blocks.c) ---- */

static uint64_t dictionary_end; /* bytes added so far, published or not */

void dictionary_add(const void *data, size_t size_bytes)
{
	size_t at = dictionary_end % FEED_DICTIONARY_BYTES;
	size_t first =
		FEED_DICTIONARY_BYTES - at < size_bytes ? FEED_DICTIONARY_BYTES - at : size_bytes;
	unsigned silence = 0;

	while (dictionary_end + size_bytes - atomic_load(&feed->dictionary_read) >
	       FEED_DICTIONARY_BYTES) {
		uint32_t seen = atomic_load(&feed->dictionary_turn);

		if (atomic_load(&feed->stopped))
			return;
		wake_takt();
		if (dictionary_end + size_bytes - atomic_load(&feed->dictionary_read) >
			    FEED_DICTIONARY_BYTES &&
		    !wait_turn(&feed->dictionary_turn, seen, &silence))
			return;
	}
	memcpy(feed->dictionary + at, data, first);
	memcpy(feed->dictionary, (const uint8_t *)data + first, size_bytes - first);
	dictionary_end += size_bytes;
}

void dictionary_publish(void)
{
	atomic_store(&feed->dictionary_written, dictionary_end);
}

/* ---- attaching ---- */

/*
 * Replace the shared memory by private memory at the same address in a child of fork, so that the
 * callbacks need no change. The page that counts processes stays shared, for children of children.
 */
static void leave_in_child(void)
{
	void *memory = mmap(feed, offsetof(struct feed, processes), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);

	if (memory == MAP_FAILED)
		_exit(127); /* better than a trace that mixes two processes */
	atomic_store(&feed->stopped, 1);
}

void feed_give_up(_Atomic uint32_t *cause)
{
	atomic_store(cause, 1);
	atomic_store(&feed->stopped, 1);
}

bool feed_attach(int descriptor)
{
	struct stat status;
	void *memory;

	if (fstat(descriptor, &status) < 0 || (size_t)status.st_size != sizeof(struct feed))
		return false;
	memory = mmap(NULL, sizeof(struct feed), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
	if (memory == MAP_FAILED)
		return false;
	close(descriptor);
	feed = memory;
	parent = getppid();
	return feed->magic == FEED_MAGIC && pthread_atfork(NULL, NULL, leave_in_child) == 0;
}
