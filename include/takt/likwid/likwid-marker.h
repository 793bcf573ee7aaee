/* SPDX-License-Identifier: MIT */
/*
 * The macros of LIKWID's marker interface, for programs that use them: compile with
 * -I…/include/takt/likwid, link with -ltakt-marker instead of -llikwid, and they are counted by
 * `takt count`. As there, they are nothing without LIKWID_PERFMON.
 */
#ifndef LIKWID_MARKER_H
#define LIKWID_MARKER_H

#ifdef LIKWID_PERFMON
#define TAKT_MARKER
#endif
#include <takt/marker.h>

#define LIKWID_MARKER_INIT TAKT_MARKER_INIT
#define LIKWID_MARKER_THREADINIT TAKT_MARKER_THREAD_INIT
#define LIKWID_MARKER_REGISTER(region) TAKT_MARKER_REGISTER(region)
#define LIKWID_MARKER_START(region) TAKT_MARKER_START(region)
#define LIKWID_MARKER_STOP(region) TAKT_MARKER_STOP(region)
#define LIKWID_MARKER_GET(region, count, events, seconds, entries)                                 \
	TAKT_MARKER_GET(region, count, events, seconds, entries)
#define LIKWID_MARKER_CLOSE TAKT_MARKER_CLOSE
/* All groups are counted at once, or taken turns of by the kernel. */
#define LIKWID_MARKER_SWITCH ((void)0)
#define LIKWID_MARKER_WRITE_FILE(path) ((void)0)

#endif
