/* SPDX-License-Identifier: MIT */
/*
 * windows: which code is in the op cache, in program order and without time. A window of code that
 * came through the decoders is there the next time, unless it cannot be cached. Private to sim.
 */
#ifndef TAKT_SIM_WINDOWS_H
#define TAKT_SIM_WINDOWS_H

#include "sim/block/block.h"

#define SIM_WAYS_MAX 16
#define SIM_WINDOW_HINTS 1024u

struct sim_window {
	uint64_t number; /* address over bytes, plus 1; 0: none */
	uint32_t used;	 /* value of `uses` at its last use */
	uint8_t lines;
	bool refused; /* its code cannot be cached */
};

/* Code of a window so far, since control entered it. */
struct sim_window_run {
	struct takt_cache_line line;
	uint32_t lines, waiting;
	bool refused, last_waits;
};

struct sim_windows {
	const struct takt_core_params *params;
	struct sim_window *entries; /* [set * SIM_WAYS_MAX] */
	uint32_t sets, ways, uses;
	uint32_t bytes; /* bytes of a window; 0: no op cache */
	/* The current run through a window. */
	uint64_t number;
	bool found, hit;
	bool settled; /* the run changes nothing: the window was found, or cannot be cached */
	struct sim_window_run run;
	/* The way in which a window was found, by part of its number; it may be wrong. */
	uint8_t hints[SIM_WINDOW_HINTS];
};

void sim_windows_init(struct sim_windows *windows, const struct takt_core_params *params,
		      struct takt_arena *arena);
/* Describe what `count` records of a block do to a window that they enter: `ret_window`. */
void sim_window_describe(const struct takt_core_params *params, const struct takt_code_item *items,
			 const uint32_t *records, uint32_t count, uint64_t address,
			 struct sim_code_window *ret_window);
/*
 * Run through those of the first `count` records of a block that are in its window `index`;
 * `entered`: a branch led to the block.
 */
void sim_windows_learn(struct sim_windows *windows, const struct takt_code_item *items,
		       const struct sim_code_block *block, uint32_t index, uint32_t count,
		       bool entered);
/* The same as sim_windows_next(), for an item of any window. */
bool sim_windows_enter(struct sim_windows *windows, const struct takt_code_item *item,
		       uint64_t address, bool entered);

/* True if an item at the address would change nothing, not even if a branch led to it. */
static inline bool sim_windows_is_settled(const struct sim_windows *windows, uint64_t address)
{
	return windows->settled &&
	       address - (windows->number - 1) * windows->bytes < windows->bytes;
}

/* True if the item at the address comes out of the op cache; `entered`: by a branch. */
static inline bool sim_windows_next(struct sim_windows *windows, const struct takt_code_item *item,
				    uint64_t address, bool entered)
{
	if (sim_windows_is_settled(windows, address))
		return windows->hit;
	return sim_windows_enter(windows, item, address, entered);
}

#endif
