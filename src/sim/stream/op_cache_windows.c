/* SPDX-License-Identifier: MIT */
/* The op cache of a trace: sets of windows, of which the least recently used is replaced. */
#include <string.h>

#include "sim/stream/op_cache_windows.h"

#define LINES_MAX (1 << 16)
#define ERRATUM_BYTES 32u
#define HALVES_BYTES 64u
#define PREDECODED_BYTES 16u

static uint32_t clamp(int32_t value, int32_t least, int32_t most)
{
	return (uint32_t)(value < least ? least : value > most ? most : value);
}

void sim_windows_init(struct sim_windows *windows, const struct takt_core_params *params,
		      struct takt_arena *arena)
{
	*windows = (struct sim_windows){.params = params};
	if (params->op_cache_width <= 0 || params->op_cache_window_bytes <= 0)
		return;
	windows->bytes = (uint32_t)params->op_cache_window_bytes;
	windows->ways = clamp(params->op_cache_ways, 1, SIM_WAYS_MAX);
	windows->sets = clamp(params->op_cache_lines, 1, LINES_MAX) / windows->ways;
	windows->sets += !windows->sets;
	windows->entries =
		TAKT_NEW_ARRAY(arena, (size_t)windows->sets * SIM_WAYS_MAX, struct sim_window);
}

/* Divisions are slow, and nearly all of these are by powers of two. */
static inline uint64_t remainder_of(uint64_t number, uint32_t divisor)
{
	return divisor & (divisor - 1) ? number % divisor : number & (divisor - 1);
}

static inline uint64_t quotient_of(uint64_t number, uint32_t divisor)
{
	return divisor & (divisor - 1) ? number / divisor : number >> __builtin_ctz(divisor);
}

static struct sim_window *set_of(const struct sim_windows *windows, uint64_t number)
{
	return &windows->entries[(size_t)remainder_of(number, windows->sets) * SIM_WAYS_MAX];
}

static struct sim_window *find(struct sim_windows *windows, uint64_t number)
{
	struct sim_window *set = set_of(windows, number);
	uint8_t *hint = &windows->hints[number % SIM_WINDOW_HINTS];

	if (set[*hint].number == number)
		return &set[*hint];
	for (uint32_t way = 0; way < windows->ways; way++) {
		if (set[way].number != number)
			continue;
		*hint = (uint8_t)way;
		return &set[way];
	}
	return NULL;
}

static bool is_refused(struct sim_windows *windows, uint64_t number)
{
	const struct sim_window *window = find(windows, number);

	return window && window->refused;
}

/*
 * True if the window is cached; on some cores the other half of 64 bytes must not be one that
 * cannot be.
 */
static bool look_up(struct sim_windows *windows, uint64_t number)
{
	struct sim_window *window = find(windows, number);

	windows->found = window;
	if (!window)
		return false;
	window->used = ++windows->uses;
	windows->settled = window->refused;
	if (window->refused)
		return false;
	return !windows->params->op_cache_both_halves || windows->bytes * 2 != HALVES_BYTES ||
	       !is_refused(windows, ((number - 1) ^ 1) + 1);
}

/* ---- filling ------------------------------------------------------------------------------ */

/* Ages are compared without branches, which could not be predicted. */
static struct sim_window *oldest_of(const struct sim_windows *windows, struct sim_window *set)
{
	uint32_t oldest = 0, most = 0;

	for (uint32_t way = 0; way < windows->ways; way++) {
		uint32_t age = set[way].number ? windows->uses - set[way].used + 1 : 0;

		oldest = age > most ? way : oldest;
		most = age > most ? age : most;
	}
	return most ? &set[oldest] : NULL;
}

/*
 * Remove the least recently used windows until the set has room for so many lines; return an entry.
 */
static struct sim_window *make_room(const struct sim_windows *windows, struct sim_window *set,
				    uint32_t lines)
{
	struct sim_window *free = NULL;
	uint32_t taken = 0;

	for (uint32_t way = 0; way < windows->ways; way++) {
		taken += set[way].lines;
		free = set[way].number ? free : &set[way];
	}
	while (!free || taken + lines > windows->ways) {
		struct sim_window *oldest = oldest_of(windows, set);

		if (!oldest)
			return &set[0]; /* a window with more lines than there are */
		taken -= oldest->lines;
		memset(oldest, 0, sizeof(*oldest));
		free = oldest;
	}
	return free;
}

/* End the run through the window. One that was refused stays so as long as it is known. */
static void finish(struct sim_windows *windows)
{
	struct sim_window *window;
	int32_t most = windows->params->op_cache_window_lines;
	bool refused = windows->refused || (most > 0 && windows->lines > (uint32_t)most);
	uint32_t lines = windows->lines < windows->ways ? windows->lines : windows->ways;

	if (!windows->number || windows->settled)
		return;
	window = windows->found ? find(windows, windows->number) : NULL;
	if (window) {
		window->refused |= refused;
		return;
	}
	window = make_room(windows, set_of(windows, windows->number), lines);
	*window = (struct sim_window){.number = windows->number,
				      .used = ++windows->uses,
				      .lines = (uint8_t)lines,
				      .refused = refused};
}

static void begin(struct sim_windows *windows, uint64_t number)
{
	windows->number = number;
	windows->settled = false;
	windows->hit = look_up(windows, number);
	windows->settled |= windows->hit;
	windows->refused = windows->last_waits = false;
	windows->line.open = false;
	windows->lines = windows->waiting = 0;
}

/* Note what keeps a window's code from being cached, as in takt_code_find_cached(). */
static void note(struct sim_windows *windows, const struct takt_code_item *item, uint64_t address)
{
	const struct takt_core_params *params = windows->params;
	uint64_t end = address + item->length_bytes;

	windows->lines += !takt_cache_line_add(params, &windows->line, item, address);
	if (params->jcc_erratum && item->branch && address / ERRATUM_BYTES != end / ERRATUM_BYTES)
		windows->refused = true;
	if (params->length_change_cycles <= 0)
		return;
	if (address / PREDECODED_BYTES % 2 == 0)
		windows->last_waits = item->waits_for_next;
	else
		windows->waiting += item->waits_for_next;
	if (windows->last_waits && windows->waiting >= 2)
		windows->refused = true;
}

bool sim_windows_enter(struct sim_windows *windows, const struct takt_code_item *item,
		       uint64_t address, bool entered)
{
	uint64_t number;

	if (!windows->bytes)
		return false;
	number = quotient_of(address, windows->bytes) + 1;
	if (entered || number != windows->number) {
		finish(windows);
		begin(windows, number);
	}
	if (!windows->settled)
		note(windows, item, address);
	return windows->hit;
}
