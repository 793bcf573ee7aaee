/* SPDX-License-Identifier: MIT */
/*
 * Regions of a program for `takt count` and `takt trace`: what stands between START and STOP is
 * counted apart, for each thread. C99 and C++; Fortran has the same as module takt_marker.
 *
 *	#define TAKT_MARKER		(or -DTAKT_MARKER; without it, all this is nothing)
 *	#include <takt/marker.h>
 *
 *	TAKT_MARKER_INIT;
 *	TAKT_MARKER_START("solve");
 *	…
 *	TAKT_MARKER_STOP("solve");
 *	TAKT_MARKER_CLOSE;
 *
 * Link with -ltakt-marker. Regions may be nested, overlap and be entered again; of one that is
 * entered twice by a thread, as in recursion, the outermost counts. A program that does not run
 * under one of these looks at one variable each time, and does nothing.
 */
#ifndef TAKT_MARKER_H
#define TAKT_MARKER_H

#ifdef __cplusplus
extern "C" {
#endif

/* What the macros below do; threads need no preparation. */
extern int takt_marker_active;

void takt_marker_init(void);
/* Opens the thread's counters now instead of at its first region. */
void takt_marker_thread_init(void);
/* Makes the region known, so that its first START takes no longer than others. */
void takt_marker_register(const char *region);
/* Names are at most 99 bytes long, and no more than 256 regions are told apart. */
void takt_marker_start(const char *region);
void takt_marker_stop(const char *region);
/*
 * What this thread counted in the region so far: *event_count is how many `events` has room
 * for, and becomes how many there are. All 0 where nothing counts inside the program.
 */
void takt_marker_get(const char *region, int *event_count, double *events, double *seconds,
		     int *entries);
/* Writes what was counted. At the program's end it happens by itself. */
void takt_marker_close(void);

#ifdef __cplusplus
}
#endif

#ifdef TAKT_MARKER
#define TAKT_MARKER_INIT takt_marker_init()
#define TAKT_MARKER_THREAD_INIT takt_marker_thread_init()
#define TAKT_MARKER_REGISTER(region) takt_marker_register(region)
#define TAKT_MARKER_START(region) (takt_marker_active ? takt_marker_start(region) : (void)0)
#define TAKT_MARKER_STOP(region) (takt_marker_active ? takt_marker_stop(region) : (void)0)
#define TAKT_MARKER_GET(region, count, events, seconds, entries)                                   \
	takt_marker_get(region, count, events, seconds, entries)
#define TAKT_MARKER_CLOSE takt_marker_close()
#else
#define TAKT_MARKER_INIT ((void)0)
#define TAKT_MARKER_THREAD_INIT ((void)0)
#define TAKT_MARKER_REGISTER(region) ((void)0)
#define TAKT_MARKER_START(region) ((void)0)
#define TAKT_MARKER_STOP(region) ((void)0)
#define TAKT_MARKER_GET(region, count, events, seconds, entries) ((void)0)
#define TAKT_MARKER_CLOSE ((void)0)
#endif

#endif
