/* SPDX-License-Identifier: MIT */
/*
 * The memory that takt and its QEMU plugin share: one anonymous file that takt makes and
 * qemu inherits, so nothing is left when both have ended. Written by the plugin, except for
 * the words that say how far takt has read.
 *
 *	feed            who is there, how to wake takt
 *	dictionary      blocks, each registered once, before its number is used
 *	paths           of the files that blocks come from, in the order of their numbers
 *	mappings        memory that the guest asked the kernel for
 *	rings           one for each virtual processor, that is for each running thread
 *	processes       how many children there are, which are not traced
 *
 * A ring is written at `written` and takes effect with each record: takt can read what a
 * crashed guest left. Waking and waiting are for every chunk only. The last record may still
 * grow (pieces of a vector), so takt leaves it until the next one is there.
 *
 * The guest can write to all of it: it lies in its address space. takt trusts nothing that it
 * reads here, reads each word once before it checks it, and keeps for itself how far it has read.
 */
#ifndef TAKT_TRACE_FEED_H
#define TAKT_TRACE_FEED_H

#include <stdatomic.h>
#include <stddef.h>

#include "trace/record.h"

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
	uint64_t insns_begun;		       /* if they are counted one by one */
	_Alignas(64) _Atomic uint64_t read;    /* by takt */
	_Atomic uint32_t read_turn;	       /* futex: changes with `read` */
	_Atomic uint32_t waits;		       /* the plugin waits for that */
	_Alignas(4096) uint64_t records[FEED_RING_RECORDS];
};

/* Of no file, and no stack that says it is one; the latest at an address counts. */
struct feed_mapping {
	uint64_t begin, end;
};

struct feed {
	uint64_t magic;
	_Atomic uint32_t attached;	    /* the plugin is there */
	_Atomic uint32_t stopped;	    /* it gave up: takt did not read for too long */
	_Atomic uint32_t rings_missing;	    /* threads beyond FEED_RINGS: not traced */
	_Atomic uint32_t short_of_memory;   /* the plugin had none: it stopped */
	_Atomic uint32_t places_unknown;    /* it could not read what is mapped: it stopped */
	_Atomic uint32_t rings_used;	    /* 1 + the highest index that was ever used */
	_Alignas(64) _Atomic uint32_t wake; /* futex: changes when there is something to read */
	_Atomic uint32_t sleeps;	    /* takt waits for that */
	_Atomic uint32_t heartbeat;	    /* takt changes it while it reads */
	_Alignas(64) _Atomic uint64_t dictionary_written, dictionary_read; /* bytes */
	_Atomic uint32_t dictionary_turn; /* futex: changes with dictionary_read */
	_Alignas(4096) uint8_t dictionary[FEED_DICTIONARY_BYTES]; /* struct trace_block_header … */
	_Atomic uint32_t paths_end; /* bytes; set before a block names the last one */
	char paths[FEED_PATHS_BYTES]; /* each ended by a zero */
	_Atomic uint64_t heap_begin, heap_end; /* of brk; 0: not known */
	_Atomic uint32_t mapping_count; /* no more are kept than there is room for */
	struct feed_mapping mappings[FEED_MAPPINGS];
	struct feed_ring rings[FEED_RINGS];
	/*
	 * Children that the program and its children made by fork, vfork, posix_spawn or clone without
	 * CLONE_THREAD. On a page of its own, the last, which children go on to share.
	 */
	_Alignas(4096) _Atomic uint32_t processes;
};

#endif
