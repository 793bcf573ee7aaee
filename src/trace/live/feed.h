/* SPDX-License-Identifier: MIT */
/*
 * feed: the memory that takt and its QEMU plugin share, one anonymous file that takt makes and
 * qemu inherits, so that nothing is left when both have ended. The plugin writes it, except for
 * the words that say how far takt has read.
 *
 *	feed            state of both sides, and the futex that wakes takt
 *	dictionary      blocks, each registered once, before its number is used
 *	paths           paths of the files that contain the blocks, in the order of their numbers
 *	mappings        memory that the guest asked the kernel for
 *	rings           records, one ring for each virtual processor, that is, each running thread
 *	processes       number of child processes, which are not traced
 *
 * `written` of a ring advances with each record, so that takt can read what a crashed guest left.
 * Either side wakes or waits for the other only once per chunk. The last record may still grow
 * (pieces of a vector), so takt leaves it until the next one is there.
 *
 * The memory lies in the guest's address space, so the guest can write to all of it. takt trusts
 * nothing that it reads here, reads each word once before it checks it, and keeps its own copy of
 * how far it has read.
 */
#ifndef TAKT_TRACE_FEED_H
#define TAKT_TRACE_FEED_H

#include <stdatomic.h>
#include <stddef.h>

#include "trace/blocks/record.h"

#define FEED_MAGIC UINT64_C(0x34304445454654) /* "TFEED04" */
#define FEED_RINGS 1024u
#define FEED_CHUNK_RECORDS 8192u /* 64 KiB */
#define FEED_RING_RECORDS ((size_t)4 * FEED_CHUNK_RECORDS)
#define FEED_DICTIONARY_BYTES ((size_t)1 << 22)
#define FEED_PATHS_BYTES ((size_t)1 << 20)
#define FEED_PATH_BYTES_MAX 4096u
#define FEED_MAPPINGS 16384u

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

struct feed {
	uint64_t magic;
	_Atomic uint32_t attached;	    /* the plugin has started */
	_Atomic uint32_t stopped;	    /* tracing is given up: the plugin has failed, or takt
					     * did not read for too long or cannot read on */
	_Atomic uint32_t rings_missing;	    /* threads beyond FEED_RINGS, which are not traced */
	_Atomic uint32_t short_of_memory;   /* the plugin stopped: it could not allocate memory */
	_Atomic uint32_t places_unknown;    /* the plugin stopped: it could not read the mappings */
	_Atomic uint32_t rings_used;	    /* 1 + the highest index that was ever used */
	_Alignas(64) _Atomic uint32_t wake; /* futex: changes when there is something to read */
	_Atomic uint32_t sleeps;	    /* true while takt waits for `wake` */
	_Atomic uint32_t heartbeat;	    /* takt changes it while it reads */
	_Alignas(64) _Atomic uint64_t dictionary_written, dictionary_read; /* bytes */
	_Atomic uint32_t dictionary_turn; /* futex: changes with dictionary_read */
	_Alignas(4096) uint8_t dictionary[FEED_DICTIONARY_BYTES]; /* struct trace_block_header … */
	_Atomic uint32_t paths_end;   /* bytes used; set before a block names the last path */
	char paths[FEED_PATHS_BYTES]; /* each ended by a zero */
	_Atomic uint64_t heap_begin, heap_end; /* range that brk grew; 0: unknown */
	_Atomic uint32_t mapping_count;	       /* mappings beyond FEED_MAPPINGS are dropped */
	struct feed_mapping mappings[FEED_MAPPINGS];
	struct feed_ring rings[FEED_RINGS];
	/*
	 * Number of children that the program and its children made by fork, vfork, posix_spawn or
	 * clone without CLONE_THREAD. It has the last page to itself, which children keep sharing.
	 */
	_Alignas(4096) _Atomic uint32_t processes;
};

#endif
