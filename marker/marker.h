/* SPDX-License-Identifier: MIT */
/*
 * libtakt-marker: regions of a program, told to whoever counts it. The counter says by the
 * environment what it wants; docs/formats.md, "Markers", has the words.
 *
 *	marker.c     names, threads, what is entered
 *	emulated.c   to a trace: system calls that no kernel has
 *	counters.c   perf_event_open on each thread; what they said, into a file
 */
#ifndef TAKT_MARKER_PRIVATE_H
#define TAKT_MARKER_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define REGIONS_MAX 256
#define EVENTS_MAX 64
#define NAME_SIZE 100

/* A counter as it stands: how often, and for how long it was wanted and did count (ns). */
struct reading {
	uint64_t value, enabled, running;
};

struct thread_region {
	uint32_t depth; /* entered so often and not left */
	uint64_t entries;
	uint64_t begun_ns, spent_ns;
	struct reading *begun, *spent; /* of each event; NULL: none are open */
};

/* Lives until the program ends, so that what a thread counted outlives it. */
struct thread {
	struct thread *next;
	uint32_t number; /* in the order of their first marker */
	int counters[EVENTS_MAX]; /* file descriptors, or -1 */
	bool has_counters;
	struct thread_region regions[REGIONS_MAX];
};

/* ---- emulated.c ---- */

void emulated_define(uint32_t region, const char *name);
void emulated_start(uint32_t region);
void emulated_stop(uint32_t region);

/* ---- counters.c ---- */

/* What the environment asks for; false: nothing that is understood. */
bool counters_configure(const char *events);
uint32_t counters_count(void);
void counters_open(struct thread *thread);
void counters_close(struct thread *thread);
void counters_start(struct thread *thread, struct thread_region *region);
void counters_stop(struct thread *thread, struct thread_region *region);
void counters_write(FILE *file, const char *name, const struct thread *thread,
		    const struct thread_region *region);

#endif
