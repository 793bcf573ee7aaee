/* SPDX-License-Identifier: MIT */
/*
 * libtakt-marker: reports a program's regions to the tool that counts it. The tool selects the
 * kind of counting with environment variables; docs/formats/events.md, "Markers", describes them.
 *
 *	marker.c     names of regions, threads, begin and end of regions
 *	emulated.c   reports to a trace, with system calls that no kernel has
 *	counters.c   perf_event_open on each thread; writes the counts to a file
 */
#ifndef TAKT_MARKER_PRIVATE_H
#define TAKT_MARKER_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define REGIONS_MAX 256
#define EVENTS_MAX 64
#define NAME_SIZE 100

/* The state of a counter: its value, and for how long it was enabled and did count, in ns. */
struct reading {
	uint64_t value, enabled, running;
};

struct thread_region {
	uint32_t depth; /* number of entries that have not been left yet */
	uint64_t entries;
	uint64_t begun_ns, spent_ns;
	struct reading *begun, *spent; /* [event] readings at entry, and sums; NULL if none yet */
};

/* A thread's counts. It lives until the program ends, so that the counts outlive the thread. */
struct thread {
	struct thread *next;
	uint32_t number;	  /* threads are numbered in the order of their first markers */
	int counters[EVENTS_MAX]; /* [event] file descriptor, or -1 */
	bool has_counters;
	struct thread_region regions[REGIONS_MAX];
};

/* ---- emulated.c ---- */

void takt_marker_emulated_define(uint32_t region, const char *name);
void takt_marker_emulated_start(uint32_t region);
void takt_marker_emulated_stop(uint32_t region);

/* ---- counters.c ---- */

/* Read the list of events from the environment (NULL: no events); false if it is malformed. */
bool takt_marker_counters_configure(const char *events);
uint32_t takt_marker_counters_count(void);
void takt_marker_counters_open(struct thread *thread);
void takt_marker_counters_close(struct thread *thread);
void takt_marker_counters_start(struct thread *thread, struct thread_region *region);
void takt_marker_counters_stop(struct thread *thread, struct thread_region *region);
void takt_marker_counters_write(FILE *file, const char *name, const struct thread *thread,
				const struct thread_region *region);

#endif
