/* SPDX-License-Identifier: MIT */
/*
 * feed: the memory that takt and its QEMU plugin share, one anonymous file that takt makes and
 * qemu inherits, so that nothing is left when all have ended. The plugin writes it, except for
 * the words that say how far takt has read.
 *
 *	feed_area       what concerns all processes, and the futex that wakes takt
 *	slots           one struct feed for each process that is followed at present:
 *	  dictionary    blocks, each registered once, before its number is used
 *	  paths         paths of the files that contain the blocks, in the order of their numbers
 *	  mappings      memory that the guest asked the kernel for
 *	rings           records, one ring for each running thread, whichever process it is of
 *
 * `written` of a ring advances with each record, so that takt can read what a crashed guest left.
 * Either side wakes or waits for the other only once per chunk. The last record may still grow
 * (pieces of a vector), so takt leaves it until the next one is there.
 *
 * A slot belongs to one program of one process. Whoever makes a process (fork), or replaces its
 * program (exec), reserves a slot first: FREE to RESERVED. The new program takes it, to RUNS, or
 * its maker gives it back if the call fails. takt clears it when the program has ended and all is
 * read. So a process that dies at any point leaves a slot whose owner takt knows.
 *
 * The memory lies in the guest's address space, so the guest can write to all of it. takt trusts
 * nothing that it reads here, reads each word once before it checks it, and keeps its own copy of
 * how far it has read.
 */
#ifndef TAKT_TRACE_FEED_H
#define TAKT_TRACE_FEED_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "trace/blocks/record.h"

#define FEED_MAGIC UINT64_C(0x38304445454654) /* "TFEED08" */
#define FEED_RINGS 1024u
#define FEED_CHUNK_RECORDS 8192u /* 64 KiB */
#define FEED_RING_RECORDS ((size_t)4 * FEED_CHUNK_RECORDS)
#define FEED_DICTIONARY_BYTES ((size_t)1 << 22)
#define FEED_PATHS_BYTES ((size_t)1 << 20)
#define FEED_PATH_BYTES_MAX 4096u
#define FEED_MAPPINGS 16384u
#define FEED_SLOTS 128u		  /* programs followed at the same time */
#define FEED_PROCESSES_MAX 65536u /* programs followed from begin to end */
#define FEED_COMMAND_BYTES 4096u
#define FEED_LAUNCH_BYTES 16384u
#define FEED_LOST_BYTES 256u
#define FEED_NO_SLOT UINT32_MAX

struct feed_ring {
	_Alignas(64) _Atomic uint64_t written; /* records, since the start */
	uint64_t insns_begun;		       /* instructions, if they are counted one by one */
	_Alignas(64) _Atomic uint64_t read;    /* records that takt has read, since the start */
	_Atomic uint32_t read_turn;	       /* futex: changes with `read` */
	_Atomic uint32_t waits;		       /* true while the plugin waits for `read_turn` */
	_Alignas(4096) uint64_t records[FEED_RING_RECORDS];
};

/*
 * Anonymous memory that the guest mapped, unless it was mapped as a stack. The latest mapping of
 * an address counts.
 */
struct feed_mapping {
	uint64_t begin, end;
};

enum feed_state { FEED_FREE, FEED_RESERVED, FEED_RUNS };

/* Origin of a program: takt, a fork of its parent, or an exec in its parent's place. */
enum feed_begin { FEED_STARTED, FEED_FORKED, FEED_EXECUTED };

/* Reasons not to follow the program that a process became. */
enum feed_lost {
	FEED_FOLLOWED,
	FEED_LOST_UNWANTED,   /* children are not followed */
	FEED_LOST_FOREIGN,    /* it is for another instruction set, or no ELF file */
	FEED_LOST_PRIVILEGED, /* it runs as another user or group */
	FEED_LOST_FULL,	      /* too many programs run at once, or ran */
	FEED_LOST_UNKNOWN,    /* qemu could not be started with it */
	FEED_LOST_COUNT
};

/* Reasons for which parts of a program could not be traced. */
enum feed_parts_failure {
	FEED_PARTS_FINE,
	FEED_PARTS_NO_BREAKPOINTS, /* the system does not grant the processor's breakpoints */
	FEED_PARTS_TOO_MANY,	   /* the functions are at more places than there are breakpoints */
};

/* Memory that a process and takt share. Words up to `stopped` are written before RUNS. */
struct feed {
	_Atomic uint32_t state;	      /* enum feed_state */
	uint32_t number;	      /* of the program, in the order of reservation */
	uint32_t parent;	      /* number of the program that made it; its own: takt did */
	uint32_t begin;		      /* enum feed_begin */
	int32_t process;	      /* its process identifier */
	uint32_t parent_blocks;	      /* blocks of its parent that it has, too: if FORKED */
	uint32_t command_bytes;	      /* bytes of `command`, each word ended by a zero */
	_Atomic uint32_t stopped;     /* tracing of this process is given up */
	_Atomic uint32_t lost;	      /* enum feed_lost, of the program that it becomes */
	_Atomic uint32_t exit_status; /* 1 + the status that the program has ended with; 0: none */
	_Atomic uint32_t rings_missing;	    /* threads for which there was no ring */
	_Atomic uint32_t short_of_memory;   /* the plugin stopped: it could not allocate memory */
	_Atomic uint32_t places_unknown;    /* the plugin stopped: it could not read the mappings */
	_Atomic uint32_t rings_used;	    /* 1 + the highest virtual processor that ever ran */
	_Atomic uint32_t rings[FEED_RINGS]; /* [virtual processor] 1 + the ring; 0: none */
	char command[FEED_COMMAND_BYTES];   /* if EXECUTED */
	char lost_path[FEED_LOST_BYTES];    /* the program that it becomes, if that is lost */
	_Alignas(64) _Atomic uint64_t dictionary_written, dictionary_read; /* bytes */
	_Atomic uint32_t dictionary_turn; /* futex: changes with dictionary_read */
	_Alignas(4096) uint8_t dictionary[FEED_DICTIONARY_BYTES]; /* struct trace_block_header … */
	_Atomic uint32_t paths_end;   /* bytes used; set before a block names the last path */
	char paths[FEED_PATHS_BYTES]; /* each ended by a zero */
	_Atomic uint64_t heap_begin, heap_end; /* range that brk grew; 0: unknown */
	_Atomic uint32_t mapping_count;	       /* mappings beyond FEED_MAPPINGS are dropped */
	_Alignas(4096) struct feed_mapping mappings[FEED_MAPPINGS];
};

struct feed_area {
	uint64_t magic;
	int32_t takt;	    /* takt's process */
	int32_t descriptor; /* of this memory, in takt */
	bool follows;	    /* children are followed */
	uint32_t launch_bytes;
	/* The words that run a program under qemu, up to the plugin's option, each with a zero. */
	char launch[FEED_LAUNCH_BYTES];
	_Atomic uint32_t attached; /* a plugin has started, or the tracer its program */
	_Atomic uint32_t failed;   /* error number with which the tracer failed; 0: none */
	_Atomic uint32_t acted;	   /* a guest did what others may see (system calls) */
	_Atomic uint32_t stopped;  /* takt does not read on */
	/* These four belong to a native run of which only parts are traced. */
	_Atomic uint32_t parts_failed;	    /* enum feed_parts_failure */
	_Atomic uint32_t functions_found;   /* mask of those that some program has */
	_Atomic uint64_t part_count;	    /* entries into functions, or windows */
	_Atomic uint64_t unseen_ns;	    /* processor time between the parts, of all threads */
	_Alignas(64) _Atomic uint32_t wake; /* futex: changes when there is something to read */
	_Atomic uint32_t sleeps;	    /* true while takt waits for `wake` */
	_Atomic uint32_t next_number;	    /* of a program */
	_Atomic uint32_t processes;	    /* processes that were made and are not followed */
	_Atomic uint32_t ring_taken[FEED_RINGS];
	_Alignas(4096) struct feed slots[FEED_SLOTS];
	_Alignas(4096) struct feed_ring rings[FEED_RINGS];
};

/* Return the file's number in the feed, which is added if it is new; 0: there is no room. */
static inline uint32_t feed_file_number(struct feed *feed, const char *path)
{
	uint32_t end = atomic_load(&feed->paths_end), number = 1;
	size_t size = strlen(path) + 1;

	for (uint32_t at = 0; at < end; number++) {
		if (strcmp(feed->paths + at, path) == 0)
			return number;
		at += (uint32_t)strlen(feed->paths + at) + 1;
	}
	if (size > FEED_PATH_BYTES_MAX || size > FEED_PATHS_BYTES - end)
		return 0;
	memcpy(feed->paths + end, path, size);
	atomic_store(&feed->paths_end, end + (uint32_t)size);
	return number;
}

/* Return the path of a file's number, or NULL: it has none. */
static inline const char *feed_file_path(const struct feed *feed, uint32_t number)
{
	uint32_t end = atomic_load(&feed->paths_end), at = 0;

	for (uint32_t i = 1; i < number && at < end; i++)
		at += (uint32_t)strlen(feed->paths + at) + 1;
	return number && at < end ? feed->paths + at : NULL;
}

static inline long feed_futex(_Atomic uint32_t *word, int operation, uint32_t value,
			      const struct timespec *timeout)
{
	return syscall(SYS_futex, word, operation, value, timeout, NULL, 0);
}

/* ---- for those who write: the plugin, and the tracer of native programs ---- */

static inline void feed_wake_takt(struct feed_area *area)
{
	atomic_fetch_add(&area->wake, 1);
	if (atomic_load(&area->sleeps))
		feed_futex(&area->wake, FUTEX_WAKE, 1, NULL);
}

/* True once nobody reads what is written. */
static inline bool feed_has_stopped(const struct feed_area *area, const struct feed *feed)
{
	return atomic_load_explicit(&feed->stopped, memory_order_relaxed) ||
	       atomic_load_explicit(&area->stopped, memory_order_relaxed);
}

/* Reserve a slot, as this process's, for a program that `parent` makes; FEED_NO_SLOT if there is
 * none. */
static inline uint32_t feed_reserve_slot(struct feed_area *area, const struct feed *parent)
{
	for (uint32_t i = 0; i < FEED_SLOTS; i++) {
		struct feed *slot = &area->slots[i];
		uint32_t free_state = FEED_FREE;

		if (atomic_load_explicit(&slot->state, memory_order_relaxed) != FEED_FREE ||
		    !atomic_compare_exchange_strong(&slot->state, &free_state, FEED_RESERVED))
			continue;
		slot->process = getpid();
		slot->parent = parent->number;
		slot->number = atomic_fetch_add(&area->next_number, 1);
		if (slot->number < FEED_PROCESSES_MAX)
			return i;
		atomic_store(&area->next_number, FEED_PROCESSES_MAX);
		atomic_store(&slot->state, FEED_FREE);
		break;
	}
	return FEED_NO_SLOT;
}

/* Take a ring that nobody has, for a virtual processor; NULL if there is none. */
static inline struct feed_ring *feed_take_ring(struct feed_area *area, struct feed *feed,
					       uint32_t processor)
{
	for (uint32_t i = 0; i < FEED_RINGS; i++) {
		uint32_t none = 0;

		if (atomic_load_explicit(&area->ring_taken[i], memory_order_relaxed) ||
		    !atomic_compare_exchange_strong(&area->ring_taken[i], &none, 1))
			continue;
		atomic_store(&feed->rings[processor], i + 1);
		return &area->rings[i];
	}
	return NULL;
}

/* True if the ring has room for the next chunk. */
static inline bool feed_ring_has_room(struct feed_ring *ring, uint64_t written)
{
	return written + FEED_CHUNK_RECORDS - atomic_load(&ring->read) <= FEED_RING_RECORDS;
}

/* True if the dictionary, of which `end` bytes are written, has room for so many more. */
static inline bool feed_dictionary_has_room(struct feed *feed, uint64_t end, size_t size_bytes)
{
	return end + size_bytes - atomic_load(&feed->dictionary_read) <= FEED_DICTIONARY_BYTES;
}

/* Write bytes behind the `end` that are there, around the end of the dictionary's memory. */
static inline void feed_dictionary_write(struct feed *feed, uint64_t end, const void *data,
					 size_t size_bytes)
{
	size_t at = end % FEED_DICTIONARY_BYTES;
	size_t first =
		FEED_DICTIONARY_BYTES - at < size_bytes ? FEED_DICTIONARY_BYTES - at : size_bytes;

	memcpy(feed->dictionary + at, data, first);
	memcpy(feed->dictionary, (const uint8_t *)data + first, size_bytes - first);
}

static inline void feed_add_mapping(struct feed *feed, uint64_t begin, uint64_t end)
{
	uint32_t count = atomic_load(&feed->mapping_count);

	if (count == FEED_MAPPINGS)
		return;
	feed->mappings[count] = (struct feed_mapping){begin, end};
	atomic_store(&feed->mapping_count, count + 1);
}

/* Record the end of the heap. The first call of brk only asks for it: the heap begins there. */
static inline void feed_move_break(struct feed *feed, uint64_t end)
{
	if (!atomic_load(&feed->heap_begin))
		atomic_store(&feed->heap_begin, end);
	if (end > atomic_load(&feed->heap_end))
		atomic_store(&feed->heap_end, end);
}

#endif
