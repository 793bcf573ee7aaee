/* SPDX-License-Identifier: MIT */
/*
 * fast_load: older cores have a shorter load latency for pointer chasing. A load
 * whose base register comes straight from a load, without index and with a small
 * displacement, takes a cycle less (uiCA paper, section 4). Private to depend.
 */
#ifndef TAKT_DEPEND_FAST_LOAD_H
#define TAKT_DEPEND_FAST_LOAD_H

#include "depend/depend.h"

/* Shorten the edges of `graph` to such loads; `edges` are the same edges, writable. */
void takt_fast_loads_apply(const struct takt_core_params *params, const struct takt_block *block,
			   const struct takt_timing *timings, const struct takt_graph *graph,
			   struct takt_edge *edges);

#endif
