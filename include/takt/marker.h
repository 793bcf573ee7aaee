/* SPDX-License-Identifier: MIT */
/*
 * Markers of regions in a program, for `takt count` and `takt trace`: the code between START and
 * STOP is counted separately, for each thread. For C99 and C++; the Fortran module takt_marker has
 * the same interface.
 *
 *	#define TAKT_MARKER		(or -DTAKT_MARKER; without it, the macros do nothing)
 *	#include <takt/marker.h>
 *
 *	TAKT_MARKER_INIT;
 *	TAKT_MARKER_START("solve");
 *	…
 *	TAKT_MARKER_STOP("solve");
 *	TAKT_MARKER_CLOSE;
 *
 * Link with -ltakt-marker. Regions may be nested, may overlap and may be entered again; if a thread
 * enters a region twice, as in recursion, the outermost entry counts. In a program that does not
 * run under one of these commands, each macro tests one variable and does nothing.
 */
#ifndef TAKT_MARKER_H
#define TAKT_MARKER_H

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default) /* The library hides its other symbols. */
#endif

/* True while takt counts the program; the macros below test it. Threads need no preparation. */
extern int takt_marker_active;

void takt_marker_init(void);
/* Open the calling thread's counters now instead of at its first region. */
void takt_marker_thread_init(void);
/* Make the region known, so that its first START takes no longer than later ones. */
void takt_marker_register(const char *region);
/* Begin and end a region. Names have at most 99 bytes; at most 256 regions are kept apart. */
void takt_marker_start(const char *region);
void takt_marker_stop(const char *region);
/*
 * Return what this thread counted in the region so far. *event_count holds the capacity of `events`
 * on entry and the number of events on return. All figures are 0 if nothing counts inside the
 * program.
 */
void takt_marker_get(const char *region, int *event_count, double *events, double *seconds,
		     int *entries);
/* Write what was counted. This also happens by itself when the program ends. */
void takt_marker_close(void);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
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
