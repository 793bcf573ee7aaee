/* SPDX-License-Identifier: MIT */
/*
 * streams: how each address moves, how it lies to lines, and which loads share their low
 * address bits with a store in flight. For reports alone. Private to depend.
 */
#ifndef TAKT_DEPEND_STREAMS_H
#define TAKT_DEPEND_STREAMS_H

#include "depend/memory.h"

/* Fills streams and aliases. */
void takt_streams_find(struct takt_finder *finder, struct takt_memory_dependences *dependences);

#endif
