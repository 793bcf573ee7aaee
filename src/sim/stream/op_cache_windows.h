/* SPDX-License-Identifier: MIT */
/*
 * windows: which code is in the op cache, in program order and without time. A window of code that
 * came through the decoders is there the next time, unless it cannot be cached. Private to sim.
 */
#ifndef TAKT_SIM_WINDOWS_H
#define TAKT_SIM_WINDOWS_H

#include "sim/block/block.h"

#define SIM_WAYS_MAX 16

struct sim_window {
	uint64_t number; /* address over bytes, plus 1; 0: none */
	uint32_t used;	 /* value of `uses` at its last use */
	uint8_t lines;
	bool refused; /* its code cannot be cached */
};

struct sim_windows {
	const struct takt_core_params *params;
	struct sim_window *entries; /* [set * SIM_WAYS_MAX] */
	uint32_t sets, ways, uses;
	uint32_t bytes; /* bytes of a window; 0: no op cache */
	/* The current run through a window. */
	uint64_t number;
	bool hit, refused, last_waits;
	struct takt_cache_line line;
	uint32_t lines, waiting;
};

void sim_windows_init(struct sim_windows *windows, const struct takt_core_params *params,
		      struct takt_arena *arena);
/* The same as sim_windows_next(), for an item of any window. */
bool sim_windows_enter(struct sim_windows *windows, const struct takt_code_item *item,
		       uint64_t address, bool entered);

/* True if the item at the address comes out of the op cache; `entered`: by a branch. */
static inline bool sim_windows_next(struct sim_windows *windows, const struct takt_code_item *item,
				    uint64_t address, bool entered)
{
	uint64_t start = (windows->number - 1) * windows->bytes;

	/* Nothing is noted of a window that was found. */
	if (windows->hit && !entered && address - start < windows->bytes)
		return true;
	return sim_windows_enter(windows, item, address, entered);
}

#endif
