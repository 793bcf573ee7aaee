/* SPDX-License-Identifier: MIT */
/*
 * streams: the stride and alignment of each address, how often it crosses a cache line, and
 * the loads that share their low address bits with a store in flight (aliases). Only reports
 * use them. Private to depend.
 */
#ifndef TAKT_DEPEND_STREAMS_H
#define TAKT_DEPEND_STREAMS_H

#include "depend/memory.h"

/* Fill the streams and aliases of `dependences`. */
void takt_streams_find(struct takt_finder *finder, struct takt_memory_dependences *dependences);

#endif
